use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use allometer_core::{Config, unsampled};
use allometer_profile::{Source, SourceError, Switch};

use super::NativeProfiler;

/// mimalloc's own sampling as something that endpoints can start and stop. It is stopped when this is dropped.
#[derive(Debug)]
pub struct NativeSwitch {
    config: Config,
    profiler: Mutex<Option<NativeProfiler>>,
}

impl NativeSwitch {
    /// One that starts it so.
    pub fn new(config: Config) -> Self {
        Self { config, profiler: Mutex::default() }
    }

    fn config(&self, sample_interval: Option<u64>) -> Config {
        sample_interval.into_iter().fold(self.config.clone(), Config::sample_interval)
    }

    fn lock(&self) -> MutexGuard<'_, Option<NativeProfiler>> {
        self.profiler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Switch for NativeSwitch {
    fn start(&self, sample_interval: Option<u64>) -> Result<(), SourceError> {
        let mut profiler = self.lock();
        *profiler = Some(NativeProfiler::start(self.config(sample_interval))?);
        Ok(())
    }

    fn stop(&self) -> Result<(), SourceError> {
        let is_active = |profiler: &NativeProfiler| profiler.reader().is_active();
        self.lock().take().filter(is_active).map(drop).ok_or(SourceError::Inactive)
    }

    fn check(&self, sample_interval: u64) -> Result<(), SourceError> {
        Ok(self.config(Some(sample_interval)).validate()?)
    }

    fn source(&self) -> Option<Arc<dyn Source>> {
        let reader = self.lock().as_ref().map(NativeProfiler::reader);
        reader.map(|reader| Arc::new(reader) as Arc<dyn Source>)
    }

    fn leave_out(&self, work: &mut dyn FnMut()) {
        unsampled(work);
    }
}
