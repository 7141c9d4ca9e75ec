use std::io::Read;
use std::time::Duration;

use clap::Args;
use ureq::{Agent, Body};

use crate::error::Error;

/// How long it may take to reach the server.
const CONNECT: Duration = Duration::from_secs(10);
/// How many seconds it may take in all, unless something else is asked for.
const TIMEOUT: u64 = 120;
/// Bytes of a server's complaint of which the first line is shown.
const COMPLAINT: u64 = 256;

/// How URLs are read.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Fetch {
    /// How long reading from a URL may take, the time that the server waits itself (`?seconds=30`) included
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

impl Default for Fetch {
    fn default() -> Self {
        Self { timeout: TIMEOUT }
    }
}

/// What the server answers, as it comes in.
pub(super) fn open(url: &str, fetch: Fetch) -> Result<impl Read + use<>, Error> {
    if url.starts_with("https://") {
        return Err(Error::Encrypted { url: url.to_owned() });
    }
    let agent: Agent = Agent::config_builder()
        .timeout_connect(Some(CONNECT))
        .timeout_global(Some(Duration::from_secs(fetch.timeout)))
        .http_status_as_error(false)
        .user_agent(concat!("allometer/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let response = agent
        .get(url)
        .call()
        .map_err(|source| Error::Request { url: url.to_owned(), source: Box::new(source) })?;
    let status = response.status().as_u16();
    let body = response.into_body();
    if status != 200 {
        return Err(Error::Status { url: url.to_owned(), status, line: first_line(body) });
    }
    Ok(body.into_reader())
}

/// Control characters are those of whoever shows the error.
fn first_line(body: Body) -> String {
    let mut text = Vec::new();
    // What came before the connection broke is still worth showing.
    let _ = body.into_reader().take(COMPLAINT).read_to_end(&mut text);
    String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned()
}
