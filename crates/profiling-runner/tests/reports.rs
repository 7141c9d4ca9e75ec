//! What is in the reports of a program that runs, when they come, and which of them stay.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use std::{fs, hint::black_box, path::Path, time::Duration};

use allometer_contract::{Scenario, run_scenarios, scenario};
use allometer_core::{Config, Profiler, SamplingAllocator};
use allometer_profile::Profile;
use allometer_runner::{ReportFormat, ReportReason, Runner};
use allometer_system::System;
use allometer_views::quantity;
use program::{complete, figures, heard, kept, listing, path, quiet, reasons, session, start};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const SCENARIOS: &[Scenario] = &[
    scenario("all_files_of_a_report_show_one_moment", one_moment),
    scenario("what_the_allocator_says_and_the_peak_are_in_it", beside_the_table),
    scenario("a_page_says_what_changed", page),
    scenario("a_report_holds_nothing_of_the_runner", nothing_of_its_own),
    scenario("a_fresh_start_tells_what_was_allocated_since", fresh_start),
    scenario("memory_that_moves_is_reported", moves),
    scenario("a_limit_that_comes_near_is_reported", comes_near),
    scenario("time_that_passes_is_reported", passes),
    scenario("the_oldest_reports_go_and_nothing_else", retention),
    scenario("what_a_crash_left_is_removed", left_over),
    scenario("without_live_objects_and_names", without_live_objects),
    scenario("only_the_formats_that_were_chosen", formats),
];

fn main() {
    run_scenarios(SCENARIOS);
}

#[inline(never)]
fn cached() -> Vec<Vec<u8>> {
    black_box((0..100).map(|_| vec![1; 10_000]).collect())
}

#[inline(never)]
fn passing() {
    black_box((0..50).map(|_| vec![1u8; 1000]).collect::<Vec<_>>());
}

fn one_moment(directory: &Path) {
    let session = session();
    let (runner, said) = start(&session, directory, quiet().exit_report(false));
    let cache = cached();
    runner.request();
    let first = said.recv().unwrap().unwrap();
    let live = figures(directory, &first, "reports::cached").live;
    assert_eq!((live.objects.value, live.bytes.value), (101.0, 1_000_000.0 + 2400.0));
    let whole =
        Profile::from_pprof(&fs::read(path(directory, &first, ReportFormat::Pprof)).unwrap()).unwrap();
    let bytes = whole.total().live.bytes.value;
    assert_eq!(first.live_bytes as f64, bytes, "the name tells what the profile does");
    let shown = format!("{:.1} KiB live", bytes / 1024.0);
    let text = |name| fs::read_to_string(path(directory, name, ReportFormat::Text)).unwrap();
    let picture = fs::read_to_string(path(directory, &first, ReportFormat::Flamegraph)).unwrap();
    assert!(picture.contains(&shown) && text(&first).contains(&shown), "{shown}\n{}", text(&first));
    assert!(text(&first).contains("reports::cached") && picture.contains("reports::cached"));
    assert!(text(&first).contains("resident: ") && !text(&first).contains("since the report before"));
    drop(cache);
    runner.request();
    let second = said.recv().unwrap().unwrap();
    assert!(second.time > first.time);
    let text = text(&second);
    assert!(text.contains(&format!("since the report before: {first}\n")), "{text}");
    let (_, change) = text.split_once("since the report before").unwrap();
    let (function, stack) = change.split_once("\nby stack: live heap: ").unwrap();
    assert!(function.contains("\nby function: live heap: "), "{function}");
    let row = "-976.6 KiB  976.6 KiB       0 B  reports::cached::{{closure}}";
    assert!(
        function.contains(&format!("{row}\n")) && stack.contains(&format!("{row} (reports.rs:")),
        "{change}"
    );
}

fn beside_the_table(directory: &Path) {
    let session = session();
    let (runner, said) = start(&session, directory, quiet().exit_report(false));
    drop(kept(20, 1 << 20));
    runner.request();
    let name = said.recv().unwrap().unwrap();
    let text = fs::read_to_string(path(directory, &name, ReportFormat::Text)).unwrap();
    let peak = text.lines().find_map(|line| line.strip_prefix("at peak: ")).unwrap();
    let (bytes, at) = peak.split_once(" live, ").unwrap();
    assert!(bytes.starts_with("20.0 MiB") && at.ends_with(" after the session's start"), "{peak}");
    let profile = fs::read(path(directory, &name, ReportFormat::Pprof)).unwrap();
    let profile = Profile::from_pprof(&profile).unwrap();
    let figures = &profile.metadata.provider_figures;
    let figure = |figure: &allometer_profile::ProviderFigure| {
        format!("{} {}", figure.name, quantity::bytes(figure.bytes as f64))
    };
    let figures: Vec<String> = figures.iter().map(figure).collect();
    assert!(!figures.is_empty(), "this allocator has figures");
    let provider = profile.metadata.provider.unwrap();
    let line = format!("\nallocator {provider}: {}\n", figures.join(", "));
    assert!(text.contains(&line), "{line}\n{text}");
    let resident = quantity::bytes(profile.metadata.resident.unwrap() as f64);
    let (_, memory) = text.split_once("\nwhere the memory is:\n  live, as requested").unwrap();
    let total = memory.lines().find_map(|line| line.strip_prefix("  in memory")).unwrap();
    assert_eq!(total.trim(), resident);
}

fn page(directory: &Path) {
    let session = session();
    let settings = quiet().exit_report(false).formats(ReportFormat::ALL);
    let (runner, said) = start(&session, directory, settings.clone());
    let written = |runner: &Runner| {
        runner.request();
        let name = said.recv().unwrap().unwrap();
        fs::read_to_string(path(directory, &name, ReportFormat::Html)).unwrap()
    };
    let first = written(&runner);
    assert!(first.starts_with("<!doctype html>") && first.trim_end().ends_with("</html>"));
    assert!(!first.contains("reports::cached") && !first.contains("allometer-diff/1"));
    assert!(first.contains(r#""provider_figures":[{"name""#));
    let _cache = cached();
    let second = written(&runner);
    assert!(second.contains("reports::cached") && second.contains(r#""schema":"allometer-diff/1""#));
    drop(runner);
    // Where there is no text the page is still compared.
    let (runner, said) = start(&session, directory, settings.formats([ReportFormat::Html]));
    for is_compared in [false, true] {
        runner.request();
        let name = said.recv().unwrap().unwrap();
        let page = fs::read_to_string(path(directory, &name, ReportFormat::Html)).unwrap();
        assert_eq!(page.contains("allometer-diff/1"), is_compared);
        assert!(!path(directory, &name, ReportFormat::Text).exists());
    }
}

fn nothing_of_its_own(directory: &Path) {
    let session = session();
    let (mut runner, said) = start(&session, directory, quiet());
    for _ in 0..3 {
        runner.request();
        said.recv().unwrap().unwrap();
    }
    runner.stop();
    let last = complete(directory).pop().unwrap();
    let profile =
        Profile::from_pprof(&fs::read(path(directory, &last, ReportFormat::Pprof)).unwrap()).unwrap();
    assert!(!profile.samples.is_empty());
    // Settings and the builder are the program's.
    let own = ["attendant", "author", "directory", "orders", "stored_reports", "written_report"];
    let own = own.map(|part| format!("allometer_runner::{part}::"));
    let parts =
        own.iter().map(String::as_str).chain(["allometer_views::", "allometer_profile::", "inferno::"]);
    let parts: Vec<&str> = parts.collect();
    for function in &profile.functions {
        // A type of theirs may be what the standard library's code was made for: the settings hold some.
        let name = function.name.trim_start_matches(['<', '&']);
        assert!(!parts.iter().any(|part| name.starts_with(part)), "{name}");
    }
}

fn fresh_start(directory: &Path) {
    let session = session();
    let (mut runner, said) = start(&session, directory, quiet());
    let cache = cached();
    runner.fresh_start();
    let before = said.recv().unwrap().unwrap();
    assert_eq!(figures(directory, &before, "reports::cached").alloc.objects.value, 101.0);
    passing();
    runner.request();
    let after = said.recv().unwrap().unwrap();
    let cached = figures(directory, &after, "reports::cached");
    assert_eq!((cached.alloc.objects.value, cached.live.objects.value), (0.0, 101.0));
    let passed = figures(directory, &after, "reports::passing");
    assert_eq!((passed.alloc.objects.value, passed.live.objects.value), (51.0, 0.0));
    let text = fs::read_to_string(path(directory, &after, ReportFormat::Text)).unwrap();
    assert!(text.contains(&format!("allocated: since the fresh start: {before}\n")), "{text}");
    drop(cache);
    passing();
    runner.stop();
    let last = complete(directory).pop().unwrap();
    assert_eq!(
        figures(directory, &last, "reports::passing").alloc.objects.value,
        102.0,
        "since the fresh start"
    );
    assert_eq!(reasons(directory), [ReportReason::Fresh, ReportReason::Request, ReportReason::Exit]);
}

fn moves(directory: &Path) {
    let session = session();
    let settings = quiet()
        .check_interval(Duration::from_millis(100))
        .moved(Some(0.5))
        .moved_floor(1 << 20)
        .min_gap(Duration::ZERO)
        .exit_report(false);
    let (mut runner, said) = start(&session, directory, settings);
    let large = kept(8, 1 << 20);
    let grew = said.recv().unwrap().unwrap();
    assert_eq!((grew.reason, grew.live_bytes >> 20), (ReportReason::Grew, 8));
    drop(large);
    let shrank = said.recv().unwrap().unwrap();
    assert_eq!((shrank.reason, shrank.live_bytes >> 20), (ReportReason::Shrank, 0));
    runner.stop();
    assert_eq!(reasons(directory), [ReportReason::Grew, ReportReason::Shrank]);
}

fn comes_near(directory: &Path) {
    let session = session();
    // More than that is in memory from the start on.
    let settings =
        quiet().check_interval(Duration::from_millis(100)).resident(Some(0.8)).resident_limit(Some(1 << 20));
    let (mut runner, said) = start(&session, directory, settings);
    assert_eq!(said.recv().unwrap().unwrap().reason, ReportReason::Resident);
    runner.stop();
}

fn passes(directory: &Path) {
    let session = session();
    let settings = quiet().check_interval(Duration::from_millis(100)).period(Some(Duration::from_secs(1)));
    let (mut runner, said) = start(&session, directory, settings.exit_report(false));
    for _ in 0..2 {
        assert_eq!(said.recv().unwrap().unwrap().reason, ReportReason::Period);
    }
    runner.stop();
    assert!(complete(directory).len() >= 2);
}

fn retention(directory: &Path) {
    let session = session();
    let foreign = "till-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz";
    let earlier = "shop-2020-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz";
    for name in [foreign, earlier, "shop-notes.txt"] {
        fs::write(directory.join(name), "").unwrap();
    }
    let (mut runner, said) = start(&session, directory, quiet().max_reports(3));
    let mut names = Vec::new();
    for _ in 0..6 {
        runner.request();
        names.push(said.recv().unwrap().unwrap());
    }
    runner.stop();
    for name in [foreign, "shop-notes.txt"] {
        fs::remove_file(directory.join(name)).unwrap();
    }
    let complete = complete(directory);
    assert_eq!(complete.len(), 3, "the earlier one of another process is gone as well");
    assert_eq!(complete[0].time, names[4].to_string().parse::<allometer_runner::ReportName>().unwrap().time);
    assert_eq!(reasons(directory), [ReportReason::Request, ReportReason::Request, ReportReason::Exit]);
}

fn left_over(directory: &Path) {
    let session = session();
    let left = ".shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz.tmp";
    let other = left.replace("shop", "till");
    for name in [left, &other] {
        fs::write(directory.join(name), "half").unwrap();
    }
    let mut runner = start(&session, directory, quiet().exit_report(false)).0;
    runner.stop();
    assert_eq!(listing(directory), [other]);
}

fn without_live_objects(directory: &Path) {
    let config = Config::default()
        .sample_interval(1)
        .live_heap(false)
        .symbolization(allometer_profile::Symbolization::None);
    let session = Profiler::start(config).unwrap();
    passing();
    let (mut runner, said) = start(&session, directory, quiet().exit_report(false));
    runner.request();
    let name = said.recv().unwrap().unwrap();
    runner.stop();
    assert_eq!((name.live_bytes, complete(directory).len()), (0, 1));
    let picture = fs::read_to_string(path(directory, &name, ReportFormat::Flamegraph)).unwrap();
    assert!(picture.contains("Allocated: shop-"));
    let profile =
        Profile::from_pprof(&fs::read(path(directory, &name, ReportFormat::Pprof)).unwrap()).unwrap();
    assert!(
        profile.functions.iter().all(|function| !function.name.contains("reports::")),
        "names, as the session"
    );
}

fn formats(directory: &Path) {
    let session = session();
    let settings = quiet().formats([ReportFormat::Pprof]).exit_report(false).program("a-b/../c\u{1b}");
    let (builder, said) = heard(Runner::builder(session.reader(), directory).settings(settings));
    let runner = builder.start().unwrap();
    runner.request();
    let name = said.recv().unwrap().unwrap();
    assert_eq!(listing(directory), [format!("{name}.pb.gz")]);
    assert_eq!(name.program.as_str(), "a_b_.._c_");
}
