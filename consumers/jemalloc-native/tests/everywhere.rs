//! Whoever takes a session of the sampler takes jemalloc's own profiler, and nobody sees a difference.

use std::{fs, path::Path};

use allometer::{
    http::{Endpoints, Reply},
    jemalloc::{JemallocConfig, JemallocProfiler, JemallocSwitch},
    profile::{Profile, SampleType},
    runner::{Runner, Settings},
};
use allometer_contract::{Scenario, run_scenarios, scenario};
use consumer_jemalloc_native as _;

static SCENARIOS: [Scenario; 2] = [
    scenario("endpoints_start_it_serve_it_and_stop_it", endpoints),
    scenario("the_runner_writes_its_reports", runner),
];

fn main() {
    run_scenarios(&SCENARIOS);
}

#[inline(never)]
fn leaking(leak: &mut Vec<Vec<u8>>) {
    leak.extend((0..10_000).map(|_| Vec::with_capacity(1024)));
}

/// Whether a profile has some ten megabytes that `leaking` holds.
#[track_caller]
fn expect_leak(profile: &Profile) {
    let table = allometer::views::folded(profile, SampleType::LiveBytes);
    let live = profile.total().live.bytes.value;
    assert!(table.contains("everywhere::leaking"), "{table}");
    assert!((9e6..11.5e6).contains(&live), "{live} {table}");
}

fn ask(endpoints: &Endpoints, method: &str, path: &str) -> (u16, Vec<u8>) {
    let request = http::Request::builder().method(method).uri(path).header("host", "localhost");
    let reply: Reply = endpoints.answer(&request.body(Vec::new()).unwrap());
    let response = reply.wait();
    (response.status().as_u16(), response.into_body().to_vec())
}

fn endpoints(_: &Path) {
    let switch = JemallocSwitch::new(JemallocConfig::default());
    let every = std::time::Duration::from_millis(100);
    let endpoints = Endpoints::switching(switch).history(Some(every)).purge(true).build().unwrap();
    let text = |path: &str| {
        let (status, body) = ask(&endpoints, "GET", path);
        (status, String::from_utf8(body).unwrap())
    };
    let json = |path: &str| serde_json::from_str::<serde_json::Value>(&text(path).1).unwrap();
    assert_eq!(ask(&endpoints, "GET", "/debug/pprof/heap").0, 503);
    let mut leak = Vec::with_capacity(100_000);
    assert_eq!(ask(&endpoints, "POST", "/debug/allometer/start").0, 200);
    assert_eq!(ask(&endpoints, "POST", "/debug/allometer/start").0, 409);
    leaking(&mut leak);
    let (status, pprof) = ask(&endpoints, "GET", "/debug/pprof/heap");
    assert_eq!(status, 200);
    let profile = Profile::from_pprof(&pprof).unwrap();
    assert_eq!(profile.metadata.provider.as_deref(), Some("jemalloc"));
    assert!(profile.metadata.provider_figures.iter().any(|figure| figure.name == "resident"));
    expect_leak(&profile);
    for format in ["format=html", "format=json", "format=svg", "format=folded", "format=text", "seconds=1"] {
        assert_eq!(ask(&endpoints, "GET", &format!("/debug/pprof/heap?{format}")).0, 200, "{format}");
    }
    let stats = json("/debug/pprof/stats");
    assert_eq!((&stats["active"], &stats["can_start"]), (&true.into(), &true.into()));
    assert!(stats["live"]["bytes"].as_f64().unwrap() > 9e6 && stats["samples"].is_null(), "{stats}");
    assert_eq!(stats["sample_interval_bytes"], 4096);
    let (_, metrics) = text("/debug/pprof/metrics");
    assert!(
        metrics.contains("\nallometer_live_bytes 1") && !metrics.contains("allometer_samples_total"),
        "{metrics}"
    );
    // What grew, between two moments.
    let moments = || json("/debug/allometer/history")["moments"].as_array().unwrap().clone();
    let wait = |count: usize| {
        while moments().len() < count {
            std::thread::sleep(every / 4);
        }
    };
    wait(1);
    let from = moments().last().unwrap()["id"].as_u64().unwrap();
    leaking(&mut leak);
    let (status, grown) = text(&format!("/debug/allometer/growth?from={from}&to=now"));
    assert!(status == 200 && grown.contains("everywhere::leaking"), "{grown}");
    // Afresh, with another interval.
    let (status, refused) = ask(&endpoints, "POST", "/debug/allometer/interval?to=3000");
    let refused = String::from_utf8(refused).unwrap();
    assert_eq!(status, 400);
    assert!(refused.starts_with("interval is `3000`: expected a power of two"), "{refused}");
    assert_eq!(ask(&endpoints, "POST", "/debug/allometer/interval?to=64KiB").0, 200);
    assert_eq!(json("/debug/pprof/stats")["sample_interval_bytes"], 65_536);
    assert_eq!(ask(&endpoints, "POST", "/debug/allometer/purge").0, 200);
    assert_eq!(ask(&endpoints, "POST", "/debug/allometer/stop").0, 200);
    assert_eq!(ask(&endpoints, "GET", "/debug/pprof/allocs").0, 503);
    drop(leak);
}

fn runner(directory: &Path) {
    let reports = directory.join("reports");
    let mut leak = Vec::with_capacity(100_000);
    let profiler = JemallocProfiler::start(&JemallocConfig::default()).unwrap();
    let settings = Settings::default().exit_report(true);
    let mut runner = Runner::builder(profiler.reader(), &reports).settings(settings).start().unwrap();
    leaking(&mut leak);
    runner.stop();
    let names: Vec<_> = fs::read_dir(&reports).unwrap().map(|entry| entry.unwrap().path()).collect();
    let ending = |ending: &str| {
        let found = names.iter().find(|name| name.to_str().unwrap().ends_with(ending));
        fs::read(found.unwrap_or_else(|| panic!("no {ending} in {names:?}"))).unwrap()
    };
    expect_leak(&Profile::from_pprof(&ending(".pb.gz")).unwrap());
    assert!(String::from_utf8(ending(".txt")).unwrap().contains("allocator jemalloc"));
    assert!(String::from_utf8(ending(".svg")).unwrap().contains("everywhere::leaking"));
    drop(leak);
}
