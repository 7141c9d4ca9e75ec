//! A directory of reports, as a runner writes them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use allometer_profile::{LiveObject, Profile};

use crate::giant_log::giant_log;
use crate::own::{objects, profile};
use crate::run::{directory, run};

/// The shop as it is so many seconds after its session's start, with `cart` samples live in the cart, of which 50 are of
/// its beginning.
fn report(seconds: u64, cart: u64) -> Profile {
    let mut profile = profile(50.0);
    profile.metadata.elapsed = Duration::from_secs(seconds);
    profile.metadata.duration = profile.metadata.elapsed;
    let sample = &mut profile.samples[1];
    sample.figures.alloc = objects(50.0 + cart as f64);
    sample.figures.live = objects(cart as f64);
    let later = |at| LiveObject {
        birth: Duration::from_secs(100) + Duration::from_millis(at),
        size: 1024,
        amount: objects(1.0),
    };
    sample.live_objects.extend((50..cart).map(later));
    profile
}

fn write(directory: &Path, name: &str, profile: &Profile) {
    fs::write(directory.join(format!("{name}.pb.gz")), profile.to_pprof_gzip()).unwrap();
    fs::write(directory.join(format!("{name}.txt")), "").unwrap();
}

fn reports() -> tempfile::TempDir {
    let around = directory();
    let of = |name: &str, profile: &Profile| write(around.path(), name, profile);
    of("shop-2026-12-01T01:00:00.000Z-18.9MiB-grew-4711", &report(60, 50));
    of("shop-2026-12-01T01:10:00.500Z-37.8MiB-grew-4711", &report(660, 350));
    of("shop-2026-12-01T01:20:00.000Z-25.2MiB-shrank-4711", &report(1260, 150));
    // Found in its log by the process after it.
    of("shop-2026-12-01T01:15:00.000Z-0.0MiB-giant-4711", &Profile::from_giant_log(&giant_log()).unwrap());
    fs::write(around.path().join("notes.txt"), "").unwrap();
    around
}

fn of(directory: &Path, command: &[&str]) -> crate::run::Answer {
    let path = directory.to_str().unwrap();
    let (name, rest) = command.split_first().unwrap();
    run(&[&[*name, path], rest].concat())
}

#[test]
fn a_directory_is_a_timeline() {
    let around = reports();
    let text = of(around.path(), &["timeline"]).text();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 5, "{text}");
    assert_eq!(rows[2][..6], ["2026-12-01T01:10:00.500Z", "37.8", "MiB", "+18.9", "MiB", "grew"]);
    // What a giant request is told of is not the heap.
    assert_eq!(rows[3][..4], ["2026-12-01T01:15:00.000Z", "0", "B", "giant"]);
    let later = of(around.path(), &["timeline", "--from", "2026-12-01T01:20:00Z"]).text();
    assert!(later.lines().count() == 2 && later.contains("shrank"), "{later}");
    let json: serde_json::Value =
        serde_json::from_str(&of(around.path(), &["timeline", "--json", "--program", "shop"]).text())
            .unwrap();
    assert_eq!(json["reports"][3]["change_bytes"], -13_212_058);
    assert_eq!(json["reports"][0]["formats"], serde_json::json!(["pb.gz", "txt"]));
    let none = of(around.path(), &["timeline", "--process", "9"]).text();
    assert_eq!(none, "There are no reports.\n");
}

#[test]
fn a_range_shows_what_was_allocated_in_it_and_is_still_held() {
    let around = reports();
    let text = of(around.path(), &["range"]).text();
    // Of the cart's 150 samples a hundred are of after the first report.
    assert!(text.starts_with("6.3 MiB ± 0.6 live in 6,450 objects, 6.3 MiB"), "{text}");
    assert!(text.contains("shop::cart::Cart::add") && !text.contains("Cache"), "{text}");
    let until = of(around.path(), &["range", "--to", "2026-12-01T01:15:00Z"]).text();
    assert!(until.starts_with("18.9 MiB ± 1.1 live"), "{until}");
    let picture = around.path().join("held.svg");
    let answer = of(around.path(), &["range", "-o", picture.to_str().unwrap()]).text();
    assert_eq!(answer, "");
    let svg = fs::read_to_string(picture).unwrap();
    assert!(svg.contains("6.3 MiB live") && svg.contains("shop::cart::Cart::add"), "{svg}");
    let page = of(around.path(), &["range", "--to-format", "html"]).text();
    assert!(page.contains("of what was allocated in the span, live is what is live at its end"));
}

#[test]
fn a_range_shows_what_was_held_at_its_peak() {
    let around = reports();
    let text = of(around.path(), &["range", "--of", "peak"]).text();
    // The cart's 50 and 350, and the cache's 200.
    assert!(text.starts_with("37.8 MiB ± 1.5 live"), "{text}");
    let only = ["range", "--of", "peak", "--from", "2026-12-01T01:15:00Z"];
    assert!(of(around.path(), &only).text().starts_with("25.2 MiB"));
}

#[test]
fn what_is_no_range_is_said_in_a_line() {
    let around = reports();
    let of = |arguments: &[&str]| of(around.path(), arguments).complaint(1);
    let one = of(&["range", "--from", "2026-12-01T01:15:00Z"]);
    assert_eq!(one, "shop-2026-12-01T01:20:00.000Z-25.2MiB-shrank-4711: one report is no range");
    let none = of(&["range", "--process", "9"]);
    assert!(none.ends_with(": there are no such reports with a profile"), "{none}");
    write(around.path(), "shop-2026-12-01T02:00:00.000Z-1.0MiB-grew-12", &report(1, 50));
    let several = of(&["range"]);
    assert!(
        several.ends_with("choose one by --program shop --process 12 or --program shop --process 4711"),
        "{several}"
    );
    let mut other = report(2000, 60);
    other.metadata.session = Some(8);
    write(around.path(), "shop-2026-12-01T03:00:00.000Z-1.0MiB-grew-4711", &other);
    let other = of(&["range", "--process", "4711"]);
    assert!(
        other.ends_with(": the profiles are not of one session, or were written by another program"),
        "{other}"
    );
    let missing = run(&["timeline", "missing"]).complaint(1);
    assert!(missing.starts_with("missing: No such file"), "{missing}");
    let time = run(&["timeline", "missing", "--from", "yesterday"]);
    assert_eq!(time.code, Some(2));
}
