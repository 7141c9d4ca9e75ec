//! Code that comes from other profilers.
//!
//! What RustFS's code does with the name `SamplingMiMalloc` is a suite that a program runs over whichever build of mimalloc it has.
//!
//! | module | owns |
//! |---|---|
//! | `rustfs` | the suite |

// A failed expectation is a panic, as in any test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod rustfs;
