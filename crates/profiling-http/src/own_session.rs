//! A session of the sampler that requests may start and stop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use allometer_core::{Config, Profiler, unsampled};
use allometer_profile::{Source, SourceError, Switch};

/// A session of the sampler that requests may start and stop.
#[derive(Debug)]
pub(crate) struct OwnSession {
    config: Config,
    profiler: Mutex<Option<Profiler>>,
}

impl OwnSession {
    pub(crate) fn new(config: Config) -> Self {
        Self { config, profiler: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Profiler>> {
        self.profiler.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn config(&self, sample_interval: Option<u64>) -> Config {
        let config = self.config.clone();
        sample_interval.into_iter().fold(config, Config::sample_interval)
    }
}

impl Switch for OwnSession {
    fn start(&self, sample_interval: Option<u64>) -> Result<(), SourceError> {
        let mut profiler = self.lock();
        *profiler = Some(Profiler::start(self.config(sample_interval))?);
        Ok(())
    }

    fn stop(&self) -> Result<(), SourceError> {
        self.lock().take().filter(Profiler::is_active).map(drop).ok_or(SourceError::Inactive)
    }

    fn check(&self, sample_interval: u64) -> Result<(), SourceError> {
        Ok(self.config(Some(sample_interval)).validate()?)
    }

    fn source(&self) -> Option<Arc<dyn Source>> {
        let reader = self.lock().as_ref().map(Profiler::reader);
        reader.map(|reader| Arc::new(reader) as Arc<dyn Source>)
    }

    fn leave_out(&self, work: &mut dyn FnMut()) {
        unsampled(work);
    }
}
