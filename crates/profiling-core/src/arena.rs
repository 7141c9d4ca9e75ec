//! The memory of one session: one reservation, cut into slices of atomics.

// unsafe: turns zeroed memory into slices.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use crate::{
    os::Reservation,
    sync::{self, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize},
};

/// A type whose zeroed memory is a valid value, the default one, which is changed through shared references only and
/// needs no drop.
///
/// # Safety
///
/// All of that holds for the type.
pub(crate) unsafe trait Zeroed: Sync + Default {}

// SAFETY: an integer of zero, changed atomically.
unsafe impl Zeroed for AtomicU8 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU16 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicUsize {}

/// Where slices of a reservation start, before it exists: each is placed on a cache line of its own.
#[derive(Default, Debug)]
pub(crate) struct Layout {
    bytes: usize,
}

/// A slice to come: `count` values of `T`, `offset` bytes into the reservation.
#[derive(Debug)]
pub(crate) struct Place<T> {
    offset: usize,
    count: usize,
    of: PhantomData<fn() -> T>,
}

const LINE: usize = 64;

impl Layout {
    pub(crate) fn place<T: Zeroed>(&mut self, count: usize) -> Place<T> {
        const { assert!(align_of::<T>() <= LINE) };
        let offset = self.bytes.next_multiple_of(LINE);
        self.bytes = offset + count * size_of::<T>();
        Place { offset, count, of: PhantomData }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Reservation {
    /// The slice at `place`, which was laid out for a reservation of at most this size.
    ///
    /// # Safety
    ///
    /// The reservation lives for `'a`, and each place is taken at most once from it.
    pub(crate) unsafe fn slice<'a, T: Zeroed>(&self, place: &Place<T>) -> &'a [T] {
        assert!(place.offset + place.count * size_of::<T>() <= self.bytes());
        // SAFETY: inside the reservation, on a cache line; zeroed memory is a valid `T`, and what was
        // written since was written through such a slice. It lives for `'a` by the caller's word.
        unsafe {
            let first = self.base().as_ptr().add(place.offset).cast();
            sync::make(first, place.count);
            std::slice::from_raw_parts(first, place.count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::Ordering::Relaxed;

    #[test]
    fn slices_do_not_overlap() {
        let mut layout = Layout::default();
        let (small, large) = (layout.place::<AtomicU8>(3), layout.place::<AtomicU64>(5));
        let reservation = Reservation::new(layout.bytes()).unwrap();
        // SAFETY: the reservation outlives both slices; each place is taken once.
        let (small, large) = unsafe { (reservation.slice(&small), reservation.slice(&large)) };
        assert_eq!((small.len(), large.len()), (3, 5));
        small.iter().for_each(|cell| cell.store(255, Relaxed));
        assert!(large.iter().all(|cell| cell.load(Relaxed) == 0));
        large.iter().for_each(|cell| cell.store(u64::MAX, Relaxed));
        assert!(small.iter().all(|cell| cell.load(Relaxed) == 255));
    }
}
