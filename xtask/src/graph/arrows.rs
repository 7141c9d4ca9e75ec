//! The arrows as the architecture page states them, and as the manifests declare them.

use std::{collections::BTreeSet, fmt};

use super::package::Package;
use crate::error::Error;

/// The info string of the fenced block that states the arrows.
const FENCE: &str = "```arrows";
/// The crate that all providers, and no other crate but the recorder, build upon.
const PROVIDER_API: &str = "allometer-provider";

/// "Depends on", between two published crates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrow {
    from: String,
    to: String,
    /// Only behind a feature: `..>` in place of `->`.
    optional: bool,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shaft = if self.optional { "..>" } else { "->" };
        write!(f, "{} {shaft} {}", self.from, self.to)
    }
}

/// Reads the arrows from the page's fenced block: lines of `from -> to, to` and `from ..> to, to`.
pub(super) fn stated(page: &str) -> Result<BTreeSet<Arrow>, Error> {
    let block = page.lines().skip_while(|line| line.trim() != FENCE).skip(1);
    let lines: Vec<&str> = block.take_while(|line| line.trim() != "```").collect();
    if lines.is_empty() {
        return Err(Error::Graph(vec![format!("the page states no arrows: it has no {FENCE} block")]));
    }
    let mut arrows = BTreeSet::new();
    for line in lines.into_iter().filter(|line| !line.trim().is_empty()) {
        let unreadable = || Error::Graph(vec![format!("this states no arrow: {line:?}")]);
        let (from, to, optional) = match (line.split_once("->"), line.split_once("..>")) {
            (Some((from, to)), None) => (from, to, false),
            (None, Some((from, to))) => (from, to, true),
            _ => return Err(unreadable()),
        };
        for to in to.split(',') {
            let (from, to) = (from.trim().to_owned(), to.trim().to_owned());
            if from.is_empty() || to.is_empty() || to.contains(' ') {
                return Err(unreadable());
            }
            arrows.insert(Arrow { from, to, optional });
        }
    }
    Ok(arrows)
}

/// The arrows that the manifests of `published` declare: dependencies of one on another that are there
/// whenever it is built for use (not those of its tests).
pub(super) fn declared(published: &[&Package]) -> BTreeSet<Arrow> {
    let names: BTreeSet<&str> = published.iter().map(|package| package.name.as_str()).collect();
    let mut arrows = BTreeSet::new();
    for package in published {
        for dependency in package.used_dependencies().filter(|it| names.contains(it.name.as_str())) {
            arrows.insert(Arrow {
                from: package.name.clone(),
                to: dependency.name.clone(),
                optional: dependency.optional,
            });
        }
    }
    arrows
}

/// What differs between the page and the manifests, in both directions.
pub(super) fn faults(stated: &BTreeSet<Arrow>, declared: &BTreeSet<Arrow>) -> Vec<String> {
    let extra = declared.difference(stated).map(|arrow| format!("{arrow}: declared, but not on the page"));
    let absent = stated.difference(declared).map(|arrow| format!("{arrow}: on the page, but not declared"));
    extra.chain(absent).collect()
}

/// Whether the crate called `name` is a provider: it builds upon the provider trait, and upon no other
/// crate of ours unless a feature asks for it.
pub(super) fn is_provider(name: &str, stated: &BTreeSet<Arrow>) -> bool {
    let mut always = stated.iter().filter(|arrow| arrow.from == name && !arrow.optional).peekable();
    always.peek().is_some() && always.all(|arrow| arrow.to == PROVIDER_API)
}

/// The crates of ours that the crate called `name` takes only behind a feature.
pub(super) fn behind_features<'a>(name: &str, stated: &'a BTreeSet<Arrow>) -> Vec<&'a str> {
    stated
        .iter()
        .filter(|arrow| arrow.from == name && arrow.optional)
        .map(|arrow| arrow.to.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Parts

```arrows
allometer-core  -> allometer-provider, allometer-profile
allometer-small -> allometer-provider

allometer-small ..> allometer-profile
```

```text
not -> this
```
";

    fn arrow(from: &str, to: &str, optional: bool) -> Arrow {
        Arrow { from: from.into(), to: to.into(), optional }
    }

    #[test]
    fn the_block_is_read_and_nothing_else() {
        let expected = BTreeSet::from([
            arrow("allometer-core", "allometer-profile", false),
            arrow("allometer-core", "allometer-provider", false),
            arrow("allometer-small", "allometer-profile", true),
            arrow("allometer-small", "allometer-provider", false),
        ]);
        assert_eq!(stated(PAGE).unwrap(), expected);
    }

    #[test]
    fn a_page_without_the_block_is_refused() {
        assert!(stated("```text\na -> b\n```\n").is_err());
    }

    #[test]
    fn lines_that_are_no_arrow_are_refused() {
        for line in ["a b", "a ->", "-> b", "a -> b c", "a -> b,", "a -> b ..> c"] {
            let error = stated(&format!("```arrows\n{line}\n```")).expect_err(line).to_string();
            assert!(error.contains(line), "{error}");
        }
    }

    #[test]
    fn both_directions_of_a_difference_are_faults() {
        let page = BTreeSet::from([arrow("a", "b", false), arrow("a", "c", false)]);
        let manifests = BTreeSet::from([arrow("a", "b", true), arrow("a", "c", false)]);
        let faults = faults(&page, &manifests);
        assert_eq!(faults.len(), 2);
        assert!(faults[0].starts_with("a ..> b: declared"), "{faults:?}");
        assert!(faults[1].starts_with("a -> b: on the page"), "{faults:?}");
    }

    #[test]
    fn a_provider_builds_upon_the_trait_alone() {
        let arrows = stated(PAGE).unwrap();
        assert!(is_provider("allometer-small", &arrows));
        assert!(!is_provider("allometer-core", &arrows));
        assert!(!is_provider("allometer-profile", &arrows));
        assert_eq!(behind_features("allometer-small", &arrows), ["allometer-profile"]);
        assert!(behind_features("allometer-core", &arrows).is_empty());
    }
}
