use std::{error::Error, time::Duration};

use allometer::{Config, Profiler};
use pyroscope::{
    PyroscopeAgent,
    pyroscope::{PyroscopeAgentBuilder, PyroscopeAgentRunning},
};

/// The session, and the agent that pushes its profiles.
pub(crate) struct Profiling {
    profiler: Profiler,
    /// Until it is stopped.
    agent: Option<PyroscopeAgent<PyroscopeAgentRunning>>,
}

impl Profiling {
    /// Every request is sampled, so that figures are exact.
    pub(crate) fn start(url: &str) -> Result<Self, Box<dyn Error>> {
        let profiler = Profiler::start(Config::default().sample_interval(1))?;
        let backend = allometer_pyroscope::backend(profiler.reader());
        let version = env!("CARGO_PKG_VERSION");
        let builder = PyroscopeAgentBuilder::new(url, "ledger", 100, "pyroscope-rs", version, backend)
            .tags(vec![("region", "eu"), ("stage", "test")])
            .basic_auth("scribe", "secret")
            .tenant_id("acme".to_owned())
            // The shortest there is.
            .upload_interval(Duration::from_secs(1));
        let agent = allometer_pyroscope::build(builder)?.start()?;
        Ok(Self { profiler, agent: Some(agent) })
    }

    pub(crate) fn stop_profiler(&mut self) {
        self.profiler.stop();
    }

    pub(crate) fn stop_agent(&mut self) -> Result<(), Box<dyn Error>> {
        if let Some(agent) = self.agent.take() {
            agent.stop()?.shutdown();
        }
        Ok(())
    }
}
