//! Why something cannot be served.

use std::io;

use allometer_profile::SourceError;

/// Why something cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The token is too easy, or cannot stand in a header.
    #[error("the token is no good: expected 16 or more visible ASCII characters")]
    Token,
    /// The endpoints were given a session to read, and not the right to start one.
    #[error("these endpoints only read a session: expected some that control one")]
    ReadOnly,
    /// A session could not be started.
    #[error("no session could be started: {cause}")]
    Start {
        /// Why not.
        #[source]
        cause: SourceError,
    },
    /// The system has no room for a thread.
    #[error("no thread for the profiler's endpoints: {cause}")]
    Thread {
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// An address that is none.
    #[cfg(feature = "server")]
    #[error("`{}`: expected an address with a port, such as 127.0.0.1:6060, or unix:PATH", .text.escape_debug())]
    Address {
        /// What it says.
        text: String,
    },
    /// An address that other machines can reach, without a token.
    #[cfg(feature = "server")]
    #[error(
        "{address} can be reached from other machines: expected a loopback address, a Unix socket, or a token"
    )]
    Exposed {
        /// The address.
        address: std::net::SocketAddr,
    },
    /// Somebody else listens there, or may not.
    #[cfg(feature = "server")]
    #[error("{address}: the profiler's endpoints cannot be served there: {cause}")]
    Listen {
        /// Where.
        address: crate::Address,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
}
