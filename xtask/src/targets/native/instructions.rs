//! Counting a program's instructions.

use std::{fs, process::Command, time::Duration};

use crate::{
    error::Error,
    process,
    targets::callgrind::{self, Counts},
    workspace::Workspace,
};

/// How long a run may take under callgrind.
const RUN: Duration = Duration::from_secs(10 * 60);

/// Those of one of `n` steps, by the difference of `2n` and `n` of them: the program takes their number behind the first word.
pub(super) fn per_step(
    workspace: &Workspace,
    program: &Command,
    words: &[&str],
    n: u64,
) -> Result<f64, Error> {
    let out = workspace.target().join("native.callgrind.out");
    let count = |steps: u64| -> Result<f64, Error> {
        let mut command = callgrind::command(&out);
        let (first, rest) = words.split_first().unwrap_or((&"", &[]));
        command.arg(program.get_program()).arg(first).arg(steps.to_string()).args(rest);
        process::read(&mut command, RUN)?;
        let text = fs::read_to_string(&out).map_err(|source| Error::Read { path: out.clone(), source })?;
        let counts = Counts::read(&text);
        let counts =
            counts.ok_or_else(|| Error::NotUnderstood { path: out.clone(), what: "callgrind's output" })?;
        Ok(counts.total() as f64)
    };
    Ok((count(2 * n)? - count(n)?) / n as f64)
}
