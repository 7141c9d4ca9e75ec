//! What threads share: atomics, fences, and memory that atomics lie in.
//!
//! Everything in this crate takes them from here. They are the standard library's; in the models of the
//! structures without locks, which are unit tests of a build with `--cfg loom`, they are [loom]'s, and in larger
//! scenarios, with `--cfg shuttle`, they are [shuttle]'s, so that what is checked is the code itself.
//! `docs/models.md` tells how, and what neither can see.
//!
//! [loom]: https://docs.rs/loom
//! [shuttle]: https://docs.rs/shuttle

// unsafe: makes values in memory that is given by its address, and reads atomics that nobody changes any more.
#![allow(unsafe_code)]

use crate::os;

pub(crate) use std::sync::atomic::Ordering;

#[cfg(loom)]
mod checked;
#[cfg(any(loom, shuttle))]
mod figures;
#[cfg(any(loom, shuttle))]
mod memory;
#[cfg(loom)]
mod model;
#[cfg(loom)]
mod place;
#[cfg(all(test, shuttle))]
mod schedules;
#[cfg(not(loom))]
mod unsafe_cell;

cfg_if::cfg_if! {
    if #[cfg(loom)] {
        pub(crate) use checked::{
            AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, fence,
        };
        pub(crate) use memory::Reservation;
        pub(crate) use loom::cell::UnsafeCell;
        pub(crate) use model::{Model, together};
    } else if #[cfg(shuttle)] {
        pub(crate) use memory::Reservation;
        #[cfg(test)]
        pub(crate) use schedules::Schedules;
        pub(crate) use shuttle::sync::atomic::{
            AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, fence,
        };
        pub(crate) use unsafe_cell::UnsafeCell;
    } else {
        pub(crate) use std::sync::atomic::{
            AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, fence,
        };
        pub(crate) use unsafe_cell::UnsafeCell;
    }
}

/// One of two sizes: that of the program, or that of its models. They are exhaustive, so they have to be small, and
/// what is rare in a large table has to happen in them.
pub(crate) const fn sized(program: usize, model: usize) -> usize {
    if cfg!(any(loom, shuttle)) { model } else { program }
}

/// A constructor that is `const`, where atomics are: those of a model are made as it runs.
macro_rules! const_unless_modelled {
    ($(#[$about:meta])* $visibility:vis fn $name:ident() -> Self $body:block) => {
        #[cfg(not(loom))]
        $(#[$about])*
        $visibility const fn $name() -> Self $body

        #[cfg(loom)]
        $(#[$about])*
        $visibility fn $name() -> Self $body
    };
}
pub(crate) use const_unless_modelled;

/// An array of values that are made alike, in such a constructor.
#[cfg(not(loom))]
macro_rules! array_of {
    ($value:expr; $count:expr) => {
        [const { $value }; $count]
    };
}
#[cfg(loom)]
macro_rules! array_of {
    ($value:expr; $count:expr) => {
        std::array::from_fn::<_, { $count }, _>(|_| $value)
    };
}
pub(crate) use array_of;

/// Makes `count` values at `first`, where zeros are. They are values already, unless they are a model's.
///
/// # Safety
///
/// There is room for them, which lives as long as they do. Zeros are such values, and their default.
#[inline(always)]
pub(crate) unsafe fn make<T: Default>(first: *mut T, count: usize) {
    if cfg!(any(loom, shuttle)) {
        // SAFETY: there is room for each.
        (0..count).for_each(|index| unsafe { first.add(index).write(T::default()) });
    }
}

/// Makes zeros of `count` values at `first`, and gives their memory back. A model calls `empty` for each instead.
///
/// # Safety
///
/// They are all of a [`os::Reservation`], which was never dropped.
#[inline(always)]
pub(crate) unsafe fn discard<T>(first: *mut T, count: usize, empty: impl Fn(&T)) {
    if cfg!(any(loom, shuttle)) {
        // SAFETY: by the caller's word they are there.
        (0..count).for_each(|index| empty(unsafe { &*first.add(index) }));
    } else {
        // SAFETY: forwarded from the caller.
        unsafe { os::discard(first.cast(), count * size_of::<T>()) };
    }
}

/// Integers that nobody changes any more.
///
/// # Safety
///
/// All changes happened before, for this thread too.
#[cfg(not(any(loom, shuttle)))]
#[inline(always)]
pub(crate) unsafe fn settled(words: &[AtomicUsize]) -> &[usize] {
    let words: *const [AtomicUsize] = words;
    // SAFETY: by the caller's word; an atomic integer has the layout of an integer.
    unsafe { &*(words as *const [usize]) }
}

/// As in the program, but that the model fails where the caller's word does not hold.
#[cfg(loom)]
pub(crate) unsafe fn settled(words: &[AtomicUsize]) -> Vec<usize> {
    // SAFETY: by the caller's word, which is checked.
    words.iter().map(|word| unsafe { word.unsync_load() }).collect()
}

/// As in the program.
///
/// # Safety
///
/// As there.
#[cfg(shuttle)]
pub(crate) unsafe fn settled(words: &[AtomicUsize]) -> Vec<usize> {
    // SAFETY: by the caller's word.
    words.iter().map(|word| unsafe { word.raw_load() }).collect()
}

/// In a value that others reach by its address: is told of each use and of the end. A model fails where a use
/// has not happened before the end; the program has nothing here.
#[derive(Default, Debug)]
pub(crate) struct Presence {
    #[cfg(any(loom, shuttle))]
    has_ended: UnsafeCell<bool>,
}

// SAFETY: a model looks after who uses it.
#[cfg(any(loom, shuttle))]
unsafe impl Sync for Presence {}

impl Presence {
    #[inline(always)]
    pub(crate) fn used(&self) {
        // SAFETY: checked by the model.
        #[cfg(any(loom, shuttle))]
        self.has_ended.with(|has_ended| assert!(!unsafe { *has_ended }, "used after its end"));
    }

    #[inline(always)]
    pub(crate) fn ends(&self) {
        // SAFETY: checked by the model.
        #[cfg(any(loom, shuttle))]
        self.has_ended.with_mut(|has_ended| unsafe { *has_ended = true });
    }
}
