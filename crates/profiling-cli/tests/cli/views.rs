use std::fs;

use allometer_profile::Profile;

use crate::giant_log::giant_log;
use crate::own::profile;
use crate::run::{directory, files, run, run_with_input};

/// Compares with what is kept in `tests/files`; with `GOLDEN=write` in the environment, keeps it there instead.
fn assert_is(golden: &str, text: &str) {
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "write") {
        fs::write(files().join(golden), text).unwrap();
    }
    let kept = fs::read_to_string(files().join(golden)).unwrap_or_default();
    assert_eq!(kept.lines().collect::<Vec<_>>(), text.lines().collect::<Vec<_>>(), "{golden}:\n{text}");
}

/// The profile as a file has it, with values that are rounded.
fn read_back() -> Profile {
    Profile::from_pprof(&profile(50.0).to_pprof()).unwrap()
}

fn own(cart: f64, arguments: &[&str]) -> String {
    run_with_input(arguments, &profile(cart).to_pprof_gzip()).text()
}

#[test]
fn top_of_each_kind_of_file() {
    assert_is("top-own.txt", &own(50.0, &["top", "-n", "3"]));
    assert_is("top-go.txt", &run(&["top", "-n", "5", "go.pb.gz"]).text());
    assert_is("top-jemalloc.txt", &run(&["top", "-n", "5", "jemalloc.heap"]).text());
    assert_is("top-gperftools.txt", &run(&["top", "-n", "3", "gperftools.heap"]).text());
}

#[test]
fn top_sorts_by_what_it_is_asked() {
    let first = |arguments: &[&str]| {
        let text = own(50.0, arguments);
        text.lines().nth(5).unwrap().split("  ").last().unwrap().trim().to_owned()
    };
    assert_eq!(first(&["top"]), "<shop::cache::Cache>::insert");
    assert_eq!(first(&["top", "--sort", "live"]), "<shop::cache::Cache>::insert");
    assert_eq!(first(&["top", "--sort", "allocated"]), "shop::import::read");
    assert_eq!(first(&["top", "--type", "alloc_objects"]), "shop::import::read");
    assert_eq!(first(&["top", "--sort", "inuse_objects", "--cumulative"]), "shop::main");
}

#[test]
fn tree_of_each_kind_of_file() {
    assert_is("tree-own.txt", &own(50.0, &["tree"]));
    assert_is(
        "tree-own-async.txt",
        &own(50.0, &["tree", "--fold-async", "--type", "allocated", "--least", "12"]),
    );
    assert_is("tree-go.txt", &run(&["tree", "go.pb.gz", "--type", "alloc_objects"]).text());
}

#[test]
fn the_functions_of_jemalloc_are_no_part_of_the_program() {
    let mut taken = profile(50.0);
    for (function, name) in [(0, "prof_backtrace_impl"), (2, "_rjem_je_prof_backtrace")] {
        taken.functions[function].name = name.to_owned();
    }
    let rows = |arguments: &[&str]| run_with_input(arguments, &taken.to_pprof()).text();
    assert!(!rows(&["top"]).contains("prof_backtrace"));
    let kept = rows(&["top", "--keep-jemalloc"]);
    assert!(kept.contains("prof_backtrace_impl") && kept.contains("_rjem_je_prof_backtrace"), "{kept}");
}

#[test]
fn diff_shows_what_grew() {
    let directory = directory();
    let [before, after] = [("before.pb", 50.0), ("after.pb", 400.0)].map(|(name, cart)| {
        let path = directory.path().join(name);
        fs::write(&path, profile(cart).to_pprof()).unwrap();
        path.to_str().unwrap().to_owned()
    });
    assert_is("diff-own.txt", &run(&["diff", &before, &after]).text());
    let same = run(&["diff", "go.pb.gz", "go.pb.gz"]).text();
    assert!(same.contains("no site changed by more than noise explains"), "{same}");

    let json: serde_json::Value =
        serde_json::from_str(&run(&["diff", &before, &after, "--json"]).text()).unwrap();
    assert_eq!((&json["basis"], &json["by"]), (&"shared samples".into(), &"stack".into()));
    let [row] = &**json["rows"].as_array().unwrap() else { panic!("{json}") };
    assert_eq!(row["stack"][1], "shop::cart::Cart::add");
    let value = |pointer: &str| row.pointer(pointer).unwrap().as_f64().unwrap();
    assert!((value("/growth") / (value("/after") - value("/before")) - 1.0).abs() < 1e-6, "{json}");
    assert!(value("/growth_error") > 0.0 && value("/p_value") < 1e-6, "{json}");
    let by_function = run(&["diff", &before, &after, "--by", "function"]).text();
    assert!(by_function.lines().last().unwrap().ends_with("  shop::cart::Cart::add"), "{by_function}");
}

#[test]
fn info_of_each_kind_of_file() {
    assert_is("info-own.txt", &own(50.0, &["info"]));
    assert_is("info-go.txt", &run(&["info", "go.pb.gz"]).text());
    assert_is("info-jemalloc.txt", &run(&["info", "jemalloc.heap"]).text());
    assert_is("info-jemalloc-pprof.txt", &run(&["info", "jemalloc-pprof.pb.gz"]).text());
    assert_is("info-gperftools-sampled.txt", &run(&["info", "gperftools-sampled.heap"]).text());
    assert_is("info-gperftools.txt", &run(&["info", "gperftools.heap"]).text());
}

#[test]
fn a_log_of_giant_requests_is_a_profile() {
    let log = |arguments: &[&str]| run_with_input(arguments, &giant_log()).text();
    assert_is("info-giants.txt", &log(&["info"]));
    assert_is("tree-giants.txt", &log(&["tree"]));
}

#[test]
fn stats_of_each_kind_of_file() {
    assert_is("stats-own.txt", &own(50.0, &["stats", "-n", "2"]));
    assert_is("stats-go.txt", &run(&["stats", "go.pb.gz"]).text());
    assert_is("stats-jemalloc.txt", &run(&["stats", "-n", "3", "jemalloc.heap"]).text());
}

#[test]
fn json_of_stats_says_the_same() {
    let json: serde_json::Value = serde_json::from_str(&own(50.0, &["stats", "--json", "-n1"])).unwrap();
    let number = |pointer: &str| json.pointer(pointer).unwrap().as_f64().unwrap();
    assert_eq!((&json["rankings"][2]["by"], number("/rankings/2/more_places")), (&"alloc_space".into(), 2.0));
    assert_eq!(
        json["rankings"][2]["places"][0]["place"],
        "shop::import::read (shop.rs:14) < shop::main (shop.rs:15)"
    );
    assert_eq!((number("/sizes/0/from"), number("/sizes/0/objects")), (1024.0, 87_721.0));
    assert_eq!((number("/lifetimes/objects"), number("/lifetimes/classes/0/from")), (60_000.0, 0.008_192));
    // 300 samples of 64.5 objects, the oldest of them 12.5 seconds.
    assert!((number("/ages/objects") - number("/total/live/objects/value")).abs() < 1.0);
    assert_eq!(number("/peak_seconds"), 11.0);
    assert_eq!(
        (&json["tags"][0]["tag"], &json["tags"][1]["tag"]),
        (&serde_json::Value::Null, &"tenant a".into())
    );
    assert_eq!(json["provider_figures"][0]["name"], "committed");
    assert_eq!(json["losses"][0]["events"], 3);
}

#[test]
fn json_says_the_same() {
    let top: serde_json::Value = serde_json::from_str(&own(50.0, &["top", "-n1", "--json"])).unwrap();
    assert_eq!(top["functions"][0]["function"], "<shop::cache::Cache>::insert");
    assert_eq!((&top["sample_interval"], &top["more_functions"]), (&65_536.into(), &6.into()));
    let total =
        |answer: &serde_json::Value, pointer: &str| answer.pointer(pointer).unwrap().as_f64().unwrap();
    assert_eq!(total(&top, "/total/live/bytes/value"), read_back().total().live.bytes.value);
    let info: serde_json::Value = serde_json::from_str(&own(50.0, &["info", "--json"])).unwrap();
    assert_eq!((&info["samples"], &info["stacks"], &info["tags"]), (&4.into(), &3.into(), &2.into()));
    assert_eq!(info["mappings"][0]["build_id"], "ab01cd02");
    assert_eq!(info["start"], "2026-09-21T14:13:20Z");
    assert_eq!(info["losses"][0]["events"], 3);
    assert_eq!((&info["sampled_live_objects"], &info["elapsed_seconds"]), (&300.into(), &12.5.into()));
    assert_eq!(
        (&info["peak"]["seconds"], &info["provider_figures"][0]["bytes"]),
        (&11.0.into(), &(96 << 20).into())
    );
    assert_eq!(info["lifetimes"]["objects"], 60_000.0);
    assert_eq!(
        (&info["resident"], &info["memory"]["total_bytes"]),
        (&(120 << 20).into(), &(120 << 20).into())
    );
    let slack = total(&info, "/slack/value");
    assert_eq!((slack, total(&info, "/memory/parts/1/bytes")), (read_back().slack().unwrap().value, slack));
    let error = read_back().total().live.bytes.standard_error();
    assert_eq!(total(&info, "/total/live/bytes/standard_error"), error);
}

#[test]
fn a_flamegraph_is_an_svg() {
    let svg = own(50.0, &["flamegraph", "--type", "allocated-objects", "--title", "The shop"]);
    assert!(svg.contains("<svg") && svg.contains("The shop") && svg.contains("objects allocated"), "{svg}");
    let directory = directory();
    let picture = directory.path().join("heap.svg");
    assert_eq!(run(&["flamegraph", "go.pb.gz", "-o", picture.to_str().unwrap()]).text(), "");
    assert!(fs::read_to_string(&picture).unwrap().contains("main.(*index).add"));
    let svg = run(&["flamegraph", "--before", "go.pb.gz", "go.pb.gz", "go.pb.gz"]).text();
    assert!(svg.contains("14.4 MiB live") || svg.contains("28.8 MiB live, +14.4 MiB"), "{svg}");
}

#[test]
fn a_report_is_a_page_and_json_has_its_schema() {
    let page = own(50.0, &["report", "--title", "The shop"]);
    assert!(page.starts_with("<!doctype html>") && page.contains("<h1>The shop</h1>"), "{page}");
    assert!(page.contains(r#"{"schema":"allometer-profile/1""#) && page.contains(">null</script>"));
    let page = run(&["report", "go.pb.gz", "--before", "go.pb.gz"]).text();
    assert!(page.contains("<h1>Heap profile: go.pb.gz</h1>") && page.contains("allometer-diff/1"), "{page}");
    let directory = directory();
    let file = directory.path().join("heap.json");
    run(&["convert", "go.pb.gz", "-o", file.to_str().unwrap()]).text();
    let json: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(json["schema"], "allometer-profile/1");
}

#[test]
fn the_peak_and_the_largest_can_be_looked_at() {
    let peak = own(50.0, &["info", "--at-peak"]);
    assert!(peak.contains("live figures are those of the peak, 11.000s after the start"), "{peak}");
    let none = run(&["top", "--at-peak", "go.pb.gz"]);
    assert_eq!(none.complaint(1), "the profile does not say how the heap was at its peak");
    let largest = own(50.0, &["top", "--largest", "1"]);
    assert!(largest.contains("[3 smaller sites]"), "{largest}");
}

#[test]
fn nothing_but_text_goes_into_a_pipe() {
    for arguments in [&["top"][..], &["tree"], &["info"], &["folded"]] {
        let text = own(50.0, arguments);
        assert!(!text.contains('\u{1b}'), "{arguments:?}: {text}");
    }
    let help = run(&["help", "top"]).text();
    assert!(help.contains("--cumulative") && !help.contains('\u{1b}'), "{help}");
}
