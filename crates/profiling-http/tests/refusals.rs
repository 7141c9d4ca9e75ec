//! Who is refused, and how that is said: by a real server, to real clients.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod client;

use std::{
    hint::black_box,
    io::Write,
    path::Path,
    sync::{Barrier, Mutex},
    thread,
};

use allometer_contract::{Scenario, run_scenarios, scenario};
use allometer_core::{Config, SamplingAllocator, tag};
use allometer_http::{Endpoints, Error, Server};
use allometer_system::System;
use client::{Answer, Client, rest, serve, serve_session, session, wait_until};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const SCENARIOS: &[Scenario] = &[
    scenario("an_open_address_without_a_token_does_not_start", open_address),
    scenario("a_token_is_asked_for_everywhere_and_taken_from_the_header_alone", token),
    scenario("a_token_that_is_easy_is_no_token", easy_token),
    scenario("a_host_that_is_not_known", strange_host),
    scenario("a_page_of_another_server", strange_origin),
    scenario("what_changes_is_posted_and_what_does_not_is_not", methods),
    scenario("seconds_out_of_range", seconds),
    scenario("parameters_and_paths_that_name_files", files),
    scenario("what_the_program_does_not_offer", not_offered),
    scenario("what_has_no_session", no_session),
    scenario("a_profile_while_another_is_made", busy),
    scenario("more_waits_than_there_is_room_for_until_clients_hang_up", waits),
    scenario("a_wait_takes_nobodys_place", no_place),
    scenario("headers_that_are_too_long_or_too_many", headers),
    scenario("a_connection_that_says_nothing", silence),
    scenario("a_body_that_is_too_long", body),
    scenario("more_connections_than_there_is_room_for", connections),
    scenario("answers_that_nobody_reads", unread),
    scenario("an_answer_that_is_too_long", too_long),
    scenario("names_that_are_markup", markup),
];

fn main() {
    run_scenarios(SCENARIOS);
}

const TOKEN: &str = "a-token-of-our-own";

fn open_address(_: &Path) {
    let session = session();
    let endpoints = || Endpoints::reading(session.reader()).history(None);
    for open in ["0.0.0.0:0", "[::]:0"] {
        let error = Server::start(open, endpoints().build().unwrap()).unwrap_err();
        assert!(matches!(error, Error::Exposed { .. }), "{error}");
    }
    let server = Server::start("0.0.0.0:0", endpoints().token(TOKEN).unwrap().build().unwrap());
    drop(server.unwrap());
}

fn token(_: &Path) {
    let session = session();
    let endpoints = Endpoints::reading(session.reader()).history(None).token(TOKEN).unwrap();
    let (_server, client) = serve(endpoints);
    // `me:a-token-of-our-own`, and the same with one more digit.
    let [password, wrong] = ["Basic bWU6YS10b2tlbi1vZi1vdXItb3du", "Basic bWU6YS10b2tlbi1vZi1vdXItb3duMA=="];
    for path in
        ["/debug/pprof/heap", "/debug/allometer/", "/debug/pprof/stats", "/debug/allometer/stop", "/nowhere"]
    {
        let refused = |client: &Client| {
            let answer = client.get(path);
            assert_eq!(
                answer.header("www-authenticate"),
                Some("Basic realm=\"allometer\", charset=\"UTF-8\"")
            );
            assert_eq!(answer.refusal().0, 401, "{path}");
            assert!(!answer.text().contains(TOKEN));
        };
        refused(&client);
        refused(&client.with("authorization", "Bearer a-token-of-our-owN"));
        refused(&client.with("authorization", wrong));
        refused(&client.with("cookie", TOKEN));
    }
    assert_eq!(client.get(&format!("/debug/pprof/heap?token={TOKEN}")).status, 401);
    for right in [&format!("Bearer {TOKEN}"), password] {
        assert_eq!(client.with("authorization", right).get("/debug/pprof/stats").status, 200, "{right}");
    }
}

fn easy_token(_: &Path) {
    let session = session();
    let error = Endpoints::reading(session.reader()).token("password").unwrap_err().to_string();
    assert_eq!(error, "the token is no good: expected 16 or more visible ASCII characters");
}

fn strange_host(_: &Path) {
    let session = session();
    let (_server, client) = serve(Endpoints::reading(session.reader()).history(None).host("Heap.shop.test"));
    let host = |host| client.with("host", host).get("/debug/pprof/stats");
    for other in ["evil.test", "10.0.0.7:6060"] {
        let expected = format!(
            "the host `{other}` is not known here: expected localhost, a loopback address or a name that the program allows"
        );
        assert_eq!(host(other).refusal(), (403, &*expected));
    }
    for ours in ["heap.shop.test:80", "localhost"] {
        assert_eq!(host(ours).status, 200, "{ours}");
    }
}

fn strange_origin(_: &Path) {
    let (_server, client) = serve(Endpoints::controlling(Config::default()).history(None));
    let client = client.with("host", "localhost:6060");
    let start = |origin| client.with("origin", origin).post("/debug/allometer/start");
    let expected = "the request comes from a page of `http://evil.test`, which is not this server";
    assert_eq!(start("http://evil.test").refusal(), (403, expected));
    assert_eq!(start("null").status, 403);
    assert_eq!(start("http://localhost:7070").status, 403);
    assert_eq!(client.get("/debug/pprof/heap").status, 503, "none of them started anything");
    assert_eq!(start("http://localhost:6060").status, 200);
}

fn methods(_: &Path) {
    let (_server, client) = serve(Endpoints::controlling(Config::default()).history(None).purge(true));
    for path in ["start", "stop", "interval", "purge"].map(|name| format!("/debug/allometer/{name}")) {
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            let answer = client.ask(method, &path, &[]);
            assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method} {path}");
        }
    }
    assert_eq!(client.get("/debug/pprof/heap").status, 503, "nothing was started");
    assert_eq!(client.post("/debug/allometer/start").status, 200);
    for path in ["/debug/pprof/heap", "/debug/pprof/stats", "/debug/allometer/"] {
        let answer = client.post(path);
        assert_eq!(answer.refusal(), (405, "the method is POST: expected GET, HEAD"));
        let head = client.ask("HEAD", path, &[]);
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(head.header("content-type"), client.get(path).header("content-type"));
    }
    assert_eq!(client.ask("POST", "/debug/pprof/symbol", b"0x0").status, 200);
}

fn seconds(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    for seconds in ["0", "61", "-1", "%2B1", "1.5", "", "1e1", "0x1", "99999999999999999999", "1%00"] {
        let (status, line) = refused(&client, &format!("/debug/pprof/heap?seconds={seconds}"));
        assert!(status == 400 && line.ends_with("expected a whole number from 1 to 60"), "{line}");
    }
    let twice = refused(&client, "/debug/pprof/allocs?seconds=1&seconds=1");
    assert_eq!(twice, (400, "seconds is `1`: expected it once".to_owned()));
}

fn refused(client: &Client, path: &str) -> (u16, String) {
    let answer = client.get(path);
    let (status, line) = answer.refusal();
    (status, line.to_owned())
}

fn files(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    for name in ["name=/etc/passwd", "path=..", "file=x", "out=/tmp/heap"] {
        let (status, line) = refused(&client, &format!("/debug/pprof/heap?{name}"));
        assert!(status == 400 && line.contains("is not known: expected debug, seconds"), "{line}");
    }
    for path in [
        "/debug/pprof/../../etc/passwd",
        "/debug/pprof/heap/..%2f..",
        "/debug/pprof/heap.pb.gz",
        "//debug/pprof/heap",
        "/etc/passwd",
    ] {
        let answer = Answer::of_raw(&client, path);
        assert!(
            answer.starts_with("HTTP/1.1 404 ") && answer.contains("nothing is here"),
            "{path}: {answer}"
        );
    }
    assert_eq!(refused(&client, "/debug/pprof/profile?seconds=5").0, 404);
}

impl Answer {
    /// What is said to a path that no client would send as it is.
    fn of_raw(client: &Client, path: &str) -> String {
        let mut stream = client.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
        rest(stream)
    }
}

fn not_offered(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let of = |path| refused(&client, path);
    assert_eq!(
        of("/debug/pprof/cmdline"),
        (404, "the command line is not offered by this program".to_owned())
    );
    assert_eq!(
        of("/debug/pprof/heap?gc=1"),
        (404, "giving memory back is not offered by this program".to_owned())
    );
    assert_eq!(of("/debug/allometer/history").0, 404);
    let post = |path: &str| client.post(path).refusal().0;
    for path in ["start", "stop", "interval?to=1MiB", "purge"] {
        assert_eq!(post(&format!("/debug/allometer/{path}")), 404, "{path}");
    }
    assert!(session.is_active());
}

fn no_session(_: &Path) {
    let mut session = session();
    let (_server, client) = serve_session(&session);
    session.stop();
    for path in [
        "/debug/pprof/heap",
        "/debug/pprof/flamegraph",
        "/debug/pprof/symbol?0x10",
        "/debug/pprof/heap?seconds=1",
    ] {
        assert_eq!(refused(&client, path), (503, "no session is active".to_owned()), "{path}");
    }
    assert!(client.get("/debug/pprof/stats").text().contains("\"active\":false"));
    assert!(client.get("/debug/pprof/metrics").text().contains("allometer_session_active 0\n"));
}

/// Many sites, so that a profile takes its time: a frame of each stack is one of a hundred functions.
fn many_sites(sites: u32) -> Vec<Vec<u8>> {
    #[inline(never)]
    fn below<const N: usize>(depth: u32, path: u32, kept: &mut Vec<Vec<u8>>) {
        if depth == 0 {
            kept.push(black_box(vec![1; 64]));
            return;
        }
        match (path >> depth) & 3 {
            0 => below::<0>(depth - 1, path, kept),
            1 => below::<1>(depth - 1, path, kept),
            2 => below::<2>(depth - 1, path, kept),
            _ => below::<3>(depth - 1, path, kept),
        }
        black_box(N);
    }
    let mut kept = Vec::new();
    for path in 0..sites {
        below::<0>(16, path, &mut kept);
    }
    kept
}

fn busy(_: &Path) {
    let session = session();
    let _kept = many_sites(12_000);
    let (_server, client) = serve_session(&session);
    const CLIENTS: usize = 10;
    let (barrier, statuses) = (Barrier::new(CLIENTS), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                barrier.wait();
                let answer = client.get("/debug/pprof/heap?format=json");
                if answer.status != 200 {
                    assert_eq!(
                        answer.refusal(),
                        (429, "another profile is being made: ask again in a second")
                    );
                    assert_eq!(answer.header("retry-after"), Some("1"));
                }
                statuses.lock().unwrap().push(answer.status);
            });
        }
    });
    let statuses = statuses.into_inner().unwrap();
    let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
    assert!(count(200) >= 1 && count(429) >= 1, "{statuses:?}");
    assert_eq!(client.get("/debug/pprof/heap").status, 200, "and then there is a place");
}

fn waits(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let one_more = || client.get("/debug/pprof/heap?seconds=1").status;
    let one_long = || client.asking("/debug/pprof/heap?seconds=60");
    let mut waiting: Vec<_> = (0..16).map(|_| one_long()).collect();
    // A short one may have had the last room when a long one came, which was then refused.
    while one_more() != 429 {
        waiting.push(one_long());
    }
    let answer = client.get("/debug/pprof/heap?seconds=1");
    assert_eq!(
        answer.refusal(),
        (429, "16 requests wait for their `seconds` already: ask again when one of them is done")
    );
    drop(waiting);
    // Long before their sixty seconds are over: the process's limit is 120.
    wait_until(|| one_more() == 200);
}

fn no_place(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let waiting = client.asking("/debug/pprof/heap?seconds=60");
    for _ in 0..20 {
        client.get("/debug/pprof/heap").profile();
    }
    drop(waiting);
}

fn headers(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let with = |headers: &str| {
        let mut stream = client.connect();
        // The server may close before all of it is written.
        let _ = write!(
            stream,
            "GET /debug/pprof/stats HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n"
        );
        rest(stream)
    };
    assert!(with("").starts_with("HTTP/1.1 200 "));
    let long = with(&format!("x-long: {}\r\n", "x".repeat(20_000)));
    assert!(long.is_empty() || long.starts_with("HTTP/1.1 431 "), "{long}");
    let many = with(&(0..100).map(|n| format!("x-{n}: 1\r\n")).collect::<String>());
    assert!(many.is_empty() || many.starts_with("HTTP/1.1 431 "), "{many}");
    assert!(with("").starts_with("HTTP/1.1 200 "));
}

fn silence(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let silent = client.connect();
    let mut halfway = client.connect();
    write!(halfway, "GET /debug/pprof/heap HTTP/1.1\r\nhost: loc").unwrap();
    let mut used = client.asking("/debug/pprof/stats");
    write!(used, "\r\n").unwrap();
    // All of them are closed, which is what ends these reads.
    assert!(!rest(silent).contains("200"));
    assert!(!rest(halfway).contains("200"));
    assert!(rest(used).starts_with("HTTP/1.1 200 "));
}

fn body(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let fits = client.ask("POST", "/debug/pprof/symbol", "0x0+".repeat(16 << 10).as_bytes());
    assert_eq!(fits.status, 200);
    let mut stream = client.connect();
    let request = "POST /debug/pprof/symbol HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 99999\r\n\r\n";
    write!(stream, "{request}{}", "0x0+".repeat(20_000)).unwrap();
    assert!(rest(stream).starts_with("HTTP/1.1 413 "));
}

fn connections(_: &Path) {
    let session = session();
    let (_server, client) = serve_session(&session);
    let open: Vec<_> = (0..64).map(|_| client.asking("/debug/pprof/heap?seconds=60")).collect();
    let refused = rest(client.connect());
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.ends_with("ask again in a second\r\n"),
        "{refused}"
    );
    let length = refused.split("\r\n\r\n").nth(1).unwrap().len();
    assert!(refused.contains(&format!("content-length: {length}\r\n")), "{length}: {refused}");
    drop(open);
    wait_until(|| rest_of_stats(&client).starts_with("HTTP/1.1 200 "));
}

fn rest_of_stats(client: &Client) -> String {
    Answer::of_raw(client, "/debug/pprof/stats")
}

fn unread(_: &Path) {
    let session = session();
    let _kept = many_sites(12_000);
    let (_server, client) = serve_session(&session);
    let length = client.get("/debug/pprof/heap?format=debug").body.len();
    assert!(length > 4 << 20, "{length}");
    // Each holds its answer until it is read: those that fit, and then nobody's.
    let mut unread = Vec::new();
    let status = || client.get("/debug/pprof/heap?format=debug").status;
    while unread.len() < (64 << 20) / length + 1 {
        let before = client.get("/debug/pprof/stats").status;
        assert_eq!(before, 200);
        unread.push(client.asking("/debug/pprof/heap?format=debug"));
        wait_until(|| status() != 429);
    }
    wait_until(|| status() == 503);
    let answer = client.get("/debug/pprof/heap?format=debug");
    assert_eq!(
        answer.refusal(),
        (503, "answers of 67108864 bytes are on their way already: ask again when they have been read")
    );
    drop(unread);
    wait_until(|| status() == 200);
}

fn too_long(_: &Path) {
    let session = session();
    let _kept = many_sites(60_000);
    let (_server, client) = serve_session(&session);
    let (status, line) = refused(&client, "/debug/pprof/heap?format=debug");
    let expected = "expected at most 67108864; `min` leaves out small sites";
    assert!(status == 500 && line.ends_with(expected), "{status}: {line}");
    // And so it does, and the compressed form is shorter by far.
    assert_eq!(client.get("/debug/pprof/heap?format=debug&min=1000").status, 200);
    assert_eq!(client.get("/debug/pprof/heap").status, 200);
}

fn markup(_: &Path) {
    const EVIL: &str = "</script><img src=x onerror=alert(1)>";
    let session = session();
    let kept = {
        let _tag = tag(EVIL);
        black_box(vec![1u8; 100_000])
    };
    let (_server, client) = serve_session(&session);
    for form in ["html", "svg", "json", "folded", "text", "debug"] {
        let answer = client.get(&format!("/debug/pprof/heap?format={form}"));
        assert_eq!(
            (answer.status, answer.header("x-content-type-options")),
            (200, Some("nosniff")),
            "{form}"
        );
        let is_page =
            answer.header("content-type").is_some_and(|kind| kind.contains("html") || kind.contains("svg"));
        assert!(!(is_page && answer.text().contains(EVIL)), "{form}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; connect-src 'self';")
                && policy.contains("frame-ancestors 'none'")
        );
    }
    drop(kept);
}
