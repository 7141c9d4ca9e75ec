//! A lock that is open in a forked child, whoever held it in the parent.

// unsafe: a pointer to what is never freed.
#![allow(unsafe_code)]

use std::{
    ptr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicPtr,
            Ordering::{AcqRel, Acquire, Release},
        },
    },
};

/// A lock around a value that starts as the default one, in a forked child too.
///
/// The child has one thread, and whoever held the parent's lock is not there to open it. So the child takes another
/// one, and leaves the parent's with what it guards, which may be half changed, where they are.
#[derive(Debug)]
pub(crate) struct ForkLock<T> {
    /// Null: nobody has locked it yet.
    current: AtomicPtr<Mutex<T>>,
}

impl<T: Default> ForkLock<T> {
    pub(crate) const fn new() -> Self {
        Self { current: AtomicPtr::new(ptr::null_mut()) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let current = self.current.load(Acquire);
        let lock = if current.is_null() { self.make() } else { current };
        // SAFETY: made by `make`, and never freed.
        unsafe { &*lock }.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn make(&self) -> *mut Mutex<T> {
        let made = Box::into_raw(Box::new(Mutex::new(T::default())));
        match self.current.compare_exchange(ptr::null_mut(), made, AcqRel, Acquire) {
            Ok(_) => made,
            Err(first) => {
                // SAFETY: made above, and seen by nobody else.
                drop(unsafe { Box::from_raw(made) });
                first
            }
        }
    }

    /// For a forked child: leaks the lock, and what it guards.
    pub(crate) fn forget(&self) {
        self.current.store(ptr::null_mut(), Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn all_threads_have_one_lock() {
        let lock = ForkLock::<usize>::new();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| *lock.lock() += 1));
            }
        });
        assert_eq!(*lock.lock(), 4000);
    }

    #[test]
    fn one_that_is_forgotten_is_open_and_empty() {
        let lock = ForkLock::<usize>::new();
        let mut held = lock.lock();
        *held = 7;
        lock.forget();
        assert_eq!(*lock.lock(), 0);
    }
}
