//! Heap profiles over HTTP: the endpoints that `go tool pprof`, Alloy, Parca and Prometheus know, and a page for people.
//!
//! [`Endpoints`] answer requests: as a plain function on the types of the crate `http`, as futures (feature `tokio`), as a router for `axum`
//! (feature `axum`), or by a server on a thread of its own (feature `server`). What there is, with its parameters, and what is
//! refused to whom: `docs/endpoints.md`.
//!
//! | module | owns |
//! |---|---|
//! | `endpoints`, `builder` | [`Endpoints`]: what is served, and to whom |
//! | `access` | who is answered |
//! | `route`, `query` | paths, methods, parameters |
//! | `wanted` | the profile that a request wants |
//! | `reply` | what is answered, now or after a while |
//! | `refusal` | why a request is not answered with what it asked for |
//! | `content` | kinds of content, and how a browser may treat them |
//! | `place` | the one place where a profile is made |
//! | `budget` | bytes and requests of which there are only so many |
//! | `session` | the session that is served |
//! | `figures`, `stats`, `metrics` | how it is doing, as JSON and for Prometheus |
//! | `history`, `points`, `moments` | how memory went |
//! | `symbol`, `index`, `page` | names of addresses, the list of what there is, the page |
//! | `respond`, `router`, `server` | requests that come by tokio, by axum, by a socket |

mod access;
mod budget;
mod builder;
mod content;
mod endpoints;
mod error;
mod figures;
mod history;
mod index;
mod metrics;
mod moments;
mod page;
mod place;
mod points;
mod query;
mod refusal;
mod reply;
#[cfg(feature = "tokio")]
mod respond;
mod route;
#[cfg(feature = "axum")]
mod router;
#[cfg(feature = "server")]
mod server;
mod session;
mod stats;
mod symbol;
mod wanted;

pub use builder::Builder;
pub use endpoints::Endpoints;
pub use error::Error;
pub use reply::{Later, Reply};
#[cfg(feature = "axum")]
pub use router::router;
#[cfg(feature = "server")]
pub use server::{Address, Server, serve};
