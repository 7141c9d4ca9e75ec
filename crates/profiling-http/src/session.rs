//! The session that is served.

use std::sync::Arc;

use allometer_core::Word;
use allometer_profile::{Source, SourceError, Switch};

use crate::refusal::Refusal;

/// What is served: a source that is only read, or one that requests may start and stop.
#[derive(Debug)]
pub(crate) enum Session {
    Read(Arc<dyn Source>),
    Own(Box<dyn Switch>),
}

/// What an interval may be, in a request.
const SIZE: &str = "a whole number of bytes, or of KiB, MiB or GiB";

impl Session {
    /// Whether requests may start and stop it.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// What there is to read now.
    pub(crate) fn source(&self) -> Result<Arc<dyn Source>, Refusal> {
        let source = match self {
            Self::Read(source) => Some(Arc::clone(source)),
            Self::Own(switch) => switch.source(),
        };
        source.filter(Source::is_active).ok_or(Refusal::Inactive)
    }

    /// Does `work`, with what this thread requests meanwhile left out of what is served.
    pub(crate) fn left_out<T>(&self, work: impl FnOnce() -> T) -> T {
        match self {
            Self::Read(source) => source.left_out(work),
            Self::Own(switch) => switch.left_out(work),
        }
    }

    /// Starts a session, with this sample interval in place of the usual one.
    pub(crate) fn start(&self, interval: Option<&str>) -> Result<(), Refusal> {
        let switch = self.controlled()?;
        let bytes = interval.map(bytes).transpose()?;
        switch.start(bytes).map_err(|error| Refusal::of(&error))
    }

    pub(crate) fn stop(&self) -> Result<(), Refusal> {
        self.controlled()?.stop().map_err(|error| Refusal::of(&error))
    }

    /// Starts afresh with another sample interval, in place of the session that is active.
    pub(crate) fn set_interval(&self, interval: &str) -> Result<(), Refusal> {
        let switch = self.controlled()?;
        let bytes = bytes(interval)?;
        switch.check(bytes).map_err(|error| Refusal::of(&error))?;
        self.stop()?;
        switch.start(Some(bytes)).map_err(|error| Refusal::of(&error))
    }

    fn controlled(&self) -> Result<&dyn Switch, Refusal> {
        match self {
            Self::Read(_) => Err(Refusal::NotOffered { what: "starting and stopping" }),
            Self::Own(switch) => Ok(&**switch),
        }
    }
}

/// As the variable `ALLOMETER` has it.
fn bytes(interval: &str) -> Result<u64, Refusal> {
    let word = Word::of(&format!("interval:{}", interval.replace(',', " "))).next();
    word.and_then(|word| word.size().ok()).ok_or_else(|| wrong(interval, SIZE))
}

fn wrong(interval: &str, expected: &str) -> Refusal {
    Refusal::Parameter { name: "interval", value: interval.to_owned(), expected: expected.to_owned() }
}

impl Refusal {
    /// What went wrong in a source.
    pub(crate) fn of(error: &SourceError) -> Self {
        match error {
            SourceError::Inactive => Self::Inactive,
            SourceError::AlreadyActive => Self::AlreadyActive,
            SourceError::OtherSession => Self::OtherSession,
            SourceError::Interval { interval, expected } => {
                wrong(&interval.to_string(), &format!("{expected} bytes"))
            }
            error => Self::Failed { reason: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use allometer_core::{Config, SessionSwitch};

    use super::*;

    #[test]
    fn an_interval_is_a_size_within_its_bounds() {
        let of = |text| bytes(text).map_err(|refusal| refusal.to_string());
        assert_eq!(of("64KiB"), Ok(64 << 10));
        let expected = "expected a whole number of bytes, or of KiB, MiB or GiB";
        for bad in ["", "64kb", "-1", "1,live:false", "1.5MiB"] {
            assert_eq!(of(bad), Err(format!("interval is `{bad}`: {expected}")));
        }
        let session = Session::Own(Box::new(SessionSwitch::new(Config::default())));
        let refused = session.set_interval("0").unwrap_err().to_string();
        assert_eq!(refused, "interval is `0`: expected 1 to 1125899906842624 bytes");
    }

    #[test]
    fn where_there_is_no_session_that_is_said() {
        let session = Session::Own(Box::new(SessionSwitch::new(Config::default())));
        assert_eq!(session.source().map(drop), Err(Refusal::Inactive));
        assert_eq!(session.stop(), Err(Refusal::Inactive));
        assert_eq!(session.set_interval("1MiB"), Err(Refusal::Inactive));
        // No allocator is installed in this program.
        assert!(matches!(session.start(None), Err(Refusal::Failed { .. })));
    }
}
