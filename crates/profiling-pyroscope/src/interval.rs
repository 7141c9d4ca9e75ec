use pyroscope::{
    PyroscopeAgent, Result,
    pyroscope::{PyroscopeAgentBuilder, PyroscopeAgentReady},
};

/// The label that says so. Without it, servers with Pyroscope 1's storage take what was allocated for running totals, as
/// Go's profiles have them, and subtract each profile from the next.
const OF_AN_INTERVAL: (&str, &str) = ("__delta__", "false");

/// Builds an agent over a [`backend`](crate::backend()), in place of the builder's own `build`: its profiles are told to be
/// of an interval, by the label `__delta__="false"` beside the tags that the builder has.
///
/// # Errors
///
/// The backend's source is not active, or cannot be read; the agent's threads or timer cannot
/// be started.
pub fn build(builder: PyroscopeAgentBuilder) -> Result<PyroscopeAgent<PyroscopeAgentReady>> {
    let mut agent = builder.build()?;
    let (name, value) = OF_AN_INTERVAL;
    agent.config.tags.insert(name.to_owned(), value.to_owned());
    Ok(agent)
}
