//! K12 to K15: one report of two thousand stacks.

use std::time::Duration;

use crate::{
    error::Error,
    process,
    targets::{
        bench::{Bench, Build, Program},
        line::Figure,
        peer::{self, Peer},
    },
};

/// Stacks that are reported.
const SITES: u64 = 2000;
/// How long the checks of the contract may take, and compiling them.
const CHECKS: Duration = Duration::from_secs(40 * 60);

/// Instructions of the first report of a session, and of the next one.
struct Reports {
    cold: f64,
    warm: f64,
}

impl Reports {
    fn measure(bench: &Bench) -> Result<Self, Error> {
        let after = |reports: u32| {
            let reports = format!("reports={reports}");
            let words = ["interval=1", "live=true", &reports];
            bench.total(Program::Profiled, "report", SITES, &words)
        };
        let [none, one, two] = [after(0)?, after(1)?, after(2)?];
        Ok(Self { cold: one - none, warm: two - one })
    }
}

/// The peer that makes symbolised reports of the same kind.
fn rmp() -> &'static Peer {
    &peer::ALL[0]
}

/// K12.
pub(super) fn cold(bench: &Bench) -> Result<Figure, Error> {
    against_rmp(bench, 0.8, |reports| reports.cold)
}

/// K13.
pub(super) fn warm(bench: &Bench) -> Result<Figure, Error> {
    against_rmp(bench, 0.5, |reports| reports.warm)
}

fn against_rmp(bench: &Bench, most: f64, part: fn(&Reports) -> f64) -> Result<Figure, Error> {
    let theirs = Bench::of(bench.workspace(), rmp());
    theirs.build(Build::Shipped)?;
    let [ours, theirs] = [bench, &theirs].map(|bench| Reports::measure(bench).map(|reports| part(&reports)));
    let (ours, theirs) = (ours?, theirs?);
    let ratio = ours / theirs;
    let millions = |instructions: f64| instructions / 1e6;
    let figures =
        format!("{ratio:.2}: {:.1} of {:.1} million instructions", millions(ours), millions(theirs));
    Ok(Figure::of(ratio <= most, figures))
}

/// K14.
pub(super) fn packed(bench: &Bench) -> Result<Figure, Error> {
    let said = bench.say(Program::Profiled, "packed", SITES, &["interval=1", "live=true"])?;
    let kilobytes = said.number("packed_bytes")? / 1000.0;
    Ok(Figure::of(kilobytes <= 60.0, format!("{kilobytes:.1} KB")))
}

/// K15: by the checks that hold a report, and the loader, while threads go on.
pub(super) fn holds_nobody(bench: &Bench) -> Result<Figure, Error> {
    let cargo = ["test", "--quiet", "--release", "--locked", "--test", "contract"];
    let mut command = bench.workspace().cargo_beside("consumers/custom", &cargo);
    let output = process::output(command.args(["--", "held::"]), CHECKS)?;
    let met = output.status.success() && output.stdout.contains("2 passed");
    let figures = if met {
        "held while it reads, finds names, and writes; and at the loader's lock"
    } else {
        "a check failed"
    };
    Ok(Figure::of(met, figures.to_owned()))
}
