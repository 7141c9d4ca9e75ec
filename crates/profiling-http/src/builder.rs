//! Endpoints before they are there.

use std::time::Duration;

use crate::{
    Endpoints, Error,
    access::{Access, Token},
    session::Session,
};

/// How often a figure is kept.
const EVERY: Duration = Duration::from_secs(10);
/// How often one can be kept.
const OFTEN: Duration = Duration::from_millis(100);

/// What endpoints are told: [`Endpoints::reading`], [`Endpoints::controlling`].
#[derive(Debug)]
#[must_use]
pub struct Builder {
    pub(crate) session: Session,
    pub(crate) access: Access,
    pub(crate) offers_cmdline: bool,
    pub(crate) offers_purge: bool,
    pub(crate) history: Option<Duration>,
}

impl Builder {
    pub(crate) fn new(session: Session) -> Self {
        let history = Some(EVERY);
        Self { session, access: Access::default(), offers_cmdline: false, offers_purge: false, history }
    }

    /// A secret without which nobody is answered: in the header `Authorization`, as a bearer token or as the password that a
    /// browser asks for. Without one, only who calls the server by a name or an address of the machine itself is answered.
    ///
    /// # Errors
    ///
    /// [`Error::Token`] unless it has 16 or more characters, all of them visible ASCII.
    pub fn token(mut self, token: impl Into<String>) -> Result<Self, Error> {
        self.access.token = Some(Token::new(token.into()).ok_or(Error::Token)?);
        Ok(self)
    }

    /// A name by which the server may be called, beside `localhost` and addresses: what a request's `Host` says, without a port.
    /// Others are refused, since a page of somebody else can have a name of its own lead to this machine.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.access.hosts.push(name.into().to_ascii_lowercase());
        self
    }

    /// Whether `/debug/pprof/cmdline` tells how the program was started: off by default, for there may be secrets in it.
    pub fn cmdline(mut self, is_offered: bool) -> Self {
        self.offers_cmdline = is_offered;
        self
    }

    /// Whether requests can have the allocator give free memory back, by `gc=1` and by POST: off by default, for that takes time in
    /// which other threads may wait.
    pub fn purge(mut self, is_offered: bool) -> Self {
        self.offers_purge = is_offered;
        self
    }

    /// How often a figure of the live heap, and of memory, is kept for the page, and a snapshot: each ten seconds by default, a
    /// tenth of a second at least; `None` for never. The last 720 figures are there, and at most 16 snapshots, in at most 16 MiB unless
    /// one alone takes more.
    ///
    /// It is done by a thread of its own.
    pub fn history(mut self, every: Option<Duration>) -> Self {
        self.history = every.map(|every| every.max(OFTEN));
        self
    }

    /// The endpoints.
    ///
    /// # Errors
    ///
    /// [`Error::Thread`]: there is no room for the one that keeps the history.
    pub fn build(self) -> Result<Endpoints, Error> {
        Endpoints::of(self).map_err(|cause| Error::Thread { cause })
    }
}
