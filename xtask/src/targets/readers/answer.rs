//! What a reader shows of a profile, as the script that looks says.

use allometer_profile::SampleType;
use serde::Deserialize;

use crate::targets::readers::{expected::Expected, shown::Shown};

/// What a profile asks to be shown first.
pub(super) const DEFAULT: SampleType = SampleType::LiveBytes;

/// What a reader shows of a profile on one of its pages.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    pub(super) profile: String,
    pub(super) page: String,
    /// The figure that it shows first, where it says so.
    pub(super) kind: Option<String>,
    pub(super) total: Option<String>,
    pub(super) rows: Vec<Row>,
    pub(super) text: String,
    /// What went wrong, the page's own complaints included.
    pub(super) faults: Vec<String>,
}

/// A function.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Row {
    pub(super) name: String,
    /// What it allocated itself, where that is shown.
    pub(super) own: Option<String>,
}

/// How much a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All functions, with their own figures.
    Table,
    /// Some of the functions.
    Some,
    /// Some of them, their names cut.
    Cut,
}

impl Answer {
    /// What is wrong with it, if anything is.
    pub(super) fn fault(&self, expected: &Expected<'_>, extent: Extent) -> Option<String> {
        if let Some(fault) = self.faults.first() {
            return Some(fault.clone());
        }
        let kind = expected.kind.name();
        if let Some(other) = self.kind.as_ref().filter(|shown| *shown != kind) {
            return Some(format!("it shows {other}, not {kind}"));
        }
        self.wrong_total(expected).or_else(|| self.wrong_name(expected, extent)).or_else(|| match extent {
            Extent::Table => self.wrong_figure(expected),
            Extent::Some | Extent::Cut => None,
        })
    }

    /// Its total, where none is shown that of the functions' own figures.
    pub(super) fn total(&self) -> Option<Shown> {
        match &self.total {
            Some(total) => Shown::read(total),
            None => self
                .rows
                .iter()
                .map(|row| Shown::read(row.own.as_deref()?))
                .collect::<Option<Vec<_>>>()
                .map(Shown::sum),
        }
    }

    fn wrong_total(&self, expected: &Expected<'_>) -> Option<String> {
        match self.total() {
            Some(total) if total.is(expected.total) => None,
            Some(total) => Some(format!("the total is {}, not {}", total.value, expected.total)),
            None => Some("it shows no total".to_owned()),
        }
    }

    fn wrong_name(&self, expected: &Expected<'_>, extent: Extent) -> Option<String> {
        let is_known = |name: &str| match extent {
            Extent::Cut => expected.all.iter().any(|all| all.starts_with(name)),
            Extent::Table | Extent::Some => expected.all.contains(name),
        };
        if let Some(row) = self.rows.iter().find(|row| !is_known(&row.name)) {
            return Some(format!("`{}` is not in the profile", row.name));
        }
        if self.rows.is_empty() && !expected.own.is_empty() {
            return Some("it shows no function".to_owned());
        }
        let is_shown = |name: &&&str| self.rows.iter().any(|row| row.name == **name);
        let missing = expected.own.keys().find(|name| !is_shown(name)).filter(|_| extent == Extent::Table);
        missing.map(|name| format!("`{name}` is not shown"))
    }

    /// Checks each function's own figure.
    fn wrong_figure(&self, expected: &Expected<'_>) -> Option<String> {
        for (name, own) in &expected.own {
            let rows = self.rows.iter().filter(|row| row.name == *name);
            let shown: Option<Vec<Shown>> = rows.map(|row| Shown::read(row.own.as_deref()?)).collect();
            let Some(shown) = shown.map(Shown::sum) else { return Some(format!("`{name}` has no figure")) };
            if !shown.is(*own) {
                return Some(format!("`{name}` has {}, not {own}", shown.value));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    fn expected() -> Expected<'static> {
        let own = HashMap::from([("alloc::alloc", 2048.0), ("main", 0.0)]);
        Expected { kind: DEFAULT, total: 2048.0, own, all: HashSet::from(["alloc::alloc", "main", "freed"]) }
    }

    fn row(name: &str, own: &str) -> Row {
        Row { name: name.to_owned(), own: Some(own.to_owned()) }
    }

    fn right() -> Answer {
        let rows = vec![row("alloc::alloc", "2.00 KB"), row("main", "0 B"), row("freed", "0 B")];
        Answer { kind: Some("inuse_space".to_owned()), rows, ..Answer::default() }
    }

    fn fault(change: impl FnOnce(&mut Answer)) -> String {
        let mut answer = right();
        change(&mut answer);
        answer.fault(&expected(), Extent::Table).unwrap()
    }

    #[test]
    fn what_is_right_has_no_fault() {
        assert_eq!(right().fault(&expected(), Extent::Table), None);
    }

    #[test]
    fn each_fault_is_found() {
        assert!(fault(|it| it.faults.push("it broke".to_owned())).contains("it broke"));
        assert!(fault(|it| it.kind = Some("alloc_space".to_owned())).contains("alloc_space"));
        assert!(fault(|it| it.total = Some("-1".to_owned())).contains("the total is -1"));
        assert!(fault(|it| it.total = Some("much".to_owned())).contains("no total"));
        assert!(fault(|it| it.rows[1].name = "mian".to_owned()).contains("`mian` is not in the profile"));
        assert!(fault(|it| drop(it.rows.remove(1))).contains("`main` is not shown"));
        let swapped = |it: &mut Answer| {
            (it.rows[0].own, it.rows[1].own) = (it.rows[1].own.take(), it.rows[0].own.take())
        };
        assert!(fault(swapped).contains("not"));
        let nothing = Answer { total: Some("2kB".to_owned()), ..Answer::default() };
        assert!(nothing.fault(&expected(), Extent::Some).unwrap().contains("no function"));
    }

    #[test]
    fn a_page_of_some_functions_need_not_have_all_and_names_may_be_cut() {
        let some =
            Answer { total: Some("2kB".to_owned()), rows: vec![row("alloc::al", "")], ..Answer::default() };
        assert_eq!(some.fault(&expected(), Extent::Cut), None);
        assert!(some.fault(&expected(), Extent::Some).is_some());
    }
}
