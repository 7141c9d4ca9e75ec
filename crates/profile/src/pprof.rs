//! The pprof format, which `go tool pprof`, Pyroscope, speedscope and others read.

mod comments;
mod decode;
mod encode;
mod messages;
mod strings;

use std::io::Read;

use flate2::Compression;
use flate2::bufread::{GzEncoder, MultiGzDecoder};
use prost::Message;

use crate::{Error, Profile};

/// What gzip data begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

impl Profile {
    /// The profile in the pprof format, not compressed. Equal profiles give equal bytes.
    ///
    /// Values are rounded here, once, to whole objects and bytes, and are never negative. A sample whose four
    /// values all become zero is left out, and so are locations and functions that no other sample uses.
    /// Variances do not fit into the format; the standard errors of the totals and the losses are comments.
    pub fn to_pprof(&self) -> Vec<u8> {
        encode::message(self).encode_to_vec()
    }

    /// The same as gzip data, which is what a file `heap.pb.gz` contains.
    pub fn to_pprof_gzip(&self) -> Vec<u8> {
        let plain = self.to_pprof();
        let mut packed = Vec::new();
        // Reading from and writing to memory cannot fail.
        let _ = GzEncoder::new(&*plain, Compression::default()).read_to_end(&mut packed);
        packed
    }

    /// Reads a heap profile in the pprof format, plain or gzip.
    ///
    /// Any order of the sample types will do, and any subset of the four of a heap profile; figures that the
    /// file does not have are zero. Variances are zero, labels are ignored, and addresses are taken to lie
    /// inside the call, as the format has it.
    ///
    /// ```
    /// use allometer_profile::{Error, Profile};
    ///
    /// let bytes = Profile::default().to_pprof_gzip();
    /// assert_eq!(Profile::from_pprof(&bytes)?.samples.len(), 0);
    /// assert!(matches!(Profile::from_pprof(b""), Err(Error::StringTable)));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is malformed or refers to something that does not exist, with its place; a profile of something
    /// else than a heap.
    pub fn from_pprof(data: &[u8]) -> Result<Self, Error> {
        let unpacked;
        let plain = if data.starts_with(&GZIP) {
            let mut bytes = Vec::new();
            MultiGzDecoder::new(data).read_to_end(&mut bytes).map_err(Error::Gzip)?;
            unpacked = bytes;
            &unpacked
        } else {
            data
        };
        let message =
            messages::Profile::decode(plain).map_err(|error| Error::Message { reason: error.to_string() })?;
        decode::profile(&message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_and_plain_hold_the_same() {
        let profile = Profile::default();
        let packed = profile.to_pprof_gzip();
        assert!(packed.starts_with(&GZIP));
        assert_eq!(packed, profile.to_pprof_gzip());
        assert_eq!(Profile::from_pprof(&packed).unwrap(), Profile::from_pprof(&profile.to_pprof()).unwrap());
    }

    #[test]
    fn refuses_what_is_no_profile() {
        assert!(matches!(Profile::from_pprof(b"\x1f\x8bnot gzip"), Err(Error::Gzip(_))));
        assert!(matches!(Profile::from_pprof(b"not protobuf"), Err(Error::Message { .. })));
        assert!(matches!(Profile::from_pprof(b""), Err(Error::StringTable)));
        let cut = Profile::default().to_pprof_gzip();
        assert!(matches!(Profile::from_pprof(&cut[..cut.len() - 9]), Err(Error::Gzip(_))));
    }
}
