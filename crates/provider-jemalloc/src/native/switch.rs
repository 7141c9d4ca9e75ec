use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use allometer_profile::{Source, SourceError, Switch};

use super::{JemallocConfig, JemallocProfiler, control::LeftOut};

/// jemalloc's own profiler as something that endpoints can start and stop. It is stopped when this is dropped.
#[derive(Debug, Default)]
pub struct JemallocSwitch {
    config: JemallocConfig,
    profiler: Mutex<Option<JemallocProfiler>>,
}

impl JemallocSwitch {
    /// One that starts it so.
    pub fn new(config: JemallocConfig) -> Self {
        Self { config, profiler: Mutex::default() }
    }

    fn config(&self, sample_interval: Option<u64>) -> JemallocConfig {
        sample_interval.into_iter().fold(self.config.clone(), JemallocConfig::sample_interval)
    }

    fn lock(&self) -> MutexGuard<'_, Option<JemallocProfiler>> {
        self.profiler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Switch for JemallocSwitch {
    fn start(&self, sample_interval: Option<u64>) -> Result<(), SourceError> {
        let mut profiler = self.lock();
        *profiler = Some(JemallocProfiler::start(&self.config(sample_interval))?);
        Ok(())
    }

    fn stop(&self) -> Result<(), SourceError> {
        let mut profiler = self.lock().take().ok_or(SourceError::Inactive)?;
        Ok(profiler.stop()?)
    }

    fn check(&self, sample_interval: u64) -> Result<(), SourceError> {
        self.config(Some(sample_interval)).lg_sample()?;
        Ok(())
    }

    fn source(&self) -> Option<Arc<dyn Source>> {
        let reader = self.lock().as_ref().map(JemallocProfiler::reader);
        reader.map(|reader| Arc::new(reader) as Arc<dyn Source>)
    }

    fn leave_out(&self, work: &mut dyn FnMut()) {
        let _left_out = LeftOut::begin();
        work();
    }
}
