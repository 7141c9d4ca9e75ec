//! Two frozen programs, compared by CPU time in blocks of four runs: old, new, new, old.

mod block;
mod case;
mod folder;
mod run;
mod summary;

use std::{path::Path, process::Command, time::Duration};

use crate::{
    abba::{
        block::Block,
        case::{CASES, Case},
        folder::{Folder, Frozen},
        run::Run,
        summary::Summary,
    },
    error::Error,
    process,
    workspace::Workspace,
};

/// Blocks of a case that are used, and blocks that are tried before it is given up.
const WANTED: usize = 7;
const TRIED: usize = 3 * WANTED;
/// How long one run may take.
const RUN: Duration = Duration::from_secs(120);

/// Compares two programs of the benches: `OLD NEW [--case NAME ..]`, all cases unless told otherwise.
///
/// # Errors
///
/// Programs that cannot be run, that were compiled in different ways, or that do not print what they should.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let [old, new, options @ ..] = arguments else {
        return Err(Error::Usage("abba wants two programs: OLD and NEW".into()));
    };
    let cases = cases(options)?;
    let folder = Folder::new(&workspace.target().join("abba"))?;
    let old = folder.freeze(Path::new(old), "old")?;
    let new = folder.freeze(Path::new(new), "new")?;
    check_builds(&folder, &old, &new)?;
    println!("old {}\nnew {}\nin {}", old.sha256, new.sha256, folder.path().display());
    let mut said = String::new();
    for case in cases {
        let control = compare(&folder, case, "control", &old, &old)?;
        let compared = compare(&folder, case, "compared", &old, &new)?;
        let verdict = match compared.is_within(&control) {
            Some(true) => "no difference beyond the control",
            Some(false) => "a difference",
            None => "undecided",
        };
        let lines = format!(
            "{}: new / old {compared}: {verdict}\n{:width$}  old / old {control}\n",
            case.name,
            "",
            width = case.name.len()
        );
        print!("{lines}");
        said.push_str(&lines);
    }
    folder.keep("summary.txt", &said)
}

fn cases(options: &[String]) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let name = words.next().filter(|_| word == "--case");
        let case = name.and_then(|name| Case::named(name));
        cases.push(case.ok_or_else(|| {
            let known: Vec<&str> = CASES.iter().map(|case| case.name).collect();
            Error::Usage(format!("abba takes --case NAME, of {}", known.join(", ")))
        })?);
    }
    Ok(if cases.is_empty() { CASES.to_vec() } else { cases })
}

/// Programs that were compiled in different ways say nothing about their sources.
fn check_builds(folder: &Folder, old: &Frozen, new: &Frozen) -> Result<(), Error> {
    let build = |program: &Frozen, name: &str| {
        let build = process::read(Command::new(&program.path).args(["build", "0"]), RUN)?;
        folder.keep(&format!("{name}.build.txt"), &build)?;
        Ok::<String, Error>(build)
    };
    let (old, new) = (build(old, "old")?, build(new, "new")?);
    if old == new {
        return Ok(());
    }
    let only_in = |one: &str, other: &str| {
        let is_elsewhere = |line: &&str| other.lines().any(|other| other == *line);
        one.lines().filter(|line| !is_elsewhere(line)).collect::<Vec<_>>().join(", ")
    };
    Err(Error::OtherBuild { old: only_in(&old, &new), new: only_in(&new, &old) })
}

/// Blocks of one case, until enough can be used. All runs are kept, with what became of their block.
fn compare(folder: &Folder, case: Case, name: &str, old: &Frozen, new: &Frozen) -> Result<Summary, Error> {
    let mut ratios = Vec::new();
    for number in 1..=TRIED {
        let place = format!("{}/{name}/block-{number:02}", case.name);
        let mut runs = Vec::new();
        for (position, program) in (1..).zip([old, new, new, old]) {
            let text = process::read(Command::new(&program.path).args(case.words), RUN)?;
            let file = format!("{place}/run-{position}.txt");
            folder.keep(&file, &text)?;
            runs.push(Run::read(&text, &file)?);
        }
        let Ok(runs) = <[Run; 4]>::try_from(runs) else { continue };
        let verdict = match Block(runs).ratio() {
            Ok(ratio) => {
                ratios.push(ratio);
                format!("used: {ratio:.4}\n")
            }
            Err(rejected) => format!("rejected: {rejected}\n"),
        };
        folder.keep(&format!("{place}/verdict.txt"), &verdict)?;
        if ratios.len() == WANTED {
            break;
        }
    }
    Ok(Summary::new(ratios))
}
