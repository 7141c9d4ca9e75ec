//! What kills profiled programs: tried over every provider, and on the structures by themselves.

use std::time::Duration;

use crate::{
    error::Error,
    fuzz, models, process, sanitizers,
    targets::{
        consumers::{Asked, SURVIVAL},
        row::{Row, Verdict},
        table::Table,
    },
    workspace::Workspace,
};

/// A line that is about no provider.
struct Line {
    number: &'static str,
    target: &'static str,
    measure: fn(&Workspace, &Asked) -> Result<String, Error>,
}

const LINES: [Line; 3] = [
    Line {
        number: "S10",
        target: "lock-free structures: model-checked, with planted ordering mistakes that the check catches",
        // The mistakes take some minutes.
        measure: |workspace, asked| match asked.full {
            true => models::check(workspace, true),
            false => models::quick(workspace),
        },
    },
    Line {
        number: "S11",
        target: "tables against a HashMap, 10 000 × 1 000 operations; ASan, LSan, TSan, memcheck: 0 reports, each with \
                 a positive control",
        measure: tables_and_sanitizers,
    },
    Line {
        number: "S12",
        target: "fuzzing of every parser, 60 s each, corpora kept: 0 crashes, ≤ 512 MiB",
        measure: |workspace, _| Ok(fuzz::check(workspace)?.join("; ")),
    },
];
/// The numbers of these lines.
pub(crate) const OF_STRUCTURES: &[&str] = &["S10", "S11", "S12"];

/// In the place of a provider.
const NO_PROVIDER: &str = "by itself";

/// How long compiling may take, on a slow machine, for the first time, and how long the runs.
const BUILD: Duration = Duration::from_secs(20 * 60);
const RUNS: Duration = Duration::from_secs(20 * 60);

/// Measures the group: the quick form and all lines unless told otherwise.
pub(super) fn table(workspace: &Workspace, asked: &Asked) -> Result<Table, Error> {
    let mut table = Table::default();
    let is_of_provider = |number: &String| LINES.iter().all(|line| line.number != number);
    if asked.lines.is_empty() || asked.lines.iter().any(is_of_provider) {
        let lines = asked.lines.iter().filter(|number| is_of_provider(number)).cloned().collect();
        SURVIVAL.add_to(&mut table, workspace, &Asked { lines, ..asked.clone() })?;
    }
    let is_asked = |line: &&Line| asked.over.is_empty() && asked.wants(line.number);
    let rows = LINES.iter().filter(is_asked).map(|line| line.row(workspace, asked));
    table.add_beside(NO_PROVIDER, &rows.collect::<Vec<Row>>());
    Ok(table)
}

impl Line {
    fn row(&self, workspace: &Workspace, asked: &Asked) -> Row {
        let (met, measured) = match (self.measure)(workspace, asked) {
            Ok(measured) => (true, measured),
            Err(error) => (false, error.to_string()),
        };
        let (number, target) = (self.number.to_owned(), self.target.to_owned());
        Row { number, target, verdict: Verdict::of(met), measured, same: String::new() }
    }
}

/// Long runs of the tables against a map, and the scenes of the sanitizers.
fn tables_and_sanitizers(workspace: &Workspace, asked: &Asked) -> Result<String, Error> {
    // A few runs take less time than compiling for speed, and with everybody's features it is what the other tests have.
    let (runs, profile, packages) = match asked.full {
        true => ("10000", "release", "--package=allometer-core"),
        false => ("500", "dev", "--workspace"),
    };
    let test = || {
        let mut command = workspace.cargo(&["test", "--quiet", "--locked", packages, "--all-features"]);
        command
            .args(["--profile", profile, "--lib", "agrees_with_a_map_in_long_runs"])
            .env("ALLOMETER_RUNS", runs);
        command
    };
    process::run(test().arg("--no-run"), BUILD)?;
    process::run(&mut test(), RUNS)?;
    let scenes = sanitizers::check(workspace)?;
    Ok(format!(
        "{runs} runs of each table, {} scenes without a report, all planted faults seen",
        scenes.len()
    ))
}
