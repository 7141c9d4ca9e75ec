use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// A service whose profile is another one at each request. It serves until the test's process ends.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<AtomicU32>,
}

impl Server {
    /// `answer` has the profile for each request, counted from 0, or the status to refuse it with.
    pub(crate) fn start(answer: impl Fn(u32) -> Result<Vec<u8>, &'static str> + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/debug/pprof/heap", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&requests);
        thread::spawn(move || {
            for connection in listener.incoming() {
                serve(connection.unwrap(), answer(counted.load(Ordering::SeqCst)));
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { url, requests }
    }

    /// How many requests it has answered, once there has been none for ten times as long as there is between two.
    pub(crate) fn settled(&self) -> u32 {
        loop {
            let before = self.requests.load(Ordering::SeqCst);
            thread::sleep(Duration::from_secs(1));
            if self.requests.load(Ordering::SeqCst) == before {
                return before;
            }
        }
    }
}

fn serve(mut connection: TcpStream, answer: Result<Vec<u8>, &'static str>) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && connection.read(&mut byte).unwrap_or(0) == 1 {
        request.push(byte[0]);
    }
    let (status, body) = match answer {
        Ok(profile) => ("200 OK", profile),
        Err(status) => (status, b"not now".to_vec()),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // Who has gone away does not wait for it.
    let _ = connection.write_all(&[head.as_bytes(), &body].concat());
}
