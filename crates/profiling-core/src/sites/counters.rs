//! What is counted at one site.

use crate::{
    counter::Wide,
    peak::SitePeak,
    sampler::Weight,
    sync::{AtomicU64, Ordering::Release, sized},
};

/// Objects, bytes, and the variances of both, in the fixed point of [`Weight`].
#[derive(Default, Debug)]
pub(crate) struct Counters {
    objects: Wide,
    bytes: Wide,
    objects_variance: Wide,
    bytes_variance: Wide,
}

/// Most times that counters which keep changing are read again.
const READS: usize = sized(8, 0);

impl Counters {
    pub(crate) fn add(&self, weight: Weight) {
        self.each(weight, Wide::add);
    }

    pub(crate) fn sub(&self, weight: Weight) {
        self.each(weight, Wide::sub);
    }

    fn each(&self, weight: Weight, change: fn(&Wide, u128)) {
        change(&self.objects, weight.objects);
        change(&self.bytes, weight.bytes);
        change(&self.objects_variance, weight.objects_variance);
        change(&self.bytes_variance, weight.bytes_variance);
    }

    /// Overwrites the sums.
    pub(crate) fn store(&self, sums: Weight) {
        self.each(sums, Wide::store);
    }

    /// The sums. While requests are being counted they may be of slightly different moments; reading until
    /// nothing changes makes that rare.
    pub(crate) fn load(&self) -> Weight {
        let mut sums = self.load_once();
        for _ in 0..READS {
            let again = self.load_once();
            if again == sums {
                break;
            }
            sums = again;
        }
        sums
    }

    fn load_once(&self) -> Weight {
        Weight {
            objects: self.objects.load(),
            bytes: self.bytes.load(),
            objects_variance: self.objects_variance.load(),
            bytes_variance: self.bytes_variance.load(),
        }
    }
}

/// The counters of a site. `samples`, `reallocs` and `alloc` only grow; `live` follows the heap;
/// `peak` belongs to [`crate::peak`].
#[derive(Default, Debug)]
pub(crate) struct SiteCounters {
    pub(crate) samples: AtomicU64,
    /// Objects that stand for requests made by `realloc`, in the fixed point of [`Weight::objects`].
    pub(crate) reallocs: Wide,
    pub(crate) alloc: Counters,
    pub(crate) live: Counters,
    pub(crate) peak: SitePeak,
}

impl SiteCounters {
    pub(crate) fn allocated(&self, weight: Weight, by_realloc: bool) {
        // Released, so that who reads it finds the stack written too.
        self.samples.fetch_add(1, Release);
        self.alloc.add(weight);
        if by_realloc {
            self.reallocs.add(weight.objects);
        }
    }
}
