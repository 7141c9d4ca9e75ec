//! One thing that holds over every provider, and what it is tried on.

use std::{alloc::GlobalAlloc, time::Duration};

use allometer_core::SamplingAllocator;
use allometer_provider::Provider;

/// One thing that must hold. It fails by a panic, or by not returning in time.
#[derive(Clone, Copy)]
pub struct Check {
    /// What holds, as the name of a test.
    pub name: &'static str,
    /// How long its process may take. Generous: it tells a hang from slow work, on any machine.
    pub limit: Duration,
    /// Tries it.
    pub run: fn(&Subject),
}

impl Check {
    /// A check with the usual limit of two minutes.
    pub const fn new(name: &'static str, run: fn(&Subject)) -> Self {
        Self { name, limit: Duration::from_secs(120), run }
    }
}

/// What a check is tried on: the program's global allocator.
#[derive(Clone, Copy)]
pub struct Subject {
    /// The name that the provider must have.
    pub name: &'static str,
    /// The wrapper, as the compiler calls it.
    pub allocator: &'static dyn GlobalAlloc,
    /// The wrapped provider.
    pub provider: &'static dyn Provider,
}

impl Subject {
    pub(crate) fn new<A: Provider>(allocator: &'static SamplingAllocator<A>, name: &'static str) -> Self {
        Self { name, allocator, provider: allocator.provider() }
    }
}
