//! Pyroscope's agent over our backend, in a program of its own, and servers that take what it pushes, or do not.
//!
//! | module | owns |
//! |---|---|
//! | `arrivals` | what arrives at a server that is well |
//! | `losses` | what becomes of reports that a server refuses |
//! | `waits` | servers that do not answer: the program works, the agent ends |
//! | `sessions` | sessions that are over before the agent is |
//! | `receiver` | a server on loopback, with the answers that it is told to give |
//! | `push` | a request of the agent, decoded |
//! | `program` | the program in a process of its own, under a deadline |

mod arrivals;
mod losses;
mod program;
mod push;
mod receiver;
mod sessions;
mod waits;

use std::time::Duration;

/// Far more than anything takes: only what hangs is ended by it.
const PATIENCE: Duration = Duration::from_secs(120);
