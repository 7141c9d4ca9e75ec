//! What the faults are tried on.

use std::alloc::GlobalAlloc;

use allometer_core::SamplingAllocator;
use allometer_provider::Provider;

use crate::Faulty;

/// The program's global allocator.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    /// The wrapper, as the compiler calls it.
    pub(crate) allocator: &'static dyn GlobalAlloc,
    /// The provider, where it is the one with faults.
    pub(crate) faulty: Option<&'static Faulty>,
}

impl Subject {
    pub(crate) fn new<A: Provider>(
        allocator: &'static SamplingAllocator<A>,
        faulty: Option<&'static Faulty>,
    ) -> Self {
        Self { allocator, faulty }
    }

    /// The provider with faults; only parts that are run over it ask.
    pub(crate) fn faulty(&self) -> &'static Faulty {
        self.faulty.unwrap()
    }
}
