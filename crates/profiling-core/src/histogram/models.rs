use super::*;
use crate::{
    sampler::Interval,
    sync::{Model, together},
};
use std::sync::Arc;

fn add(histogram: &Histogram<2>, quantities: [u64; 2]) {
    quantities.iter().for_each(|quantity| histogram.add(*quantity, Interval::new(1).weight(1)));
}

#[test]
fn nothing_counted_is_lost() {
    Model::check(|| {
        let histogram = Arc::new(Histogram::<2>::default());
        let read = |histogram: &Histogram<2>| {
            let [few, many] = histogram.load();
            assert!(few <= 1.0 && many <= 3.0);
        };
        together(&histogram, [|it| add(it, [0, 1]), |it| add(it, [7, 1]), read]);
        assert_eq!(histogram.load(), [1.0, 3.0]);
    });
}
