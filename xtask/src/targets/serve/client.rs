//! Asking a server, as programs do.

use std::{io::Write, net::TcpStream, time::Duration};

use allometer_profile::{Amount, Profile};

use crate::error::Error;

/// As long as Alloy waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of an answer.
const MAX: u64 = 256 << 20;

/// Asks a server at an address; each request on a connection of its own.
#[derive(Clone, Debug)]
pub(super) struct Client {
    address: String,
}

/// What was answered.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Client {
    pub(super) fn new(address: &str) -> Self {
        Self { address: address.to_owned() }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn get(&self, path: &str) -> Result<Answer, Error> {
        self.get_with(path, &[])
    }

    pub(super) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Result<Answer, Error> {
        let mut request = agent().get(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.answer(path, request.call())
    }

    pub(super) fn post(&self, path: &str) -> Result<Answer, Error> {
        self.answer(path, agent().post(self.url(path)).send_empty())
    }

    fn answer(
        &self,
        path: &str,
        response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Answer, Error> {
        let fault = |error: ureq::Error| Error::reader(&self.url(path), error.to_string());
        let mut response = response.map_err(fault)?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MAX).read_to_vec().map_err(fault)?;
        Ok(Answer { status, body })
    }

    /// What is answered with 200, as a profile.
    pub(super) fn profile(&self, path: &str) -> Result<Profile, Error> {
        let Answer { status, body } = self.get(path)?;
        if status != 200 {
            let said = String::from_utf8_lossy(&body).trim().to_owned();
            return Err(Error::reader(&self.url(path), format!("{status}: {said}")));
        }
        Profile::from_pprof(&body).map_err(|error| Error::reader(&self.url(path), error.to_string()))
    }

    /// A connection on which this was asked for, and nothing was read.
    pub(super) fn asking(&self, request: &str) -> Result<TcpStream, Error> {
        let fault = |error: std::io::Error| Error::reader(&self.url(""), error.to_string());
        let mut stream = TcpStream::connect(&self.address).map_err(fault)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(fault)?;
        stream.write_all(request.as_bytes()).map_err(fault)?;
        Ok(stream)
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().into()
}

/// What was allocated on the stacks through a function whose name has this in it.
pub(super) fn allocated(profile: &Profile, function: &str) -> Amount {
    let is_through = |sample: &&allometer_profile::Sample| {
        let lines = sample.stack.iter().filter_map(|index| profile.location(*index)).flat_map(|it| &it.lines);
        let mut functions = lines.filter_map(|line| profile.function(line.function));
        functions.any(|it| it.name.contains(function))
    };
    profile.samples.iter().filter(is_through).fold(Amount::default(), |sum, it| sum + it.figures.alloc)
}
