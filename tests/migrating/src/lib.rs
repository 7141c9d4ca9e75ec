//! Code that comes from other profilers.
//!
//! The page `docs/migrating.md` shows the least change to a program; all of its code that uses Allometer is compiled here,
//! as documentation tests. What programs do with RustFS's name, `SamplingMiMalloc`, is a suite that a program runs over
//! whichever build of mimalloc it has.
//!
//! | module | owns |
//! |---|---|
//! | `rustfs` | the suite |
//! | `page` | the page's code |

// A failed expectation is a panic, as in any test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(doctest)]
#[doc = include_str!("../../../docs/migrating.md")]
mod page {}
pub mod rustfs;
