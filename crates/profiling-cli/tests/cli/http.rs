use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::thread::{self, JoinHandle};

use crate::own::profile;
use crate::run::run;

/// A server for one request: its URL, and the request once it has come.
fn serve(response: Vec<u8>) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/debug/pprof/heap?seconds=1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            connection.read_exact(&mut byte).unwrap();
            request.push(byte[0]);
        }
        // A client that has seen enough goes away.
        let _ = connection.write_all(&response);
        String::from_utf8(request).unwrap()
    });
    (url, server)
}

fn response(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

#[test]
fn a_profile_is_fetched() {
    let (url, server) = serve(response("200 OK", &profile(50.0).to_pprof_gzip()));
    let text = run(&["top", "-n1", &url]).text();
    assert!(text.contains("<shop::cache::Cache>::insert"), "{text}");
    let request = server.join().unwrap();
    assert!(request.starts_with("GET /debug/pprof/heap?seconds=1 HTTP/1.1\r\n"), "{request}");
    assert!(request.to_ascii_lowercase().contains("user-agent: allometer/"), "{request}");
}

#[test]
fn another_status_is_an_error_with_what_the_server_says() {
    let (url, server) = serve(response("503 Unavailable", b"no session \x1b[31m runs\nsecond line"));
    let complaint = run(&["top", &url]).complaint(1);
    assert_eq!(complaint, format!(r"{url}: status 503: no session \u{{1b}}[31m runs"));
    server.join().unwrap();
}

#[test]
fn what_is_fetched_is_read_like_a_file() {
    let whole = response("200 OK", &profile(50.0).to_pprof_gzip());
    let (url, server) = serve(whole[..whole.len() - 20].to_vec());
    assert!(run(&["top", &url]).complaint(1).starts_with(&format!("{url}: ")));
    server.join().unwrap();
    let (url, server) = serve(response("200 OK", b""));
    assert_eq!(run(&["top", &url]).complaint(1), format!("{url}: there is nothing in it"));
    server.join().unwrap();
}

#[test]
fn who_cannot_be_reached_is_named() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let url = format!("http://{free}/");
    assert!(run(&["top", &url]).complaint(1).starts_with(&format!("{url}: ")));
    let complaint = run(&["top", "https://localhost/heap"]).complaint(1);
    assert!(complaint.starts_with("https://localhost/heap: only http:// is read"), "{complaint}");
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    // The listener takes the connection, and nobody answers.
    let complaint = run(&["top", "--timeout", "1", &url]).complaint(1);
    assert!(complaint.starts_with(&format!("{url}: ")) && complaint.contains("timeout"), "{complaint}");
    drop(listener);
}
