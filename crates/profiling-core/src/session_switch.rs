//! Sessions that are started and stopped by whoever takes any profiler.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use allometer_profile::{Source, SourceError, Switch};

use crate::{Config, Profiler, unsampled};

/// The sampler as something that can be started and stopped, for whoever takes any such profiler. What runs is stopped when this is
/// dropped.
#[derive(Debug)]
pub struct SessionSwitch {
    config: Config,
    profiler: Mutex<Option<Profiler>>,
}

impl SessionSwitch {
    /// One whose sessions have this configuration.
    pub fn new(config: Config) -> Self {
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

impl Switch for SessionSwitch {
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
