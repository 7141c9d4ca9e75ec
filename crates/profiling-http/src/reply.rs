//! What is answered, now or after a while.

use std::time::{Duration, Instant};

use allometer_profile::Moment;
use bytes::Bytes;
use http::Response;

use crate::{Endpoints, budget::Share, place::Client, wanted::Wanted};

/// What a request is answered, now or after a while.
#[derive(Debug)]
pub enum Reply {
    /// The answer.
    Now(Response<Bytes>),
    /// What is allocated from now on for some seconds: nobody's place is taken meanwhile.
    Later(Later),
}

/// An answer that is to be made after a while. Dropping it is well.
#[derive(Debug)]
pub struct Later {
    pub(crate) endpoints: Endpoints,
    pub(crate) wanted: Wanted,
    pub(crate) before: Box<dyn Moment>,
    pub(crate) due: Instant,
    pub(crate) _waiting: Share,
}

impl Later {
    /// How long to wait until then.
    pub fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// The answer, of the span until now.
    pub fn finish(self) -> Response<Bytes> {
        self.finish_for(&Client::default())
    }

    pub(crate) fn finish_for(self, client: &Client) -> Response<Bytes> {
        let Self { endpoints, wanted, before, .. } = self;
        let answer = endpoints.0.session.left_out(|| endpoints.profile(&wanted, Some(&*before), client));
        answer.unwrap_or_else(|refusal| refusal.response())
    }
}

impl Reply {
    /// The answer; sleeps until it is time for it.
    pub fn wait(self) -> Response<Bytes> {
        match self {
            Self::Now(response) => response,
            Self::Later(later) => {
                std::thread::sleep(later.wait());
                later.finish()
            }
        }
    }
}
