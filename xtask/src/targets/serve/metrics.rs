//! Prometheus' own parser, which asks the running server: `xtask/serve/metrics.py`.

use crate::{
    error::Error,
    targets::{line::Figure, looked, scripts::Scripts, serve::served::Served},
    workspace::Workspace,
};

/// How many figures are held against those of stats, and how many are there at all.
const CHECKS: usize = 12;

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let mut served = Served::start(workspace, "interval:1,lifetimes:true", &[])?;
    served.tell("leak 10")?;
    let scripts = Scripts::install(workspace, &[])?;
    looked::figure(scripts.script("serve/metrics.py").arg(served.client.url("/debug/pprof/")), CHECKS)
}
