//! What test programs do with a runner, and what they find in its directory.

// Not every test program needs all of it.
#![allow(dead_code)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use allometer_core::{Config, Profiler};
use allometer_profile::{Figures, Profile};
use allometer_runner::{
    Builder, Event, ReportFile, ReportFormat, ReportName, ReportReason, Runner, Settings,
};

/// A session that counts every request.
pub(crate) fn session() -> Profiler {
    Profiler::start(Config::default().sample_interval(1)).unwrap()
}

/// Settings without reasons of their own: what is written was asked for.
pub(crate) fn quiet() -> Settings {
    let nothing = Settings::default().moved(None).resident(None).cgroup(None).period(None);
    nothing.program("shop").patience(Duration::from_secs(100))
}

/// What a runner says: what it wrote, or what failed.
pub(crate) type Said = Result<ReportName, String>;

/// Has what a runner says sent to the receiver.
pub(crate) fn heard(builder: Builder) -> (Builder, Receiver<Said>) {
    let (say, said) = channel();
    let builder = builder.on_event(move |event| {
        let _ = match event {
            Event::Written { name, .. } => say.send(Ok(name.clone())),
            Event::Failed { error } => say.send(Err(error.to_string())),
            _ => Ok(()),
        };
    });
    (builder, said)
}

/// A runner of the session, and what it says.
pub(crate) fn start(session: &Profiler, directory: &Path, settings: Settings) -> (Runner, Receiver<Said>) {
    let (builder, said) = heard(Runner::builder(session.reader(), directory).settings(settings));
    (builder.start().unwrap(), said)
}

/// The names in a directory.
pub(crate) fn listing(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The reports in a directory, the oldest first: each of them has all its files, each file is complete, and there is
/// nothing else.
pub(crate) fn complete(directory: &Path) -> Vec<ReportName> {
    let mut reports = BTreeMap::<_, (ReportName, Vec<ReportFormat>)>::new();
    for name in listing(directory) {
        let file: ReportFile = name.parse().unwrap_or_else(|error| panic!("{error}"));
        let contents = fs::read(directory.join(&name)).unwrap();
        match file.format {
            ReportFormat::Pprof => drop(Profile::from_pprof(&contents).unwrap()),
            ReportFormat::Flamegraph => assert!(contents.trim_ascii_end().ends_with(b"</svg>"), "{name}"),
            _ => assert!(contents.ends_with(b"\n"), "{name}"),
        }
        let report = reports.entry(file.name.time).or_insert_with(|| (file.name, Vec::new()));
        report.1.push(file.format);
    }
    let report = |(name, mut formats): (ReportName, Vec<ReportFormat>)| {
        formats.sort_unstable();
        assert_eq!(formats, [ReportFormat::Pprof, ReportFormat::Flamegraph, ReportFormat::Text], "{name}");
        name
    };
    reports.into_values().map(report).collect()
}

/// Why the reports in a directory were written.
pub(crate) fn reasons(directory: &Path) -> Vec<ReportReason> {
    complete(directory).into_iter().map(|name| name.reason).collect()
}

/// The path of a report's file.
pub(crate) fn path(directory: &Path, name: &ReportName, format: ReportFormat) -> PathBuf {
    directory.join(name.clone().file(format).to_string())
}

/// What a report says of the stacks through a function whose name ends so.
pub(crate) fn figures(directory: &Path, name: &ReportName, function: &str) -> Figures {
    let contents = fs::read(path(directory, name, ReportFormat::Pprof)).unwrap();
    let profile = Profile::from_pprof(&contents).unwrap();
    let goes_through = |sample: &&allometer_profile::Sample| {
        let mut lines =
            sample.stack.iter().flat_map(|location| &profile.locations[location.0 as usize].lines);
        lines.any(|line| profile.functions[line.function.0 as usize].name.contains(function))
    };
    profile.samples.iter().filter(goes_through).map(|sample| sample.figures).sum()
}

/// Some memory, so that there is something to report.
#[inline(never)]
pub(crate) fn kept(blocks: usize, size: usize) -> Vec<Vec<u8>> {
    std::hint::black_box((0..blocks).map(|_| vec![1; size]).collect())
}
