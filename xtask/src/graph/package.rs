//! Packages as their manifests declare them, from `cargo metadata`.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde::Deserialize;

use crate::{error::Error, process, workspace::Workspace};

/// `cargo metadata` may have to download first.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// One package of a workspace's graph, its features switched on or not.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    version: String,
    /// Where it comes from; `None` for a package of this repository.
    source: Option<String>,
    /// The registries that it may be published to; `None` for any.
    publish: Option<Vec<String>>,
    /// The native library that it links.
    links: Option<String>,
    dependencies: Vec<Dependency>,
    features: BTreeMap<String, Vec<String>>,
}

/// One line of a manifest's dependencies.
#[derive(Debug, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    req: String,
    /// `None` for an ordinary one, else `dev` or `build`.
    kind: Option<String>,
    pub(super) optional: bool,
}

/// All packages in the graph of the workspace at `member` (below the root).
pub(super) fn read(workspace: &Workspace, member: &str) -> Result<Vec<Package>, Error> {
    let mut command = workspace.cargo_beside(member, &["metadata", "--locked", "--format-version=1"]);
    let answer = process::read(&mut command, DEADLINE)?;
    let metadata: Metadata = serde_json::from_str(&answer)
        .map_err(|source| Error::Json { command: format!("cargo metadata in {member}"), source })?;
    Ok(metadata.packages)
}

/// Those of this repository that are published, each once.
pub(super) fn published<'a>(packages: impl Iterator<Item = &'a Package>) -> Vec<&'a Package> {
    let mut seen = BTreeSet::new();
    packages.filter(|it| it.source.is_none() && it.publish.is_none() && seen.insert(&it.name)).collect()
}

/// Which package links which native library.
pub(super) fn links<'a>(packages: impl Iterator<Item = &'a Package>) -> BTreeMap<&'a str, &'a str> {
    packages.filter_map(|it| Some((it.name.as_str(), it.links.as_deref()?))).collect()
}

impl Package {
    /// What it depends on whenever it is built for use.
    pub(super) fn used_dependencies(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|dependency| dependency.kind.as_deref() != Some("dev"))
    }
}

/// The published crates are released together: one version, and each asks for exactly that of the others.
pub(super) fn pin_faults(published: &[&Package]) -> Vec<String> {
    let versions: BTreeMap<&str, &str> =
        published.iter().map(|package| (package.name.as_str(), package.version.as_str())).collect();
    let mut faults = Vec::new();
    let common = versions.get("allometer").copied().unwrap_or_default();
    for package in published {
        if package.version != common {
            faults.push(format!(
                "{} has version {}, `allometer` has {common:?}",
                package.name, package.version
            ));
        }
        for dependency in package.used_dependencies() {
            let Some(version) = versions.get(dependency.name.as_str()) else { continue };
            if dependency.req != format!("={version}") {
                faults.push(format!(
                    "{} asks for {} \"{}\", not \"={version}\"",
                    package.name, dependency.name, dependency.req
                ));
            }
        }
    }
    faults
}

/// No weak features (`dependency?/feature`): they put a dependency that is off into the lock file, and
/// two packages that link the same library cannot share one.
pub(super) fn feature_faults(published: &[&Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in published {
        for (feature, parts) in &package.features {
            for part in parts.iter().filter(|part| part.contains("?/")) {
                faults.push(format!("{}: feature `{feature}` holds the weak `{part}`", package.name));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(text: &str) -> Package {
        serde_json::from_str(text).unwrap()
    }

    fn facade() -> Package {
        package(
            r#"{ "name": "allometer", "version": "0.1.0",
                 "source": null, "publish": null, "links": null, "features": { "views": ["dep:v"] },
                 "dependencies": [
                    { "name": "allometer-core", "req": "=0.1.0", "kind": null, "optional": false },
                    { "name": "allometer-core", "req": "*", "kind": "dev", "optional": false } ] }"#,
        )
    }

    fn core(version: &str) -> Package {
        package(&format!(
            r#"{{ "name": "allometer-core", "version": "{version}",
                  "source": null, "publish": null, "links": null, "features": {{}}, "dependencies": [] }}"#
        ))
    }

    #[test]
    fn exact_pins_of_one_version_are_right() {
        assert_eq!(pin_faults(&[&facade(), &core("0.1.0")]), Vec::<String>::new());
    }

    #[test]
    fn another_version_is_a_fault_of_both() {
        let faults = pin_faults(&[&facade(), &core("0.1.1")]);
        assert_eq!(faults.len(), 2, "{faults:?}");
    }

    #[test]
    fn a_pin_that_is_not_exact_is_a_fault() {
        let mut facade = facade();
        facade.dependencies[0].req = "^0.1.0".into();
        assert_eq!(pin_faults(&[&facade, &core("0.1.0")]).len(), 1);
    }

    #[test]
    fn a_weak_feature_is_a_fault() {
        let mut facade = facade();
        assert_eq!(feature_faults(&[&facade]), Vec::<String>::new());
        facade.features.insert("native".into(), vec!["x?/native".into()]);
        let faults = feature_faults(&[&facade]);
        assert!(faults.len() == 1 && faults[0].contains("x?/native"), "{faults:?}");
    }

    #[test]
    fn only_this_repository_and_only_once() {
        let (mut foreign, mut private) = (core("1.0.0"), core("1.0.0"));
        foreign.name = "backtrace".into();
        foreign.source = Some("registry".into());
        private.name = "xtask".into();
        private.publish = Some(Vec::new());
        let packages = [facade(), foreign, private, core("0.1.0"), core("0.1.0")];
        let names: Vec<&str> = published(packages.iter()).iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["allometer", "allometer-core"]);
    }
}
