//! Where a profile is read from.

mod inputs;
mod url;

pub(crate) use inputs::Inputs;
pub(crate) use url::Fetch;

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use allometer_profile::{Limit, Profile};

use crate::error::Error;
use crate::progress::Watched;

/// A profile as it was named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// `-`.
    Standard,
    File(PathBuf),
    Url(String),
}

impl From<OsString> for Input {
    fn from(name: OsString) -> Self {
        match name.to_str() {
            Some("-") => Self::Standard,
            Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
                Self::Url(url.to_owned())
            }
            _ => Self::File(name.into()),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("standard input"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Url(url) => f.write_str(url),
        }
    }
}

impl Input {
    pub(crate) fn read(&self, fetch: Fetch) -> Result<Profile, Error> {
        self.read_from(fetch, |source| bytes(Watched::new(source, self.to_string())))
    }

    /// The same without a word on standard error, however long it takes.
    #[cfg(feature = "live")]
    pub(crate) fn read_in_silence(&self, fetch: Fetch) -> Result<Profile, Error> {
        self.read_from(fetch, bytes)
    }

    fn read_from(
        &self,
        fetch: Fetch,
        bytes: impl FnOnce(Box<dyn Read>) -> io::Result<Vec<u8>>,
    ) -> Result<Profile, Error> {
        let unreadable = |source| Error::Read { input: self.to_string(), source };
        let source: Box<dyn Read> = match self {
            Self::Standard => Box::new(io::stdin().lock()),
            Self::File(path) => Box::new(File::open(path).map_err(unreadable)?),
            Self::Url(url) => Box::new(url::open(url, fetch)?),
        };
        Profile::read(&bytes(source).map_err(unreadable)?)
            .map_err(|source| Error::Profile { input: self.to_string(), source })
    }
}

/// All bytes, or one more than a profile may have: then it is refused.
fn bytes(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(Limit::Unpacked.max() + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_it_is() {
        let of = |name: &str| Input::from(OsString::from(name));
        assert_eq!(of("-"), Input::Standard);
        assert_eq!(of("./-"), Input::File("./-".into()));
        assert_eq!(
            of("http://localhost:6060/debug/pprof/heap").to_string(),
            "http://localhost:6060/debug/pprof/heap"
        );
        assert!(matches!(of("https://host/heap"), Input::Url(_)));
        assert!(matches!(of("http.pb.gz"), Input::File(_)));
    }
}
