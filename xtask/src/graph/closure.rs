//! What a crate pulls in with default features, and what must not be in there.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
    time::Duration,
};

use crate::{error::Error, process, workspace::Workspace};

/// `cargo tree` may have to download first.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// Packages that must not be in a graph.
#[derive(Clone, Copy)]
pub(super) struct Forbidden {
    /// What they are, for the message.
    what: &'static str,
    names: &'static [&'static str],
    /// Native libraries whose linking gives such a package away, whatever its name.
    links: &'static [&'static str],
}

/// Allocators other than the standard library's: who takes `allometer` has chosen none yet.
pub(super) const ALLOCATORS: Forbidden = Forbidden {
    what: "an allocator",
    names: &[
        "allometer-jemalloc",
        "allometer-mimalloc",
        "allometer-rustfs",
        "jemalloc-sys",
        "jemallocator",
        "libmimalloc-sys",
        "mimalloc",
        "rpmalloc",
        "rustfs-mimalloc",
        "rustfs-mimalloc-sys",
        "snmalloc-rs",
        "snmalloc-sys",
        "tcmalloc",
        "tikv-jemalloc-ctl",
        "tikv-jemalloc-sys",
        "tikv-jemallocator",
    ],
    links: &["jemalloc", "mimalloc", "rpmalloc", "snmalloc", "tcmalloc"],
};

/// The profiler and what it is made of: who takes a provider alone gets an allocator, nothing more.
pub(super) const PROFILER: Forbidden = Forbidden {
    what: "the profiler or a part of it",
    names: &[
        "addr2line",
        "allometer",
        "allometer-core",
        "allometer-profile",
        "allometer-pyroscope",
        "allometer-runner",
        "allometer-tracing",
        "allometer-views",
        "backtrace",
        "gimli",
        "object",
        "prost",
    ],
    links: &[],
};

/// The packages that one crate is built from.
pub(super) struct Closure {
    of: String,
    packages: BTreeSet<String>,
    forbidden: Forbidden,
}

impl Closure {
    /// What the published crate `name` is built from, alone and with default features.
    pub(super) fn of_crate(workspace: &Workspace, name: &str, forbidden: Forbidden) -> Result<Self, Error> {
        Self::read(workspace.cargo(&["tree", "--package", name, "--edges=normal,build"]), name, forbidden)
    }

    /// What the consumer at `member` is built and tested from.
    pub(super) fn of_consumer(
        workspace: &Workspace,
        member: &str,
        forbidden: Forbidden,
    ) -> Result<Self, Error> {
        Self::read(workspace.cargo_beside(member, &["tree", "--edges=normal,build,dev"]), member, forbidden)
    }

    /// What the published crate `name` is built from without its features, where only a consumer builds it
    /// and switches them on: the crates `behind_features` are left out, and what they bring with them.
    pub(super) fn of_crate_beside(
        workspace: &Workspace,
        member: &str,
        name: &str,
        behind_features: &[&str],
        forbidden: Forbidden,
    ) -> Result<Self, Error> {
        let mut tree = workspace.cargo_beside(member, &["tree", "--package", name, "--edges=normal,build"]);
        for package in behind_features {
            tree.args(["--prune", package]);
        }
        Self::read(tree, name, forbidden)
    }

    fn read(mut tree: Command, of: &str, forbidden: Forbidden) -> Result<Self, Error> {
        tree.args(["--locked", "--prefix=none", "--no-dedupe", "--format={p}"]);
        Ok(Self { of: of.to_owned(), packages: names(&process::read(&mut tree, DEADLINE)?), forbidden })
    }

    /// Which packages are in there and must not be, given which package links which native library.
    pub(super) fn faults(&self, links: &BTreeMap<&str, &str>) -> Vec<String> {
        let Forbidden { what, names, links: libraries } = self.forbidden;
        let is_forbidden = |package: &&String| {
            let library = links.get(package.as_str());
            names.contains(&package.as_str()) || library.is_some_and(|it| libraries.contains(it))
        };
        let found = self.packages.iter().filter(is_forbidden);
        found.map(|package| format!("the graph of {} holds {what}: {package}", self.of)).collect()
    }
}

/// The names in the lines `name version (where)` of `cargo tree`.
fn names(tree: &str) -> BTreeSet<String> {
    tree.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
allometer v0.1.0 (/somewhere/crates/allometer)
backtrace v0.3.77
cc v1.2.0 (*)
some-malloc v1.0.0

mimalloc v0.1.52
";

    fn closure(forbidden: Forbidden) -> Closure {
        Closure { of: "allometer".into(), packages: names(TREE), forbidden }
    }

    #[test]
    fn a_tree_gives_its_names() {
        let expected = ["allometer", "backtrace", "cc", "mimalloc", "some-malloc"];
        assert!(names(TREE).iter().eq(expected), "{:?}", names(TREE));
    }

    #[test]
    fn allocators_are_found_by_name_and_by_what_they_link() {
        let links = BTreeMap::from([("some-malloc", "jemalloc"), ("cc", "z")]);
        let faults = closure(ALLOCATORS).faults(&links);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].ends_with("mimalloc") && faults[1].ends_with("some-malloc"), "{faults:?}");
    }

    #[test]
    fn the_profiler_is_found() {
        assert_eq!(closure(PROFILER).faults(&BTreeMap::new()).len(), 2);
    }
}
