//! The largest sites alone, and all others as one row: how many they are, and how much they hold, in each form that a
//! profile is written in.

use std::path::Path;

use serde_json::Value;

use crate::{
    error::Error,
    targets::{
        line::Figure,
        views::{
            profiles,
            program::Program,
            totals::{self, GO},
            wide,
        },
    },
    workspace::Workspace,
};

/// How many are kept.
const KEPT: u32 = 100;

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let program = Program::build(workspace)?;
    let directory = profiles::directory(workspace, "largest")?;
    let [_, all] = profiles::wide(&directory)?;
    let cut = directory.join("cut.pb.gz");
    let kept = KEPT.to_string();
    program.write(&["convert", "--largest", &kept], &[&all], &cut)?;

    // What is made up is known: the larger a site's number, the less it holds.
    let others = wide::SITES - KEPT;
    let name = format!("[{others} smaller sites]");
    let held: f64 = (KEPT..wide::SITES).map(wide::live_bytes).sum();
    let document = document(&program, &directory, "cut", &cut)?;
    let whole = self::document(&program, &directory, "all", &all)?;
    let [sites, all_sites] = [&document, &whole].map(|it| it["sites"].as_array().map_or(0, Vec::len));
    let rest = last_site(&document);
    let top = program.text(&["top", "-n", "9", "--largest", &kept], &[&all])?;
    let go = (GO.print)(workspace, &cut, "inuse_space", "")?;

    let mut faults = Vec::new();
    let mut must = |is_so: bool, fault: String| {
        if !is_so {
            faults.push(fault);
        }
    };
    must(all_sites == wide::SITES as usize, format!("there were {all_sites} sites"));
    must(sites == KEPT as usize + 1, format!("{sites} sites are written"));
    must(rest == Some((name.clone(), held)), format!("the last one is {rest:?}, not {name} with {held}"));
    must(document["total"] == whole["total"], "totals are others".to_owned());
    must(first_sites(&document) == first_sites(&whole), "the first ones are others".to_owned());
    must(
        row(&top, &name).is_some_and(|row| row.starts_with(&in_gib(held))),
        format!("top says {:?}", row(&top, &name)),
    );
    let of_go = row(&go, &name).and_then(|row| totals::total(row.split_whitespace().next()?));
    let is_right = of_go.is_some_and(|total| (total.value - held).abs() <= total.within);
    must(is_right, format!("go tool pprof says {of_go:?} of {name}, not {held}"));
    let measured = format!("{sites} of {all_sites} sites, the last one {name} with {}", in_gib(held));
    Ok(Figure::of(faults.is_empty(), if faults.is_empty() { measured } else { faults.join("; ") }))
}

/// The profile as JSON.
fn document(program: &Program, directory: &Path, name: &str, profile: &Path) -> Result<Value, Error> {
    let to = directory.join(format!("{name}.json"));
    program.write(&["convert"], &[profile], &to)?;
    let text = std::fs::read_to_string(&to).map_err(|source| Error::Read { path: to, source })?;
    serde_json::from_str(&text)
        .map_err(|source| Error::Json { command: "allometer convert".to_owned(), source })
}

/// The function of the last site, and what that holds.
fn last_site(document: &Value) -> Option<(String, f64)> {
    let site = document["sites"].as_array()?.last()?;
    let frame = site["stack"].get(0)?.as_u64()?;
    let function = document["frames"][frame as usize]["function"].as_str()?;
    Some((function.to_owned(), site["live"]["bytes"].as_f64()?))
}

/// What those that are kept hold and allocated.
fn first_sites(document: &Value) -> Vec<[&Value; 2]> {
    let sites = document["sites"].as_array().map(Vec::as_slice).unwrap_or_default();
    sites.iter().take(KEPT as usize).map(|site| [&site["live"], &site["allocated"]]).collect()
}

/// The row of a table that is about this function.
fn row<'text>(table: &'text str, function: &str) -> Option<&'text str> {
    table.lines().map(str::trim).find(|line| line.ends_with(function))
}

fn in_gib(bytes: f64) -> String {
    format!("{:.1} GiB", bytes / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_site_is_read_by_its_first_frame() {
        let frames = json!([{ "function": "main" }, { "function": "[2 smaller sites]" }]);
        let site = |frame: u64, bytes: f64| json!({ "stack": [frame], "live": { "bytes": bytes } });
        let document = json!({ "frames": frames, "sites": [site(0, 7.0), site(1, 3.0)] });
        assert_eq!(last_site(&document), Some(("[2 smaller sites]".to_owned(), 3.0)));
        assert_eq!(last_site(&json!({ "sites": [] })), None);
        assert_eq!(
            row("a  main\n  3 B  [2 smaller sites]", "[2 smaller sites]"),
            Some("3 B  [2 smaller sites]")
        );
        assert_eq!(in_gib(1.5 * 1024.0 * 1024.0 * 1024.0), "1.5 GiB");
    }
}
