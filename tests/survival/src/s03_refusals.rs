//! S3: a provider that answers null, in hooks and in reports.

use allometer_contract::Decoded;
use allometer_core::{Error, Profiler};
use allometer_lines::{Form, Outcome};

use crate::{
    child::{self, Ended},
    line::{Line, Part},
    load,
    s09_calls::Caller,
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S3",
    target: "the provider returns null, for half of the requests in hooks and in the first allocations of a report: \
             the application gets what the provider gave, the report is an error, later failures abort as any Vec would",
    parts: |subject| {
        if subject.faulty.is_none() {
            return &[];
        }
        const {
            &[
                Part::new("in hooks", in_hooks),
                Part::new("in threads", in_threads),
                Part::new("in a snapshot", in_a_snapshot),
                Part::new("in a report", in_a_report),
            ]
        }
    },
};

/// Each answer is the provider's, and the profile is of what was granted, to the byte.
fn in_hooks(subject: &Subject, form: Form) -> Outcome {
    [tables::exact(), tables::tiny(), tables::thinned()].into_iter().fold(
        Outcome::new(),
        |outcome, config| {
            let is_exact = config == tables::exact();
            let mut caller = Caller::new(subject);
            let profiler = Profiler::start(config).unwrap();
            let calls = form.pick(100_000, 2_000_000);
            let mut off = 0;
            for _ in 0..20 {
                subject.faulty().refusal.half_during(|| (0..calls / 20).for_each(|_| caller.call()));
                let report = Decoded::new(&profiler.snapshot().unwrap().profile().to_pprof());
                off += usize::from(is_exact && said_of(&report) != (caller.granted, caller.live()));
            }
            caller.free_all();
            let report = Decoded::new(&profiler.snapshot().unwrap().profile().to_pprof());
            let (_, live) = said_of(&report);
            let share = caller.refused as f64 / caller.calls as f64;
            outcome
                .with(caller.wrong == 0, format!("{} of {} calls differ", caller.wrong, caller.calls))
                .with((0.3..0.7).contains(&share), format!("{:.0} % refused", share * 100.0))
                .with(off == 0 && live == (0, 0), format!("{off} wrong snapshots, live at the end {live:?}"))
        },
    )
}

/// What the calls were granted, and what they have left.
fn said_of(report: &Decoded) -> ((i64, i64), (i64, i64)) {
    let [mut sum, resized] = ["Caller::allocate", "Caller::resize"].map(|function| report.at(function));
    sum += resized;
    ((sum.alloc_objects, sum.alloc_bytes), (sum.live_objects, sum.live_bytes))
}

fn in_threads(subject: &Subject, form: Form) -> Outcome {
    let mut profiler = Profiler::start(tables::thinned()).unwrap();
    let changes = load::beside(4, |load| {
        subject.faulty().refusal.half_during(|| load.goes_on(form.pick(200_000, 5_000_000)));
        load.changes()
    });
    let live = Decoded::new(&profiler.report().unwrap()).at("load::made").live_objects;
    Outcome::new().with(live == 0, format!("live {live} after {changes} changes"))
}

/// Wherever it fails, it is an error, and the next one is none.
fn in_a_snapshot(subject: &Subject, _: Form) -> Outcome {
    let profiler = Profiler::start(tables::exact()).unwrap();
    let _live = load::made(1, 8);
    let refusal = &subject.faulty().refusal;
    let requests = requests_of_a_snapshot(subject, &profiler);
    let fails = |granted: &u64| {
        let refused = refusal.after_during(*granted, 1, || profiler.snapshot());
        matches!(refused, Err(Error::Memory { .. })) && profiler.snapshot().is_ok()
    };
    let errors = (0..requests).filter(fails).count() as u64;
    Outcome::new()
        .with(errors == requests && errors > 3, format!("an error in {errors} of {requests} places"))
}

fn requests_of_a_snapshot(subject: &Subject, profiler: &Profiler) -> u64 {
    let calls = &subject.faulty().calls;
    let before = calls.count();
    let snapshot = profiler.snapshot();
    let requests = calls.count() - before;
    drop(snapshot);
    requests
}

/// Up to where a report has all that it has read, it is an error; from there on it may abort, as a `Vec` does.
fn in_a_report(subject: &Subject, form: Form) -> Outcome {
    /// A report makes some ten thousand requests, most of them for names.
    const PLACES: [u64; 24] = [
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        15,
        18,
        22,
        28,
        40,
        60,
        100,
        200,
        400,
        800,
        1600,
        3200,
        6400,
        12_800,
        25_600,
        u64::MAX,
    ];
    let faulty = subject.faulty();
    let mut errors = 0;
    let mut others = Vec::new();
    let mut places: Vec<u64> = (0..6).chain(PLACES).collect();
    places.truncate(form.pick(20, places.len()));
    for granted in &places {
        let ended = child::forked(|| {
            let mut profiler = Profiler::start(tables::exact()).unwrap();
            let _blocks: Vec<_> = (0..20).map(|depth| load::made(depth, 8)).collect();
            let in_snapshot = requests_of_a_snapshot(subject, &profiler);
            match faulty.refusal.after_during(*granted, u64::MAX, || profiler.report()) {
                Ok(report) if *granted >= in_snapshot && !report.is_empty() => 0,
                Err(Error::Memory { .. }) if *granted < in_snapshot => 1,
                Ok(_) | Err(_) => 2,
            }
        });
        errors += u64::from(ended == Ended::With(1));
        let is_good = match granted {
            0 => ended == Ended::With(1),
            &u64::MAX => ended == Ended::With(0),
            _ => [Ended::With(0), Ended::With(1), Ended::BySignal(libc::SIGABRT)].contains(&ended),
        };
        if !is_good {
            others.push(format!("{granted}: {ended:?}"));
        }
    }
    let wrong = if others.is_empty() { String::new() } else { format!(", wrong at {}", others.join(", ")) };
    let figure = format!("{} refusals, {errors} before all was read are errors{wrong}", places.len());
    Outcome::new().with(others.is_empty() && errors >= 4, figure)
}
