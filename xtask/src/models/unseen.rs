//! The places whose order no model needs.

use std::collections::BTreeSet;

use crate::{error::Error, workspace::Workspace};

/// The page that lists them.
const DOCUMENT: &str = "docs/models.md";
/// The info string of the fenced block that does.
const FENCE: &str = "```unseen";

/// The names of the places that the page lists: lines of `name: reason`, of which one may go on, indented.
pub(super) fn listed(workspace: &Workspace) -> Result<BTreeSet<String>, Error> {
    read(&workspace.read(DOCUMENT)?)
}

fn read(page: &str) -> Result<BTreeSet<String>, Error> {
    let fault = |text: String| Error::Models(vec![text]);
    let mut lines = page.lines().skip_while(|line| *line != FENCE);
    if lines.next().is_none() {
        return Err(fault(format!("{DOCUMENT} has no {FENCE} block")));
    }
    let of_block = lines.take_while(|line| *line != "```");
    let entries = of_block.filter(|line| !line.is_empty() && !line.starts_with(' '));
    let name = |line: &str| match line.split_once(": ") {
        Some((name, reason)) if !reason.trim().is_empty() => Ok(name.to_owned()),
        _ => Err(fault(format!("{DOCUMENT} gives no reason: {line}"))),
    };
    entries.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_read_and_nothing_else() {
        let page = "a b: c\n```unseen\nseat.rs claim store: because\n  of this: and that\n```\nx y: z\n";
        assert_eq!(read(page).unwrap(), BTreeSet::from(["seat.rs claim store".to_owned()]));
    }

    #[test]
    fn a_place_needs_a_reason() {
        assert!(read("```unseen\nseat.rs claim store\n```\n").is_err());
        assert!(read("no block\n").is_err());
    }
}
