//! Builds of mimalloc, and programs, in which its hooks cannot be used.

use std::time::Duration;

use crate::{
    error::Error,
    process,
    targets::{line::Figure, native::mimalloc::Way},
    workspace::Workspace,
};

const RUN: Duration = Duration::from_secs(60);

/// What the program `start` has to say.
struct Case {
    name: &'static str,
    way: Way,
    environment: &'static [(&'static str, &'static str)],
    /// How its one line begins; none: it starts.
    refused: Option<&'static str>,
}

const CASES: [Case; 4] = [
    Case { name: "each request", way: Way::EachRequest, environment: &[], refused: None },
    Case {
        name: "as it comes",
        way: Way::AsItComes,
        environment: &[],
        refused: Some(
            "mimalloc looks at one request in many: expected that its C code is compiled with -DMI_PROFILE=2",
        ),
    },
    Case {
        name: "without hooks",
        way: Way::WithoutHooks,
        environment: &[],
        refused: Some(
            "mimalloc was built without its hooks: expected rustfs-mimalloc-sys without its feature `no_profile`",
        ),
    },
    Case {
        name: "with another profiler",
        way: Way::EachRequest,
        environment: &[("MIMALLOC_PROFILE", "/dev/null")],
        refused: Some("mimalloc's hooks are in use: expected that no other profiler is attached"),
    },
];

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let (mut is_well, mut told) = (true, Vec::new());
    for case in CASES {
        let mut command = case.way.program(workspace, "start")?;
        let said = process::output(command.envs(case.environment.iter().copied()), RUN)?;
        let is_as_expected = match case.refused {
            None => said.status.success(),
            Some(line) => {
                said.status.code() == Some(1) && said.stderr.lines().any(|said| said.starts_with(line))
            }
        };
        is_well &= is_as_expected;
        let end = if case.refused.is_some() { "refused" } else { "started" };
        told.push(match is_as_expected {
            true => format!("{}: {end}", case.name),
            false => format!("{}: {} and {:?}", case.name, said.status, said.stderr),
        });
    }
    Ok(Figure::of(is_well, told.join(", ")))
}
