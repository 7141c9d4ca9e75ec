//! What mimalloc's hooks do by themselves.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    error::Error,
    process,
    targets::{line::Figure, native::mimalloc::Way},
    workspace::Workspace,
};

/// How long a fact may take to find out.
const RUN: Duration = Duration::from_secs(120);
/// As the program has them.
const FACTS: [&str; 10] =
    ["share", "turns", "running", "short", "sizes", "large", "in_place", "stopped", "twice", "longer"];

/// The table of docs/native.md, for C code as it comes and for that which looks at each request.
pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let coarse = Facts::find(workspace, Way::AsItComes)?;
    let fine = Facts::find(workspace, Way::EachRequest)?;
    let of_both = coarse.is_as_written() && fine.is_as_written();
    // As it comes it does not look at the one plain request.
    let is_fine = fine.get("sizes plain") == 64.0
        && fine.is_near("share calls", 1024.0)
        && (fine.share_of_first() - 0.5).abs() < 0.01;
    Ok(Figure::of(
        of_both && is_fine,
        format!("as it comes: {}; each request: {}", coarse.told(), fine.told()),
    ))
}

/// Numbers by their names.
struct Facts(BTreeMap<String, f64>);

impl Facts {
    fn find(workspace: &Workspace, way: Way) -> Result<Self, Error> {
        let mut facts = BTreeMap::new();
        for fact in FACTS {
            let said = process::read(way.program(workspace, "hooks")?.arg(fact), RUN)?;
            for line in said.lines() {
                let number =
                    line.split_once(' ').and_then(|(name, number)| Some((name, number.parse().ok()?)));
                let (name, number) = number.ok_or_else(|| {
                    Error::reader(
                        "the program `hooks`",
                        format!("it says {line:?}: expected a name and a number"),
                    )
                })?;
                facts.insert(format!("{fact} {name}"), number);
            }
        }
        Ok(Self(facts))
    }

    fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(f64::NAN)
    }

    /// Within a hundredth.
    fn is_near(&self, name: &str, number: f64) -> bool {
        (self.get(name) / number - 1.0).abs() < 0.01
    }

    fn share_of_first(&self) -> f64 {
        let [first, second] = ["turns first", "turns second"].map(|name| self.get(name));
        first / (first + second)
    }

    /// What holds for both.
    fn is_as_written(&self) -> bool {
        let expected = [
            ("short calls", 0.0),
            ("sizes aligned_to_8", 71.0),
            ("sizes aligned_to_64", 127.0),
            ("large of_a_gib", 1.0),
            ("large aligned_to_a_mib", 0.0),
            ("in_place calls", 0.0),
            ("stopped frees", 0.0),
            ("twice calls", 1000.0),
            ("twice frees", 1000.0),
        ];
        (900.0..=1100.0).contains(&self.get("running unseen"))
            && self.get("longer kib") < 100.0
            && expected.iter().all(|(name, number)| self.get(name) == *number)
    }

    fn told(&self) -> String {
        let shown = self.0.iter().map(|(name, number)| format!("{name} {number}"));
        shown.collect::<Vec<_>>().join(", ")
    }
}
