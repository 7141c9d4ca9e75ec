//! What the live table had no room for.

use crate::{
    counter::Wide,
    sampler::Weight,
    sync::{AtomicU64, Ordering::Relaxed},
};

/// Samples that were counted as allocated and could not be followed.
#[derive(Default, Debug)]
pub(crate) struct Untracked {
    samples: AtomicU64,
    objects: Wide,
    bytes: Wide,
}

impl Untracked {
    pub(crate) fn add(&self, weight: Weight) {
        self.samples.fetch_add(1, Relaxed);
        self.objects.add(weight.objects);
        self.bytes.add(weight.bytes);
    }

    /// Samples, and what they stand for.
    pub(crate) fn load(&self) -> (u64, Weight) {
        let weight = Weight { objects: self.objects.load(), bytes: self.bytes.load(), ..Weight::default() };
        (self.samples.load(Relaxed), weight)
    }
}
