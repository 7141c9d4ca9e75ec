//! The session that is served.

use std::sync::{Mutex, MutexGuard, PoisonError};

use allometer_core::{Config, Error, Profiler, Reader, Word};

use crate::refusal::Refusal;

/// The session that is served: another's, which is only read, or one that requests may start and stop.
#[derive(Debug)]
pub(crate) enum Session {
    Read(Reader),
    Own(Own),
}

/// A session that requests may start and stop.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) config: Config,
    profiler: Mutex<Option<Profiler>>,
}

/// What an interval may be, in a request.
const SIZE: &str = "a whole number of bytes, or of KiB, MiB or GiB";

impl Session {
    pub(crate) fn own(config: Config) -> Self {
        Self::Own(Own { config, profiler: Mutex::default() })
    }

    /// Whether requests may start and stop it.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// Reads the session that is active now.
    pub(crate) fn reader(&self) -> Result<Reader, Refusal> {
        let reader = match self {
            Self::Read(reader) => Some(reader.clone()),
            Self::Own(own) => own.lock().as_ref().map(Profiler::reader),
        };
        reader.filter(Reader::is_active).ok_or(Refusal::Inactive)
    }

    /// Starts a session, with this sample interval in place of the configuration's.
    pub(crate) fn start(&self, interval: Option<&str>) -> Result<(), Refusal> {
        let own = self.controlled()?;
        let config = with_interval(&own.config, interval)?;
        own.start(config).map_err(|error| Refusal::of(&error))
    }

    pub(crate) fn stop(&self) -> Result<(), Refusal> {
        self.controlled()?.lock().take().filter(Profiler::is_active).map(drop).ok_or(Refusal::Inactive)
    }

    /// Starts afresh with another sample interval, in place of the session that is active.
    pub(crate) fn set_interval(&self, interval: &str) -> Result<(), Refusal> {
        let config = with_interval(&self.controlled()?.config, Some(interval))?;
        self.stop()?;
        self.controlled()?.start(config).map_err(|error| Refusal::of(&error))
    }

    fn controlled(&self) -> Result<&Own, Refusal> {
        match self {
            Self::Read(_) => Err(Refusal::NotOffered { what: "starting and stopping" }),
            Self::Own(own) => Ok(own),
        }
    }
}

impl Own {
    pub(crate) fn start(&self, config: Config) -> Result<(), Error> {
        let mut profiler = self.lock();
        *profiler = Some(Profiler::start(config)?);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Profiler>> {
        self.profiler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As the variable `ALLOMETER` has it.
fn with_interval(config: &Config, interval: Option<&str>) -> Result<Config, Refusal> {
    let mut config = config.clone();
    let Some(interval) = interval else { return Ok(config) };
    let wrong =
        |expected: String| Refusal::Parameter { name: "interval", value: interval.to_owned(), expected };
    for word in Word::of(&format!("interval:{}", interval.replace(',', " "))) {
        config.set(&word).map_err(|_| wrong(SIZE.to_owned()))?;
    }
    match config.validate() {
        Err(Error::IntervalOutOfRange { max, .. }) => Err(wrong(format!("1 to {max} bytes"))),
        Err(error) => Err(Refusal::of(&error)),
        Ok(()) => Ok(config),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_size_within_its_bounds() {
        let of = |text| with_interval(&Config::default(), Some(text)).map_err(|refusal| refusal.to_string());
        assert_eq!(of("64KiB"), Ok(Config::default().sample_interval(64 << 10)));
        let expected = "expected a whole number of bytes, or of KiB, MiB or GiB";
        for bad in ["", "64kb", "-1", "1,live:false", "1.5MiB"] {
            assert_eq!(of(bad), Err(format!("interval is `{bad}`: {expected}")));
        }
        assert_eq!(of("0"), Err("interval is `0`: expected 1 to 1125899906842624 bytes".to_owned()));
    }

    #[test]
    fn where_there_is_no_session_that_is_said() {
        let session = Session::own(Config::default());
        assert_eq!(session.reader().map(drop), Err(Refusal::Inactive));
        assert_eq!(session.stop(), Err(Refusal::Inactive));
        assert_eq!(session.set_interval("1MiB"), Err(Refusal::Inactive));
        // No allocator is installed in this program.
        assert!(matches!(session.start(None), Err(Refusal::Failed { .. })));
    }
}
