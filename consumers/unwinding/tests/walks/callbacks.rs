//! Through the C library and back.

use std::{cmp::Ordering, ffi::c_void};

use crate::{
    check::Check,
    leaf::{keep, stay},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "callbacks::qsort", run: sorting },
    Check { name: "callbacks::bsearch", run: searching },
    Check { name: "callbacks::bsearch_within_qsort", run: searching_while_sorting },
];

extern "C" fn compare_and_keep(a: *const c_void, b: *const c_void) -> i32 {
    keep();
    compare(a, b)
}

extern "C" fn compare_and_search(a: *const c_void, b: *const c_void) -> i32 {
    search();
    compare(a, b)
}

/// By the number that each points to.
fn compare(a: *const c_void, b: *const c_void) -> i32 {
    // SAFETY: the C library passes elements of the array that it was given, or the key.
    let [a, b] = [a, b].map(|number| unsafe { number.cast::<u32>().read() });
    match a.cmp(&b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

type Compare = extern "C" fn(*const c_void, *const c_void) -> i32;

#[inline(never)]
fn sort(compare: Compare) {
    let mut numbers = [5_u32, 3, 9, 1, 7, 2, 8, 4, 6];
    // SAFETY: an array of so many elements of this size (qsort(3)).
    unsafe { libc::qsort(numbers.as_mut_ptr().cast(), numbers.len(), size_of::<u32>(), Some(compare)) };
    assert!(numbers.is_sorted());
}

#[inline(never)]
fn search() {
    let numbers = [1_u32, 2, 3, 5, 8, 13, 21];
    // SAFETY: a key, and a sorted array of so many elements of this size (bsearch(3)).
    let found = unsafe {
        let (key, base) = ((&raw const numbers[4]).cast(), numbers.as_ptr().cast());
        libc::bsearch(key, base, numbers.len(), size_of::<u32>(), Some(compare_and_keep))
    };
    assert!(!found.is_null());
    stay();
}

fn sorting() {
    let ways = Ways::of(|| sort(compare_and_keep));
    ways.verify(&["leaf::keep", "callbacks::compare_and_keep", "callbacks::sort", "walks::main"]);
    // The sort is by merging, so its comparisons come from several depths.
    assert!(ways.frame_pointers.stacks.len() > 2);
}

fn searching() {
    let ways = Ways::of(search);
    ways.verify(&["leaf::keep", "callbacks::compare_and_keep", "callbacks::search", "walks::main"]);
}

fn searching_while_sorting() {
    let ways = Ways::of(|| sort(compare_and_search));
    let functions = ["leaf::keep", "callbacks::search", "callbacks::compare_and_search", "callbacks::sort"];
    ways.verify(&functions);
}
