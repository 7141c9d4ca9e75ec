use super::*;
use crate::{
    sampler::Interval,
    sync::{Model, together},
};
use std::sync::Arc;

/// Two sites, and what a request does to the peak.
#[derive(Default)]
struct Heap {
    peak: Peak,
    sites: [SiteCounters; 2],
}

impl Heap {
    fn change(&self, site: usize, more: usize, less: usize) {
        let (more, less) = (Interval::new(1).weight(more), Interval::new(1).weight(less));
        self.peak.save(&self.sites[site]);
        self.sites[site].live.add(more);
        self.sites[site].live.sub(less);
        self.peak.moved(more.bytes, less.bytes, || 0);
    }

    fn at_peak(&self, site: usize) -> u128 {
        self.peak.of(&self.sites[site]).bytes >> 20
    }
}

#[test]
fn a_heap_that_only_grows_is_at_its_peak() {
    Model::check(|| {
        let heap = Arc::new(Heap::default());
        together(&heap, [|heap| heap.change(0, 100, 0), |heap| heap.change(1, 50, 0)]);
        assert_eq!([heap.at_peak(0), heap.at_peak(1)], [100, 50]);
    });
}

#[test]
fn what_a_site_saves_is_what_it_had() {
    Model::check(|| {
        let heap = Arc::new(Heap::default());
        heap.change(0, 100, 0);
        together(&heap, [|heap| heap.change(0, 0, 100), |heap| heap.change(1, 50, 0)]);
        // It went before the other came, or after.
        let at_peak = [heap.at_peak(0), heap.at_peak(1)];
        assert!([[100, 0], [100, 50], [0, 50]].contains(&at_peak), "{at_peak:?}");
    });
}

#[test]
fn a_reader_sees_a_peak_that_was() {
    Model::check(|| {
        let heap = Arc::new(Heap::default());
        heap.change(0, 10, 0);
        heap.change(0, 0, 3);
        heap.change(1, 40, 0);
        // At an older peak there were 10.
        let read = |heap: &Heap| assert_eq!(heap.at_peak(0), 7);
        together(&heap, [|heap| heap.change(0, 0, 2), read]);
        assert_eq!([heap.at_peak(0), heap.at_peak(1)], [7, 40]);
    });
}

#[test]
fn a_reader_sees_the_peak_before_or_the_new_one() {
    Model::check(|| {
        let heap = Arc::new(Heap::default());
        heap.change(0, 10, 0);
        heap.change(0, 0, 4);
        let read = |heap: &Heap| {
            let at_peak = heap.at_peak(0);
            assert!([10, 26].contains(&at_peak), "{at_peak}");
        };
        together(&heap, [|heap| heap.change(0, 20, 0), read]);
        assert_eq!(heap.at_peak(0), 26);
    });
}

#[test]
fn a_reader_sees_the_peak_before_or_after() {
    Model::check(|| {
        let heap = Arc::new(Heap::default());
        heap.change(0, 10, 0);
        let change = |heap: &Heap| {
            heap.change(0, 0, 4);
            heap.change(0, 20, 0);
        };
        let read = |heap: &Heap| {
            let at_peak = heap.at_peak(0);
            assert!([10, 26].contains(&at_peak), "{at_peak}");
        };
        together(&heap, [change, read]);
        assert_eq!(heap.at_peak(0), 26);
    });
}
