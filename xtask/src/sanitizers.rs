//! The real hook under programs that watch memory: the scenes of `tests/sanitized`, where nothing may be reported, and
//! its planted faults, which must be.

use std::{process::Command, time::Duration};

use crate::{error::Error, process, targets::VALGRIND, workspace::Workspace};

const PACKAGE: &str = "allometer-sanitized";
const SCENES: [&str; 4] = ["handover", "sessions", "bounds", "growth"];
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
/// How long a scene may take, which is for finding hangs.
const SCENE: Duration = Duration::from_secs(5 * 60);

/// The code that a program ends with once something was reported.
const REPORTED: i32 = 99;

/// A program that watches memory: compiled in, or around.
struct Watch {
    name: &'static str,
    /// What everything is compiled with.
    flags: &'static str,
    /// What only the program itself is compiled with, and linked.
    last: &'static [&'static str],
    /// Around the program, with its arguments.
    around: &'static [&'static str],
    /// The variable of its options, and these.
    options: Option<(&'static str, &'static str)>,
    /// How much a scene does: a watch takes its time.
    rounds: u32,
    /// Faults that it must report.
    planted: &'static [&'static str],
}

const WATCHES: [Watch; 4] = [
    Watch {
        name: "address",
        flags: "-Zsanitizer=address",
        last: &[],
        around: &[],
        // Leaks are another watch's.
        options: Some(("ASAN_OPTIONS", "exitcode=99:detect_leaks=0")),
        rounds: 100_000,
        planted: &["use-after-free"],
    },
    Watch {
        name: "leak",
        // Nothing is compiled for it: it only has to be there.
        flags: "",
        last: &["-Zsanitizer=leak"],
        around: &[],
        options: Some(("LSAN_OPTIONS", "exitcode=99")),
        rounds: 100_000,
        planted: &["leak"],
    },
    Watch {
        name: "thread",
        // std stays as it was compiled, without the sanitizer.
        flags: "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer",
        last: &[],
        around: &[],
        options: Some(("TSAN_OPTIONS", "exitcode=99")),
        rounds: 50_000,
        planted: &["race"],
    },
    Watch {
        name: "memcheck",
        flags: "",
        last: &[],
        around: &[VALGRIND.program, "-q", "--error-exitcode=99", "--leak-check=full"],
        options: None,
        rounds: 4_000,
        planted: &["use-after-free", "leak", "uninitialised"],
    },
];

/// All scenes under each watch. Answers a line for each of them.
///
/// # Errors
///
/// [`Error::Sanitizers`] with what was reported, [`Error::Control`] when a planted fault was not.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, Error> {
    if !VALGRIND.ensure()? {
        return Err(Error::Missing(VALGRIND));
    }
    let host = workspace.host()?;
    let mut lines = Vec::new();
    let mut reports = Vec::new();
    for watch in &WATCHES {
        let program = watch.build(workspace, &host)?;
        for planted in watch.planted {
            if watch.run(workspace, &program, planted)?.is_none() {
                return Err(Error::Control(format!("{planted} under {}", watch.name)));
            }
        }
        for scene in SCENES {
            let report = watch.run(workspace, &program, scene)?;
            let found = if report.is_none() { "no report" } else { "REPORTED" };
            let line = format!(
                "{:<9} {scene:<9} {found}, planted faults seen: {}",
                watch.name,
                watch.planted.join(", ")
            );
            println!("{line}");
            lines.push(line);
            reports.extend(report.map(|report| format!("{} {scene}:\n{report}", watch.name)));
        }
    }
    if reports.is_empty() { Ok(lines) } else { Err(Error::Sanitizers(reports)) }
}

impl Watch {
    /// Compiles the program for this watch, in the place of the one before. A target is named so that build scripts and
    /// macros are built as ever, once for all watches.
    fn build(&self, workspace: &Workspace, host: &str) -> Result<String, Error> {
        let target = workspace.target_unstable();
        let mut command =
            workspace.cargo(&["rustc", "--locked", "--release", "--package", PACKAGE, "--target", host]);
        command.arg("--").args(self.last);
        // A sanitizer's flag is one that a stable compiler only takes when told so.
        command.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", self.flags).env("RUSTC_BOOTSTRAP", "1");
        process::run(&mut command, BUILD)?;
        Ok(target.join(host).join("release").join(PACKAGE).to_string_lossy().into_owned())
    }

    /// What was reported of a scene, if anything was.
    ///
    /// # Errors
    ///
    /// When the program ends otherwise than well, and not by a report.
    fn run(&self, workspace: &Workspace, program: &str, scene: &str) -> Result<Option<String>, Error> {
        let rounds = self.rounds.to_string();
        let words = self.around.iter().copied().chain([program, &rounds, scene]);
        let mut words = words.map(str::to_owned);
        let Some(first) = words.next() else { return Ok(None) };
        let mut command: Command = workspace.command(&first);
        command.args(words).envs(self.options);
        let output = process::output(&mut command, SCENE)?;
        match output.status.code() {
            Some(0) => Ok(None),
            Some(REPORTED) => Ok(Some(output.stderr)),
            _ => Err(Error::Failed {
                command: process::shown(&command),
                status: output.status,
                stderr: output.stderr,
            }),
        }
    }
}
