//! The one place where a profile is made.

use std::sync::{
    Arc, Mutex, MutexGuard, TryLockError,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use allometer_core::Symbolization;
use allometer_profile::Symbolizer;

use crate::refusal::Refusal;

/// The one place where a profile is made, with the names that were looked up there: whoever finds it taken is sent away at once.
#[derive(Debug, Default)]
pub(crate) struct Place(Mutex<Symbolizer>);

impl Place {
    /// Takes it, for profiles with so much of names.
    pub(crate) fn take(&self, symbolization: Symbolization) -> Result<MutexGuard<'_, Symbolizer>, Refusal> {
        let mut symbolizer = match self.0.try_lock() {
            Ok(symbolizer) => symbolizer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Refusal::Busy),
        };
        if symbolizer.symbolization() != symbolization {
            *symbolizer = Symbolizer::with(symbolization);
        }
        Ok(symbolizer)
    }
}

/// Whether somebody still waits for an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client(Arc<AtomicBool>);

/// Says that the client has gone when it is dropped.
#[cfg(feature = "tokio")]
#[derive(Debug)]
pub(crate) struct Presence(Client);

impl Client {
    #[cfg(feature = "tokio")]
    pub(crate) fn presence(&self) -> Presence {
        Presence(self.clone())
    }

    /// To be asked between the parts of a long work, so that it ends where nobody wants it.
    pub(crate) fn is_there(&self) -> Result<(), Refusal> {
        if self.0.load(Relaxed) { Err(Refusal::Gone) } else { Ok(()) }
    }
}

#[cfg(feature = "tokio")]
impl Drop for Presence {
    fn drop(&mut self) {
        let Self(Client(is_gone)) = self;
        is_gone.store(true, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_place() {
        let place = Place::default();
        let taken = place.take(Symbolization::None).unwrap();
        assert_eq!(taken.symbolization(), Symbolization::None);
        assert!(matches!(place.take(Symbolization::None), Err(Refusal::Busy)));
        drop(taken);
        assert!(place.take(Symbolization::Full).is_ok());
    }

    #[cfg(feature = "tokio")]
    #[test]
    fn a_client_that_goes_is_missed() {
        let client = Client::default();
        let presence = client.presence();
        assert_eq!(client.clone().is_there(), Ok(()));
        drop(presence);
        assert_eq!(client.is_there(), Err(Refusal::Gone));
    }
}
