//! Measurements of code, several at once: the tests of this file run in parallel.

// A failed expectation is a panic, in the helpers of a test too.
#![allow(clippy::unwrap_used)]

use std::{alloc::System, hint::black_box, panic::catch_unwind, thread};

use allometer_core::{Budget, SamplingAllocator, Usage, measure_thread};
use allometer_provider::Custom;

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<System>> =
    SamplingAllocator::with_provider(Custom::new("system", System));

#[inline(never)]
fn leaky(held: &mut Vec<Vec<u8>>) {
    for size in [100, 200, 300] {
        held.push(black_box(vec![0; size]));
    }
    black_box(vec![1u8; 1000]);
}

fn leak() -> (Vec<Vec<u8>>, Usage) {
    let mut held = Vec::with_capacity(8);
    let ((), usage) = measure_thread(|| leaky(&mut held)).unwrap();
    (held, usage)
}

#[test]
fn counts_are_exact() {
    for _ in 0..50 {
        let (held, usage) = leak();
        assert_eq!((usage.allocations, usage.bytes), (4, 1600));
        assert_eq!((usage.live_objects, usage.live_bytes, usage.peak_bytes), (3, 600, 1600));
        assert_eq!(held.len(), 3);
    }
}

#[test]
fn a_growing_vector_counts_each_request() {
    for _ in 0..50 {
        let grow = || {
            (0..1024u64).fold(Vec::new(), |mut numbers, n| {
                numbers.push(n);
                numbers
            })
        };
        let (numbers, usage) = measure_thread(grow).unwrap();
        // 4, 8, … 1024 elements of 8 bytes.
        assert_eq!((usage.allocations, usage.bytes), (9, 8 * (4 + 2044 - 4)));
        assert_eq!((usage.live_objects, usage.live_bytes, usage.peak_bytes), (1, 8192, 8192));
        assert_eq!(numbers.len(), 1024);
    }
}

#[test]
fn other_threads_may_free_and_are_not_counted() {
    let (handle, usage) = measure_thread(|| {
        let block = black_box(vec![1u8; 500]);
        let other = thread::spawn(move || {
            drop(block);
            black_box(vec![1u8; 7000]).len()
        });
        other.join().unwrap()
    })
    .unwrap();
    assert_eq!(handle, 7000);
    let names = usage.to_string();
    assert!(usage.live_bytes < 500 && usage.bytes < 7000, "{names}");
}

#[test]
fn inside_another_measurement_only_the_inner_one_counts() {
    let (inner, outer) = measure_thread(|| {
        let outer = black_box(vec![1u8; 10]);
        let ((), inner) = measure_thread(|| drop(black_box(vec![1u8; 20]))).unwrap();
        drop(outer);
        inner
    })
    .unwrap();
    assert_eq!((inner.allocations, inner.bytes, inner.peak_bytes), (1, 20, 20));
    assert_eq!((outer.allocations, outer.bytes, outer.peak_bytes), (1, 10, 10));
}

fn message(assert: impl Fn() + std::panic::UnwindSafe) -> String {
    *catch_unwind(assert).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn a_failed_assertion_names_the_site() {
    let (held, usage) = leak();
    let usage = std::panic::AssertUnwindSafe(usage);
    let leak = message(|| usage.assert_no_leak());
    assert!(leak.starts_with("3 objects of 600 bytes were not freed:\n"), "{leak}");
    assert!(
        leak.contains("(3 objects, 600 bytes live) at") || leak.contains("(1 objects, 300 bytes live) at"),
        "{leak}"
    );
    assert!(leak.contains("measure::leaky (measure.rs:"), "{leak}");
    let budget = Budget::default().allocations(4).bytes(1599).peak_bytes(1600);
    let exceeded = message(|| usage.assert_budget(&budget));
    assert!(exceeded.starts_with("1600 bytes allocated, where 1599 are allowed:\n"), "{exceeded}");
    usage.assert_budget(&budget.bytes(1600));
    drop(held);
}

#[test]
fn a_panic_ends_the_measurement() {
    assert!(catch_unwind(|| measure_thread(|| panic!("on purpose"))).is_err());
    let ((), usage) = measure_thread(|| ()).unwrap();
    assert_eq!(usage.allocations, 0);
    usage.assert_no_leak();
}
