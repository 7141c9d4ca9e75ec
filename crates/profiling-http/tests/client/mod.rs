//! A client of the endpoints, as programs have it: ureq; and one by hand, for what no good client does.

// Not every test program needs all of it.
#![allow(dead_code)]

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::Duration,
};

use allometer_core::{Config, Profiler};
use allometer_http::{Address, Builder, Endpoints, Server};
use allometer_profile::{Figures, Profile};

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    headers: Vec<(String, String)>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| &**value)
    }

    /// The status and the line that says what is wrong.
    pub(crate) fn refusal(&self) -> (u16, &str) {
        assert_eq!(self.header("x-go-pprof"), Some("1"), "{self:?}");
        let line = self.text().strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "{line}");
        (self.status, line)
    }

    pub(crate) fn profile(&self) -> Profile {
        assert_eq!(self.status, 200, "{:?}", String::from_utf8_lossy(&self.body));
        allometer_core::unsampled(|| Profile::from_pprof(&self.body).unwrap())
    }
}

/// Asks a server that listens at a port.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    base: String,
    headers: Vec<(String, String)>,
}

impl Client {
    pub(crate) fn of(server: &Server) -> Self {
        let Address::Tcp(address) = server.address() else { panic!("{:?}", server.address()) };
        Self { base: format!("http://{address}"), headers: Vec::new() }
    }

    /// The same, with one more header.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.push((name.to_owned(), value.to_owned()));
        Self { headers, ..self.clone() }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    pub(crate) fn post(&self, path: &str) -> Answer {
        self.ask("POST", path, &[])
    }

    /// What this takes of memory is in no profile.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        allometer_core::unsampled(|| self.send(method, path, body))
    }

    fn send(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(100)))
            .build()
            .into();
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut response = match body.is_empty() && method != "POST" {
            true => agent.run(request.body(()).unwrap()).unwrap(),
            false => agent.run(request.body(body.to_vec()).unwrap()).unwrap(),
        };
        let headers = response.headers().iter();
        let headers =
            headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
        let body = response.body_mut().with_config().limit(1 << 30).read_to_vec().unwrap();
        Answer { status: response.status().as_u16(), body, headers }
    }

    /// A connection of its own, on which nothing was said.
    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.base.strip_prefix("http://").unwrap()).unwrap()
    }

    /// A connection on which this was asked for, and nothing was read.
    pub(crate) fn asking(&self, path: &str) -> TcpStream {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        stream
    }
}

/// What a connection says until it is closed.
pub(crate) fn rest(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Waits until it is so; the process has a limit from outside.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::sleep(Duration::from_millis(10));
    }
}

/// A session that counts every request.
pub(crate) fn session() -> Profiler {
    Profiler::start(Config::default().sample_interval(1)).unwrap()
}

/// A server for these endpoints, at any port.
pub(crate) fn serve(endpoints: Builder) -> (Server, Client) {
    let server = Server::start("127.0.0.1:0", endpoints.build().unwrap()).unwrap();
    let client = Client::of(&server);
    (server, client)
}

/// One that reads a session, without a thread for the history.
pub(crate) fn serve_session(session: &Profiler) -> (Server, Client) {
    serve(Endpoints::reading(session.reader()).history(None))
}

/// What a profile says of the stacks through a function whose name has this in it.
pub(crate) fn figures(profile: &Profile, function: &str) -> Figures {
    let goes_through = |sample: &&allometer_profile::Sample| {
        let mut lines =
            sample.stack.iter().flat_map(|location| &profile.locations[location.0 as usize].lines);
        lines.any(|line| profile.functions[line.function.0 as usize].name.contains(function))
    };
    profile.samples.iter().filter(goes_through).map(|sample| sample.figures).sum()
}
