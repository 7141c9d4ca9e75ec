//! Totals, by the programs that people have for the same files.

use std::{path::Path, time::Duration};

use serde_json::Value;

use crate::{
    error::Error,
    process,
    targets::{
        line::Figure,
        views::{profiles, program::Program},
    },
    tool::{Source, Tool},
    workspace::Workspace,
};

/// jemalloc's own reader of what it dumps, which `go tool pprof` does not read.
pub(super) const JEPROF: Tool =
    Tool { program: "jeprof", package: "libjemalloc-dev", source: Source::Debian };

const DEADLINE: Duration = Duration::from_secs(2 * 60);

/// A kind of figure: its name in pprof files, the option of jeprof that shows it, and where our answer has it.
const KINDS: [(&str, &str, &str); 4] = [
    ("alloc_objects", "--alloc_objects", "/total/allocated/objects/value"),
    ("alloc_space", "--alloc_space", "/total/allocated/bytes/value"),
    ("inuse_objects", "--inuse_objects", "/total/live/objects/value"),
    ("inuse_space", "--inuse_space", "/total/live/bytes/value"),
];

/// A total, and how far it may be from what was rounded or cut to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Total {
    pub(super) value: f64,
    pub(super) within: f64,
}

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let program = Program::build(workspace)?;
    let mut said = Vec::new();
    let mut faults = Vec::new();
    for (name, reader) in [("go.pb.gz", GO), ("gperftools.heap", GO), ("jemalloc.heap", JE)] {
        let file = profiles::other(workspace, name);
        let info = program.json(&["info"], &[&file])?;
        let samples = info["samples"].as_f64().unwrap_or(0.0);
        for (kind, option, pointer) in KINDS {
            let Some(ours) = info.pointer(pointer).and_then(Value::as_f64) else {
                faults.push(format!("{name}: info has no {pointer}"));
                continue;
            };
            let text = (reader.print)(workspace, &file, kind, option)?;
            match (reader.total)(&text) {
                // Each sample is cut to a whole number before they are added up.
                Some(total) if (total.value - ours).abs() <= total.within + samples => {
                    said.push(format!("{name} {kind} {ours:.0} is {:.0}", total.value));
                }
                Some(total) => {
                    faults.push(format!("{name} {kind} is {ours:.0}, and {} says {total:?}", reader.name))
                }
                None => faults.push(format!("{name} {kind}: {} says no total", reader.name)),
            }
        }
    }
    let told = if faults.is_empty() { said.join(", ") } else { faults.join(", ") };
    Ok(Figure::of(faults.is_empty(), told))
}

/// Another program that reads heap profiles.
pub(super) struct Reader {
    name: &'static str,
    /// What it says of a file's figure of this name in pprof files, for which jeprof has this option.
    pub(super) print: fn(&Workspace, &Path, &str, &str) -> Result<String, Error>,
    total: fn(&str) -> Option<Total>,
}

pub(super) const GO: Reader = Reader {
    name: "go tool pprof",
    print: |workspace, file, kind, _| {
        let index = format!("-sample_index={kind}");
        process::read(workspace.command("go").args(["tool", "pprof", "-top", &index]).arg(file), DEADLINE)
    },
    total: |text| {
        let end = text.lines().find(|line| line.starts_with("Showing nodes"))?.strip_suffix(" total")?;
        total(end.rsplit(' ').next()?)
    },
};

const JE: Reader = Reader {
    name: "jeprof",
    print: |workspace, file, _, option| {
        // It asks for the program, to look up names there, and has its totals without them.
        let mut command = workspace.command(JEPROF.program);
        process::read(command.args(["--text", "--show_bytes", option, "/bin/true"]).arg(file), DEADLINE)
    },
    total: |text| {
        let total: f64 =
            text.lines().find_map(|line| line.strip_prefix("Total: "))?.split(' ').next()?.parse().ok()?;
        Some(Total { value: total, within: 1.0 })
    },
};

/// A figure of `go tool pprof`, such as `36.55MB`: units are powers of 1024, and what is behind the last decimal is rounded.
pub(super) fn total(text: &str) -> Option<Total> {
    let start = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(start);
    let unit = match unit {
        "" | "B" => 1.0,
        "kB" => 1024.0,
        "MB" => 1024.0 * 1024.0,
        "GB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let value: f64 = number.parse().ok()?;
    Some(Total { value: value * unit, within: 0.5 * unit * 0.1f64.powi(decimals as i32) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_with_what_they_are_rounded_to() {
        let text = "Type: inuse_space\nShowing nodes accounting for 14.38MB, 100% of 14.38MB total\n  flat\n";
        let Total { value, within } = (GO.total)(text).unwrap();
        assert!((value - 14.38 * 1_048_576.0).abs() < 1e-6 && (within - 5242.88).abs() < 1e-6);
        assert_eq!(
            (GO.total)("Showing nodes accounting for 7, 99% of 401595 total").unwrap().value,
            401_595.0
        );
        assert_eq!((JE.total)("Using local file x.\nTotal: 280438 objects\n").unwrap().value, 280_438.0);
        assert_eq!((GO.total)("no profile"), None);
        assert_eq!(total("3 furlongs"), None);
    }
}
