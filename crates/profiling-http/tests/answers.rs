//! What is answered: by a real server, to a real client, of a session that counts every request.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]
// unsafe: asks the system to fork.
#![allow(unsafe_code)]

mod client;

use std::{
    fs,
    hint::black_box,
    io::{Read, Write},
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::Path,
    sync::Barrier,
    thread,
    time::Duration,
};

use allometer_contract::{Scenario, run_scenarios, scenario};
use allometer_core::{Config, Profiler, SamplingAllocator};
use allometer_http::{Endpoints, Error, Reply, Server};
use allometer_profile::{Amount, Figures, Profile, SampleType};
use allometer_system::System;
use allometer_views::quantity;
use client::{figures, serve, serve_session, session, wait_until};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const SCENARIOS: &[Scenario] = &[
    scenario("a_first_profile_has_what_was_there_before_it", first),
    scenario("profiles_are_cumulative_for_any_number_of_scrapers", cumulative),
    scenario("a_span_has_what_was_allocated_in_it_and_all_that_is_live", span),
    scenario("spans_and_the_whole_agree", spans_and_whole),
    scenario("each_form_is_what_it_says", forms),
    scenario("parameters_shape_a_profile", shapes),
    scenario("addresses_have_names", symbols),
    scenario("figures_are_those_of_the_session", figures_of_session),
    scenario("sessions_are_started_once_and_stopped", control),
    scenario("a_request_that_was_given_up_blocks_nothing", given_up),
    scenario("another_session_ends_a_span", other_session),
    scenario("what_grew_between_two_moments", growth),
    scenario("memory_of_a_session_that_is_over_goes", goes),
    scenario("memory_is_given_back_where_it_is_offered", purge),
    scenario("what_the_server_takes_is_in_no_profile", nothing_of_its_own),
    scenario("a_unix_socket_is_for_its_owner_and_goes", socket),
    scenario("a_place_that_is_taken", taken),
    scenario("a_forked_child_has_no_server", child),
    scenario("people_are_led_to_where_they_want", moved),
];

fn main() {
    run_scenarios(SCENARIOS);
}

/// Blocks of so many bytes.
#[inline(never)]
fn cached(blocks: usize, size: usize) -> Vec<Vec<u8>> {
    (0..blocks).map(|_| block(size)).collect()
}

#[inline(never)]
fn block(size: usize) -> Vec<u8> {
    black_box(vec![1; size])
}

/// Objects and bytes of what `block` made.
fn of_blocks(profile: &Profile) -> ([f64; 2], [f64; 2]) {
    let Figures { alloc, live } = figures(profile, "answers::block");
    let of = |Amount { objects, bytes }: Amount| [objects.value, bytes.value];
    (of(alloc), of(live))
}

/// C12: started by the program itself, long before anybody asks.
fn first(_: &Path) {
    let session = session();
    let cache = cached(64, 1 << 20);
    let (_server, client) = serve_session(&session);
    let (_, live) = of_blocks(&client.get("/debug/pprof/heap").profile());
    assert_eq!(live, [64.0, f64::from(64 << 20)]);
    drop(cache);
}

fn cumulative(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let scrape = || of_blocks(&client.get("/debug/pprof/allocs").profile()).0;
    let mut kept = Vec::new();
    let mut before = [scrape(), scrape()];
    for round in 1..5_usize {
        kept.push(cached(round, 1000));
        drop(cached(3, 500));
        let now = [scrape(), scrape()];
        for (now, before) in now.iter().zip(before) {
            let rate = [now[0] - before[0], now[1] - before[1]];
            assert_eq!(rate, [(round + 3) as f64, (round * 1000 + 1500) as f64]);
        }
        before = now;
    }
    let profile = client.get("/debug/pprof/allocs").profile();
    assert!(!profile.metadata.is_interval);
    assert_eq!(profile.metadata.default_type, SampleType::AllocBytes);
    assert_eq!(client.get("/debug/pprof/heap").profile().metadata.default_type, SampleType::LiveBytes);
}

fn request(path: &str) -> http::Request<Vec<u8>> {
    http::Request::get(path).header("host", "localhost").body(Vec::new()).unwrap()
}

/// C14: what is live is no difference, and nobody may take one of what was allocated.
fn span(_: &Path) {
    let session = session();
    let endpoints = Endpoints::reading(session.reader()).history(None).build().unwrap();
    let before = cached(10, 1000);
    assert!(matches!(endpoints.start(), Err(Error::ReadOnly)));
    // More than can wait at a time, each of which is done when it is.
    for _ in 0..20 {
        let Reply::Later(later) = endpoints.answer(&request("/debug/pprof/heap?seconds=60")) else {
            panic!()
        };
        assert_eq!(later.finish().status(), 200);
    }
    let Reply::Later(later) = endpoints.answer(&request("/debug/pprof/heap?seconds=1")) else { panic!() };
    let during = cached(7, 1000);
    drop(cached(5, 100));
    thread::sleep(later.wait());
    let response = later.finish();
    let profile = Profile::from_pprof(response.body()).unwrap();
    assert_eq!(of_blocks(&profile), ([12.0, 7500.0], [17.0, 17_000.0]));
    assert!(profile.metadata.is_interval);
    drop((before, during));
}

/// C14: the sum over intervals is the whole.
fn spans_and_whole(_: &Path) {
    let session = session();
    let endpoints = Endpoints::reading(session.reader()).history(None).build().unwrap();
    let mut sum = [0.0; 2];
    for round in 1..4 {
        let Reply::Later(later) = endpoints.answer(&request("/debug/pprof/allocs?seconds=1")) else {
            panic!()
        };
        drop(cached(round, 2000));
        let (allocated, live) = of_blocks(&Profile::from_pprof(Reply::Later(later).wait().body()).unwrap());
        sum = [sum[0] + allocated[0], sum[1] + allocated[1]];
        assert_eq!(live, [0.0; 2]);
    }
    let Reply::Now(whole) = endpoints.answer(&request("/debug/pprof/allocs")) else { panic!() };
    assert_eq!(of_blocks(&Profile::from_pprof(whole.body()).unwrap()).0, sum);
    assert_eq!(sum, [6.0, 12_000.0]);
}

fn forms(_: &Path) {
    let session = session();
    let cache = cached(10, 1000);
    let (_server, client) = serve_session(&session);
    let of = |query: &str| {
        let answer = client.get(&format!("/debug/pprof/{query}"));
        assert_eq!(answer.status, 200, "{query}");
        (answer.header("content-type").unwrap().to_owned(), answer)
    };
    for (query, name) in [("heap", "heap"), ("allocs?debug=0", "allocs"), ("heap?format=pprof", "heap")] {
        let (kind, answer) = of(query);
        assert_eq!(kind, "application/octet-stream");
        assert_eq!(answer.header("content-disposition").unwrap(), format!("attachment; filename=\"{name}\""));
        assert!(answer.header("content-encoding").is_none() && answer.body.starts_with(&[0x1f, 0x8b]));
        assert_eq!(of_blocks(&answer.profile()).1, [10.0, 10_000.0]);
    }
    let text = |query: &str| {
        let (kind, answer) = of(query);
        assert_eq!(kind, "text/plain; charset=utf-8");
        answer.text().to_owned()
    };
    let debug = text("heap?debug=1");
    assert!(debug.starts_with("heap profile: ") && debug.contains("answers::block"), "{debug}");
    assert!(debug.contains("\n10: 10000 [10: 10000] @ 0x"), "{debug}");
    assert!(Profile::from_heap_text(debug.as_bytes()).unwrap().total().live.bytes.value >= 10_000.0);
    assert!(text("heap?format=text").contains(&quantity::bytes(10_000.0)));
    let folded = text("heap?format=folded");
    assert!(
        folded.lines().any(|line| line.contains(";answers::block;") && line.ends_with(" 10000")),
        "{folded}"
    );
    let (kind, json) = of("heap?format=json");
    let json: serde_json::Value = serde_json::from_slice(&json.body).unwrap();
    assert_eq!((&*kind, &json["schema"]), ("application/json", &"allometer-profile/1".into()));
    let (kind, picture) = of("flamegraph?type=alloc_objects");
    assert!(kind == "image/svg+xml" && picture.text().contains("answers::block"));
    let (kind, page) = of("flamegraph?format=html");
    assert!(kind == "text/html; charset=utf-8" && page.text().starts_with("<!doctype html>"));
    drop(cache);
}

fn shapes(_: &Path) {
    let session = session();
    let cache = (cached(10, 1000), cached(1, 90_000));
    let (_server, client) = serve_session(&session);
    let of = |query: &str| client.get(&format!("/debug/pprof/heap?{query}")).profile();
    let (all, large) = (of(""), of("min=50000"));
    assert_eq!(of_blocks(&large).1, [1.0, 90_000.0]);
    assert_eq!(large.total().live.bytes.rounded(), all.total().live.bytes.rounded(), "the rest is one site");
    assert!(large.functions.iter().any(|function| function.name.ends_with("smaller sites]")));
    assert_eq!(of("type=alloc_objects").metadata.default_type, SampleType::AllocObjects);
    let most_lines = |profile: &Profile| profile.locations.iter().map(|location| location.lines.len()).max();
    assert!(most_lines(&all) > Some(1));
    assert_eq!(most_lines(&of("inlines=false")), Some(1));
    let expanded = of("inlines=expanded");
    assert_eq!(most_lines(&expanded), Some(1));
    assert!(expanded.locations.len() > of("inlines=false").locations.len());
    drop(cache);
}

fn symbols(_: &Path) {
    let session = session();
    let cache = cached(1, 1000);
    let (_server, client) = serve_session(&session);
    let profile = client.get("/debug/pprof/heap").profile();
    let is_block = |location: &&allometer_profile::Location| {
        let last = location.lines.last().map(|line| &profile.functions[line.function.0 as usize]);
        last.is_some_and(|function| function.name.ends_with("answers::block"))
    };
    let address = profile.locations.iter().find(is_block).unwrap().address.unwrap().lookup().get();
    // As the compiler writes it: a length before each part.
    let is_block = |line: &str, address: &str| {
        line.strip_prefix(address).is_some_and(|name| name.contains("7answers") && name.contains("5block"))
    };
    let got = client.get(&format!("/debug/pprof/symbol?0x8+{address:#x}"));
    let posted = client.ask("POST", "/debug/pprof/symbol", format!("0x8+{address}").as_bytes());
    for answer in [got, posted] {
        let lines: Vec<&str> = answer.text().lines().collect();
        assert_eq!((lines.len(), lines[0]), (2, "num_symbols: 1"));
        assert!(is_block(lines[1], &format!("{address:#x} ")), "{}", lines[1]);
    }
    assert_eq!(client.get("/debug/pprof/symbol").text(), "num_symbols: 1\n");
    drop(cache);
}

fn figures_of_session(_: &Path) {
    let session = session();
    let cache = cached(10, 100_000);
    let (_server, client) = serve_session(&session);
    let stats: serde_json::Value = serde_json::from_slice(&client.get("/debug/pprof/stats").body).unwrap();
    let metrics = client.get("/debug/pprof/metrics");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let metric = |name: &str| -> f64 {
        let line = metrics.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {}", metrics.text())).parse().unwrap()
    };
    assert_eq!(stats["schema"], "allometer-stats/1");
    for (metric, stat) in [
        (metric("allometer_live_bytes"), &stats["live"]["bytes"]),
        (metric("allometer_live_objects"), &stats["live"]["objects"]),
        (metric("allometer_allocated_bytes_total"), &stats["allocated"]["bytes"]),
        (metric("allometer_samples_total"), &stats["samples"]),
        (metric("allometer_sample_interval_bytes"), &1.into()),
        (metric("allometer_session_active"), &1.into()),
        (metric("allometer_resident_bytes"), &stats["resident"]["used"]),
    ] {
        assert_eq!(Some(metric), stat.as_f64());
    }
    assert!(metric("allometer_live_bytes") >= 1e6 && metric("allometer_live_bytes") < 2e6);
    assert_eq!(stats["losses"].as_array().unwrap().len(), 0);
    assert_eq!((&stats["provider"], &stats["live_recorded"]), (&"system".into(), &true.into()));
    where_it_is(&stats);
    drop(cache);
}

/// The parts of the process's memory add up to what is resident, from the live heap on; a profile has them, too.
fn where_it_is(stats: &serde_json::Value) {
    let memory = &stats["memory"];
    let parts: Vec<(&str, f64)> = memory["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (part["part"].as_str().unwrap(), part["bytes"].as_f64().unwrap()))
        .collect();
    assert_eq!(memory["total_bytes"].as_f64(), Some(parts.iter().map(|(_, bytes)| bytes).sum()));
    assert_eq!(memory["is_resident"], true);
    assert_eq!(parts[0], ("live", stats["live"]["bytes"].as_f64().unwrap()));
    // The C library that can tell how large its blocks are tells how many there are.
    if let Some(slack) = stats["slack"]["bytes"].as_f64() {
        assert_eq!(parts[1], ("slack", slack));
        assert!(parts.iter().any(|(part, _)| *part == "unprofiled"), "{parts:?}");
    }
}

/// C11: of two starts one is refused, and says so.
fn control(_: &Path) {
    let (_server, client) = serve(Endpoints::controlling(Config::default()).history(None));
    assert_eq!(client.post("/debug/allometer/stop").refusal(), (503, "no session is active"));
    let barrier = Barrier::new(2);
    let start = || {
        barrier.wait();
        client.post("/debug/allometer/start?interval=1").status
    };
    let mut statuses =
        thread::scope(|scope| [scope.spawn(start), scope.spawn(start)].map(|thread| thread.join().unwrap()));
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(client.post("/debug/allometer/start").refusal(), (409, "a session is active already"));
    let cache = cached(5, 1000);
    assert_eq!(of_blocks(&client.get("/debug/pprof/heap").profile()).1, [5.0, 5000.0]);
    // Afresh: what was there before is not in it, and figures that were just read are not told again.
    let interval = || -> serde_json::Value {
        let stats: serde_json::Value =
            serde_json::from_slice(&client.get("/debug/pprof/stats").body).unwrap();
        stats["sample_interval_bytes"].clone()
    };
    assert_eq!(interval(), 1);
    assert_eq!(client.post("/debug/allometer/interval?to=2KiB").status, 200);
    assert_eq!(interval(), 2048);
    let afresh = client.get("/debug/pprof/heap").profile();
    assert_eq!((afresh.metadata.sample_interval, of_blocks(&afresh).1), (2048, [0.0, 0.0]));
    for (path, line) in [
        ("interval", "to is ``: expected a sample interval"),
        ("interval?to=0", "interval is `0`: expected 1 to 1125899906842624 bytes"),
        (
            "start?interval=fast",
            "interval is `fast`: expected a whole number of bytes, or of KiB, MiB or GiB",
        ),
    ] {
        assert_eq!(client.post(&format!("/debug/allometer/{path}")).refusal(), (400, line));
    }
    assert_eq!(
        client.get("/debug/pprof/heap").profile().metadata.sample_interval,
        2048,
        "that changed nothing"
    );
    assert_eq!(client.post("/debug/allometer/stop").status, 200);
    assert_eq!(client.get("/debug/pprof/heap").refusal(), (503, "no session is active"));
    // Nobody holds the process's one session now.
    Profiler::start(Config::default()).unwrap().stop();
    assert_eq!(client.post("/debug/allometer/start").status, 200);
    drop(cache);
}

/// C11: a request for a long span that was given up does not stand in the way of a stop, or of the next start.
fn given_up(_: &Path) {
    let (_server, client) = serve(Endpoints::controlling(Config::default()).history(None));
    for _ in 0..3 {
        assert_eq!(client.post("/debug/allometer/start?interval=1").status, 200);
        let waiting = client.asking("/debug/pprof/heap?seconds=60");
        assert_eq!(client.get("/debug/pprof/heap").status, 200);
        drop(waiting);
        assert_eq!(client.post("/debug/allometer/stop").status, 200);
    }
}

fn other_session(_: &Path) {
    let endpoints = Endpoints::controlling(Config::default()).history(None).build().unwrap();
    endpoints.start().unwrap();
    let again = endpoints.start();
    assert!(
        matches!(again, Err(Error::Start { cause: allometer_profile::SourceError::AlreadyActive })),
        "{again:?}"
    );
    let Reply::Later(later) = endpoints.answer(&request("/debug/pprof/heap?seconds=1")) else { panic!() };
    let post = http::Request::post("/debug/allometer/interval?to=1").header("host", "localhost");
    assert_eq!(endpoints.answer(&post.body(Vec::new()).unwrap()).wait().status(), 200);
    assert_eq!(later.finish().status(), 409);
}

fn growth(_: &Path) {
    let session = session();
    let every = Duration::from_millis(100);
    let (_server, client) = serve(Endpoints::reading(session.reader()).history(Some(every)));
    let history = || -> serde_json::Value {
        serde_json::from_slice(&client.get("/debug/allometer/history").body).unwrap()
    };
    let last = |kind: &str| history()[kind].as_array().and_then(|all| all.last().cloned());
    wait_until(|| last("moments").is_some());
    let from = last("moments").unwrap()["id"].as_u64().unwrap();
    let leak = cached(40, 10_000);
    wait_until(|| last("points").is_some_and(|point| point["live_bytes"].as_f64() >= Some(400_000.0)));
    let to = last("moments").unwrap()["id"].as_u64().unwrap();
    for to in [to.to_string(), "now".to_owned()] {
        let answer = client.get(&format!("/debug/allometer/growth?from={from}&to={to}"));
        let changes: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        let by_function = &changes[0];
        assert_eq!(
            (&by_function["by"], &by_function["basis"]),
            (&"function".into(), &"shared samples".into())
        );
        let row = &by_function["rows"][0];
        assert!(row["place"].as_str().unwrap().ends_with("answers::block"), "{row}");
        assert_eq!(
            (&row["growth"], &row["growth_error"], &row["p_value"]),
            (&400_000.0.into(), &0.0.into(), &0.0.into())
        );
        assert_eq!(changes[1]["by"], "stack");
    }
    let refused = |query: &str| {
        let answer = client.get(&format!("/debug/allometer/growth?{query}"));
        let (status, line) = answer.refusal();
        (status, line.to_owned())
    };
    assert_eq!(
        refused("from=0"),
        (404, "no moment has this number now: expected one of `history`".to_owned())
    );
    assert_eq!(refused(&format!("from={to}&to={from}")).0, 400);
    assert_eq!(refused("to=now"), (400, "from is ``: expected the number of a moment".to_owned()));
    assert_eq!(refused("from=-1"), (400, "from is `-1`: expected the number of a moment".to_owned()));
    assert!(history()["moments"].as_array().unwrap().len() <= 16);
    drop(leak);
}

/// Snapshots keep a session's tables: when it is over they go, and with them what they were of.
fn goes(_: &Path) {
    let every = Duration::from_millis(100);
    let (_server, client) = serve(Endpoints::controlling(Config::default()).history(Some(every)));
    let moments = || {
        let answer = client.get("/debug/allometer/history");
        let history: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        history["moments"].as_array().unwrap().len()
    };
    assert_eq!(client.post("/debug/allometer/start?interval=1").status, 200);
    wait_until(|| moments() > 2);
    assert_eq!(client.post("/debug/allometer/stop").status, 200);
    wait_until(|| moments() == 0);
}

fn purge(_: &Path) {
    let session = session();
    let (_server, client) = serve(Endpoints::reading(session.reader()).history(None).purge(true));
    assert_eq!(client.get("/debug/pprof/heap?gc=1").status, 200);
    assert_eq!(client.get("/debug/pprof/heap?gc=0").status, 200);
    assert_eq!(client.post("/debug/allometer/purge").text(), "given back\n");
    // glibc keeps what is below something that is still there, until it is asked.
    let resident = || allometer_core::MemoryUse::resident().unwrap().used;
    let mut blocks = cached(40_000, 1000);
    let full = resident();
    blocks.drain(..39_999);
    assert_eq!(client.post("/debug/allometer/purge").status, 200);
    assert!(resident() < full - (20 << 20), "{} of {full}", resident());
    drop(blocks);
}

fn nothing_of_its_own(_: &Path) {
    let session = session();
    let before = session.snapshot().unwrap();
    let (server, client) =
        serve(Endpoints::reading(session.reader()).history(Some(Duration::from_millis(100))));
    let ask = |path: &str| client.get(path).status;
    for path in ["heap", "flamegraph", "stats", "metrics", "heap?format=html", "symbol?0x10"] {
        assert_eq!(ask(&format!("/debug/pprof/{path}")), 200, "{path}");
    }
    drop(server);
    let after = session.snapshot().unwrap();
    let during = after.since(&before).unwrap().profile();
    let theirs: Vec<_> = during
        .samples
        .iter()
        .filter(|sample| sample.figures.alloc.objects.value > 0.0)
        .map(|sample| during.place(sample, 9))
        .filter(|place| {
            ["endpoints", "connection", "history", "hyper", "tokio", "place"]
                .iter()
                .any(|word| place.contains(word))
        })
        .collect();
    assert_eq!(theirs, Vec::<String>::new());
}

fn socket(directory: &Path) {
    let session = session();
    let path = directory.join("heap");
    let address = format!("unix:{}", path.display());
    let start =
        || Server::start(&address, Endpoints::reading(session.reader()).history(None).build().unwrap());
    let ask = || {
        let mut stream = UnixStream::connect(&path).unwrap();
        write!(stream, "GET /debug/pprof/heap HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let body = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
        Profile::from_pprof(&answer[body..]).unwrap()
    };
    let mut server = start().unwrap();
    assert_eq!(server.address().to_string(), address);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(ask().metadata.live);
    let second = start().unwrap_err().to_string();
    assert!(
        second.starts_with(&format!("{address}: the profiler's endpoints cannot be served there: ")),
        "{second}"
    );
    server.stop();
    assert!(!path.exists());
    // What a process leaves that was killed.
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let server = start().unwrap();
    ask();
    drop(server);
    // What is no socket stays.
    fs::write(&path, "notes").unwrap();
    assert!(matches!(start(), Err(Error::Listen { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "notes");
}

fn taken(_: &Path) {
    let session = session();
    let (server, client) = serve_session(&session);
    let address = server.address().to_string();
    let error = allometer_http::serve(&address, session.reader()).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{address}: the profiler's endpoints cannot be served there: ")),
        "{error}"
    );
    drop(server);
    let again = allometer_http::serve(&address, session.reader()).unwrap();
    assert_eq!(client.get("/debug/pprof/stats").status, 200);
    drop(again);
}

/// It has neither the server's thread nor that of the history: dropping what it has of them waits for nothing, and its parent's go on.
fn child(_: &Path) {
    let session = session();
    let (server, client) = serve(Endpoints::reading(session.reader()));
    // SAFETY: the child calls what the profiler has for one, and exits.
    match unsafe { libc::fork() } {
        0 => {
            drop(server);
            // SAFETY: ends the process.
            unsafe { libc::_exit(0) };
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for the child just made, with a place for its status.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0);
        }
    }
    assert_eq!(client.get("/debug/pprof/heap").status, 200);
}

fn moved(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    for (path, to) in
        [("/", "debug/allometer/"), ("/debug/pprof", "pprof/"), ("/debug/allometer", "allometer/")]
    {
        let answer = client.get(path);
        assert_eq!((answer.status, answer.header("location")), (308, Some(to)), "{path}");
    }
    let index = client.get("/debug/pprof/");
    for link in ["./heap", "./flamegraph", "../allometer/"] {
        assert!(index.text().contains(&format!("href=\"{link}\"")), "{link}");
    }
    assert!(client.get("/debug/allometer/").text().starts_with("<!doctype html>"));
}
