//! What a script found when it looked: a promise, and what became of it.

use std::process::Command;

use serde::Deserialize;

use crate::{
    error::Error,
    targets::{line::Figure, scripts},
};

/// One thing that was looked at.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Looked {
    /// The page or file.
    pub(super) at: String,
    /// What was looked at, in a few words.
    pub(super) what: String,
    /// What was seen, where that is a figure.
    #[serde(default)]
    pub(super) seen: String,
    /// What is wrong with it.
    #[serde(default)]
    pub(super) fault: Option<String>,
}

/// Lets a script look, and sums up what it found: at least at so many things.
pub(super) fn figure(command: &mut Command, least: usize) -> Result<Figure, Error> {
    Ok(summed(&scripts::answers::<Vec<Looked>>(command)?, least))
}

fn summed(all: &[Looked], least: usize) -> Figure {
    let faults: Vec<String> = all
        .iter()
        .filter_map(|looked| Some(format!("{}, {}: {}", looked.at, looked.what, looked.fault.as_ref()?)))
        .collect();
    if !faults.is_empty() {
        return Figure::of(false, format!("{} of {} checks: {}", faults.len(), all.len(), faults.join("; ")));
    }
    let seen: Vec<String> = all
        .iter()
        .filter(|looked| !looked.seen.is_empty())
        .map(|looked| format!("{} {}: {}", looked.at, looked.what, looked.seen))
        .collect();
    let measured = [format!("{} checks", all.len()), seen.join("; ")].join("; ");
    Figure::of(all.len() >= least, measured.trim_end_matches("; ").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::row::Verdict;

    fn looked(what: &str, fault: Option<&str>) -> Looked {
        let (at, fault) = ("page".to_owned(), fault.map(str::to_owned));
        Looked { at, what: what.to_owned(), seen: "3 cells".to_owned(), fault }
    }

    #[test]
    fn each_fault_is_told_and_too_few_checks_are_short() {
        let all = [looked("search", None), looked("zoom", Some("it is narrow"))];
        let bad = summed(&all, 1);
        assert_eq!(
            (bad.verdict, &*bad.measured),
            (Verdict::Short, "1 of 2 checks: page, zoom: it is narrow")
        );
        let good = summed(&all[..1], 1);
        assert_eq!((good.verdict, &*good.measured), (Verdict::Ok, "1 checks; page search: 3 cells"));
        assert_eq!(summed(&all[..1], 2).verdict, Verdict::Short);
        assert_eq!(summed(&[], 1).verdict, Verdict::Short);
    }
}
