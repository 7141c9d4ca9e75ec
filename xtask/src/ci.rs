//! The steps that a change has to pass, in their order: what is quick and often wrong comes first.

use std::{ffi::OsStr, process::Command, time::Duration};

use crate::{
    error::Error,
    fuzz::CARGO_FUZZ,
    graph, mappings,
    outside::{self, OUTSIDE},
    process, statically,
    step::Step,
    targets::{
        self, VALGRIND,
        bench::{PEERS, PROVIDERS},
    },
    tool::{self, PIP},
    unwinding,
    workspace::Workspace,
};

/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);
/// How long the tests of one workspace may take once they are compiled. They are made to find hangs, so
/// this has to come from outside.
const TESTS: Duration = Duration::from_secs(10 * 60);

/// Over whom the groups are measured here, where time is short; the contract is over all of them. What consumers measure:
/// over an allocator that fails as it is told to, and a real one.
const MEASURED: [&str; 2] = ["--over=custom", "--over=mimalloc"];
/// What the benches measure.
const COUNTED: [&str; 3] = ["--ci", "--over=mimalloc", "--over=system"];

/// All steps, or those whose name starts with one of `only`.
pub(crate) fn steps(workspace: &Workspace, only: &[String]) -> Result<Vec<Step>, Error> {
    let mut steps = vec![
        Step::new("format", format),
        Step::new("graph", graph::check),
        Step::new("clippy", clippy),
        Step::new("tests", tests).wanting(targets::views::OF_TESTS),
        Step::new("doc tests", |workspace| {
            build(workspace.cargo(&["test", "--workspace", "--locked", "--all-features", "--doc"]))
        }),
        Step::new("docs", |workspace| {
            let arguments = ["doc", "--workspace", "--locked", "--all-features", "--no-deps"];
            build_with(workspace.cargo(&arguments), "RUSTDOCFLAGS", "-D warnings")
        }),
    ];
    steps.extend(consumers(workspace, &[])?);
    steps.push(Step::new("unwinding", unwinding::check));
    steps.push(Step::new("linked statically", statically::check));
    steps.push(Step::new("benches", benches));
    for group in [targets::EXACTNESS, targets::SURVIVAL] {
        let words: Vec<_> = [group.name].iter().chain(&MEASURED).map(|word| (*word).to_owned()).collect();
        let name = format!("targets {}", group.name);
        steps.push(Step::new(name, move |workspace| targets::run(workspace, &words)));
    }
    steps.push(
        Step::new("structures", |workspace| {
            let words = [targets::SURVIVAL.name].iter().chain(targets::OF_STRUCTURES);
            targets::run(workspace, &words.map(|word| (*word).to_owned()).collect::<Vec<_>>())
        })
        .needing(&[VALGRIND, CARGO_FUZZ]),
    );
    steps.extend([targets::COST, targets::MEMORY].map(|group| {
        let words: Vec<_> = [group].iter().chain(&COUNTED).map(|word| (*word).to_owned()).collect();
        let held = move |workspace: &Workspace| targets::run(workspace, &words);
        Step::new(format!("targets {group}"), held).needing(&[VALGRIND])
    }));
    steps.push(Step::new("mappings", mappings::check).needing(&[PIP]));
    steps.push(
        Step::new("targets readers", |workspace| targets::run(workspace, &[targets::READERS.to_owned()]))
            .needing(targets::readers::NEEDED),
    );
    for (group, needed) in [
        (targets::VIEWS, targets::views::NEEDED),
        (targets::SERVE, targets::serve::NEEDED),
        (targets::NATIVE, &[][..]),
    ] {
        let words = [group, "--ci"].map(str::to_owned);
        let held = move |workspace: &Workspace| targets::run(workspace, &words);
        steps.push(Step::new(format!("targets {group}"), held).needing(needed));
    }
    if !only.is_empty() {
        steps.retain(|step| only.iter().any(|start| step.name.starts_with(start.as_str())));
        if steps.is_empty() {
            return Err(Error::Usage(format!("no step's name starts with {}", only.join(" or "))));
        }
    }
    Ok(steps)
}

/// One step for each consumer, or for those called one of `only`: lints, then its tests.
pub(crate) fn consumers(workspace: &Workspace, only: &[String]) -> Result<Vec<Step>, Error> {
    let mut names = workspace.consumers()?;
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        return Err(Error::Usage(format!(
            "no consumer is called {unknown:?}: there are {}",
            names.join(", ")
        )));
    }
    names.retain(|name| only.is_empty() || only.contains(name));
    let step = |name: String| {
        Step::new(format!("consumer {name}"), move |workspace| {
            consumer(workspace, &format!("consumers/{name}"))
        })
    };
    Ok(names.into_iter().map(step).collect())
}

fn format(workspace: &Workspace) -> Result<(), Error> {
    build(workspace.cargo(&["fmt", "--all", "--check"]))?;
    let consumers = workspace.consumers()?.into_iter().map(|name| format!("consumers/{name}"));
    let below =
        |parent| Ok(workspace.members(parent)?.into_iter().map(move |name| format!("{parent}/{name}")));
    let benches = below(PROVIDERS)?.chain(below(PEERS)?);
    let outside = OUTSIDE.iter().map(|outside| outside.path.to_owned());
    let alone = ["benches/workloads", "benches/subject", "fuzz"].map(str::to_owned);
    for member in consumers.chain(benches).chain(outside).chain(alone) {
        build(workspace.cargo_beside(&member, &["fmt", "--check"]))?;
    }
    Ok(())
}

fn clippy(workspace: &Workspace) -> Result<(), Error> {
    let arguments =
        ["clippy", "--workspace", "--locked", "--all-targets", "--all-features", "--", "-Dwarnings"];
    build(workspace.cargo(&arguments))
}

/// One process for each test where `cargo-nextest` is at hand, else cargo's own runner: the tests pass
/// under both.
fn tests(workspace: &Workspace) -> Result<(), Error> {
    let selection = ["--workspace", "--locked", "--all-features"];
    let runner: &[&str] = if tool::is_on_path("cargo-nextest") { &["nextest", "run"] } else { &["test"] };
    let command = || {
        let mut command = workspace.cargo(runner);
        command.args(selection);
        command
    };
    build(with(command(), &["--no-run"]))?;
    run(command())
}

fn consumer(workspace: &Workspace, member: &str) -> Result<(), Error> {
    // A crate that the root workspace cannot hold is checked where it is built.
    let also = outside::built_by(member).map_or_else(Vec::new, |outside| {
        vec![format!("--package={}", outside.consumer_package), format!("--package={}", outside.package)]
    });
    // In code as it is shipped, which the targets are measured in too: so everything is compiled once, allocators'
    // own code above all.
    let cargo =
        |command: &str| with(workspace.cargo_beside(member, &[command, "--locked", "--release"]), &also);
    build(with(cargo("clippy"), &["--all-targets", "--", "-Dwarnings"]))?;
    // Not among all targets, since they are run by name only.
    for group in [targets::EXACTNESS, targets::SURVIVAL] {
        if group.is_measured(workspace, member) {
            build(with(cargo("clippy"), &["--test", group.name, "--", "-Dwarnings"]))?;
        }
    }
    build(with(cargo("test"), &["--no-run"]))?;
    run(cargo("test"))
}

/// The lints of what the targets are measured with, and the tests of what these programs have in common. Compiled
/// as the root workspace's tests are, so that nearly all of it is there: as they are measured the targets compile
/// them. Over one provider: the programs over others are the same but for its name.
fn benches(workspace: &Workspace) -> Result<(), Error> {
    let member = format!("{PROVIDERS}/system");
    let cargo = |command: &str, arguments: &[&str]| {
        let mut command = workspace.cargo_beside(&member, &[command, "--locked"]);
        command.args(arguments).env("CARGO_TARGET_DIR", workspace.target());
        command
    };
    build(cargo("clippy", &["--all-targets", "--", "-Dwarnings"]))?;
    // Two packages of no workspace, reached through one that needs them.
    let common = ["--package=allometer-workloads", "--package=allometer-subject"];
    let cargo = |command: &str| cargo(command, &common);
    build(with(cargo("clippy"), &["--all-targets", "--", "-Dwarnings"]))?;
    build(with(cargo("test"), &["--no-run"]))?;
    run(cargo("test"))
}

fn with(mut command: Command, arguments: &[impl AsRef<OsStr>]) -> Command {
    command.args(arguments);
    command
}

fn build(mut command: Command) -> Result<(), Error> {
    process::run(&mut command, BUILD)
}

fn build_with(mut command: Command, variable: &str, value: &str) -> Result<(), Error> {
    process::run(command.env(variable, value), BUILD)
}

fn run(mut command: Command) -> Result<(), Error> {
    process::run(&mut command, TESTS)
}
