//! The service, and what is asked of it.

// Not every test program needs all of it.
#![allow(dead_code)]

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use allometer::profile::{Profile, is_of_std};

pub(crate) struct Service {
    child: Child,
    address: String,
    agent: ureq::Agent,
}

impl Service {
    /// With these words in the variable.
    pub(crate) fn start(words: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shop"))
            .env("ALLOMETER", words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Self { child, address, agent }
    }

    pub(crate) fn post(&self, path: &str) {
        let status = self.agent.post(format!("http://{}{path}", self.address)).send_empty().unwrap().status();
        assert!(status.is_success(), "{path}: {status}");
    }

    /// The status, and the body.
    pub(crate) fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let mut response = self.agent.get(format!("http://{}{path}", self.address)).call().unwrap();
        (response.status().as_u16(), response.body_mut().read_to_vec().unwrap())
    }

    /// So many requests of three tenants, for products that are mostly not in the cache.
    pub(crate) fn load(&self, requests: u64) {
        for number in 0..requests {
            let tenant = ["acme", "bolt", "cord"][(number % 3) as usize];
            let product = number * 7919 % 4096;
            let asked = self
                .agent
                .get(format!("http://{}/products/{product}", self.address))
                .header("x-tenant", tenant);
            let page = asked.call().unwrap().body_mut().read_to_string().unwrap();
            assert!(page.starts_with(&format!("{product}: ")), "{page}");
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The innermost function that is not of the standard library.
pub(crate) fn owner<'profile>(
    profile: &'profile Profile,
    sample: &allometer::profile::Sample,
) -> &'profile str {
    let locations = sample.stack.iter().filter_map(|&index| profile.location(index));
    let lines = locations.flat_map(|location| &location.lines);
    let mut names = lines.filter_map(|line| profile.function(line.function)).map(|function| &*function.name);
    names.find(|name| !is_of_std(name)).unwrap_or_default()
}
