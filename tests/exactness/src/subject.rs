//! What a line is measured on.

use std::alloc::GlobalAlloc;

use allometer_core::SamplingAllocator;
use allometer_provider::Provider;

use crate::Scripted;

/// The program's global allocator.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    /// The wrapped provider, to be asked without the sampler in between.
    pub(crate) provider: &'static dyn GlobalAlloc,
    /// The provider, where it is the one that does as it is told.
    pub(crate) script: Option<&'static Scripted>,
}

impl Subject {
    pub(crate) fn new<A: Provider>(
        allocator: &'static SamplingAllocator<A>,
        script: Option<&'static Scripted>,
    ) -> Self {
        Self { provider: allocator.provider(), script }
    }
}
