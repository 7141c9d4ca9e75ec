//! The profiler's endpoints, where they are routes of a service like its own.

mod service;

use allometer::profile::{Amount, Profile};
use service::{Service, owner};

#[test]
fn the_endpoints_are_among_the_shops_own() {
    let service = Service::start("on,interval:64KiB");
    service.load(300);
    service.post("/audit?on=true");
    let before = Profile::from_pprof(&service.get("/debug/pprof/heap").1).unwrap();
    service.load(300);
    let after = Profile::from_pprof(&service.get("/debug/pprof/heap").1).unwrap();
    assert_eq!(leaked(&before).bytes.value, 0.0);
    let (leak, requested) = (leaked(&after).bytes, f64::from(300 * (32 << 10)));
    assert!((leak.value - requested).abs() < 4.0 * leak.standard_error(), "{leak:?}");
    let during = Profile::from_pprof(&service.get("/debug/pprof/heap?seconds=1").1).unwrap();
    assert!(during.metadata.is_interval);
    let stats = String::from_utf8(service.get("/debug/pprof/stats").1).unwrap();
    assert!(stats.contains("\"provider\":\"mimalloc\"") && stats.contains("\"tags\":3"), "{stats}");
    let page = String::from_utf8(service.get("/debug/allometer/").1).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    assert_eq!(service.get("/debug/pprof/heap?seconds=61").0, 400);
    assert_eq!(service.get("/debug/allometer/stop").0, 405);
    assert_eq!(service.get("/nothing").0, 404);
    assert_eq!(service.get("/products/7").0, 200, "and the shop's own");
}

fn leaked(profile: &Profile) -> Amount {
    let is_leak = |sample: &&allometer::profile::Sample| owner(profile, sample) == "shop::audit::copy";
    profile.samples.iter().filter(is_leak).fold(Amount::default(), |sum, it| sum + it.figures.live)
}
