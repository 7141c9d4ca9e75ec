//! The arrows between the published crates, and the packages that must not be in a graph.
//!
//! | module | owns |
//! |---|---|
//! | `arrows` | the arrows as `docs/architecture.md` states them |
//! | `package` | the packages as their manifests declare them |
//! | `closure` | the packages that one crate pulls in, and those that it must not |

mod arrows;
mod closure;
mod package;

use std::collections::BTreeSet;

use self::{
    arrows::Arrow,
    closure::{ALLOCATORS, Closure, PROFILER},
    package::Package,
};
use crate::{error::Error, outside::OUTSIDE, workspace::Workspace};

/// The page that states the arrows.
const DOCUMENT: &str = "docs/architecture.md";
/// The consumer whose graph holds `allometer` with default features and no provider.
const BARE: &str = "consumers/bare";

/// Checks the arrows, the pins, the features, and the graphs of `allometer` and of each provider.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let mut all = package::read(workspace, ".")?;
    for outside in OUTSIDE {
        all.extend(package::read(workspace, outside.consumer)?);
    }
    let published = package::published(all.iter());

    let stated = arrows::stated(&workspace.read(DOCUMENT)?)?;
    let mut faults = arrows::faults(&stated, &arrows::declared(&published));
    faults.extend(package::pin_faults(&published));
    faults.extend(package::feature_faults(&published));

    let graphs = graphs(workspace, &published, &stated)?;
    let links = package::links(all.iter());
    for graph in &graphs {
        faults.extend(graph.faults(&links));
    }

    if faults.is_empty() {
        println!(
            "{} crates, {} arrows, {} graphs: as {DOCUMENT} states",
            published.len(),
            stated.len(),
            graphs.len()
        );
        Ok(())
    } else {
        Err(Error::Graph(faults))
    }
}

/// The graphs that must not hold certain packages: `allometer` with default features, the consumer that
/// has nothing else, and each provider crate alone.
fn graphs(
    workspace: &Workspace,
    published: &[&Package],
    stated: &BTreeSet<Arrow>,
) -> Result<Vec<Closure>, Error> {
    let mut graphs = vec![
        Closure::of_crate(workspace, "allometer", ALLOCATORS)?,
        Closure::of_consumer(workspace, BARE, ALLOCATORS)?,
    ];
    for provider in published.iter().map(|it| &it.name).filter(|name| arrows::is_provider(name, stated)) {
        graphs.push(match OUTSIDE.iter().find(|outside| outside.package == *provider) {
            None => Closure::of_crate(workspace, provider, PROFILER)?,
            Some(outside) => {
                let behind_features = arrows::behind_features(provider, stated);
                Closure::of_crate_beside(workspace, outside.consumer, provider, &behind_features, PROFILER)?
            }
        });
    }
    Ok(graphs)
}
