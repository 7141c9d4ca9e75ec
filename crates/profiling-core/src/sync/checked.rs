//! The atomics of a model: loom's, which are asked at each operation whether its order is to be weakened.

#![allow(dead_code, reason = "all of them have all operations that some of them need")]

use std::sync::atomic::Ordering;

use loom::sync::atomic;

use super::place::Places;

macro_rules! atomic {
    ($name:ident$(<$of:ident>)?, $value:ty, $($more:ident),*) => {
        pub(crate) struct $name$(<$of>)?(atomic::$name$(<$of>)?);

        impl$(<$of>)? std::fmt::Debug for $name$(<$of>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }

        impl$(<$of>)? $name$(<$of>)? {
            #[track_caller]
            pub(crate) fn new(value: $value) -> Self {
                Self(atomic::$name::new(value))
            }

            #[track_caller]
            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.0.load(Places::order(order, ""))
            }

            #[track_caller]
            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, Places::order(order, ""));
            }

            #[track_caller]
            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                self.0.swap(value, Places::order(order, ""))
            }

            #[track_caller]
            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let (success, failure) = (Places::order(success, ""), Places::order(failure, " failure"));
                self.0.compare_exchange(current, new, success, failure)
            }

            /// As the standard library's is made of the others. Loom's own answers at the first failure.
            #[track_caller]
            pub(crate) fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut change: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let (set, fetch) = (Places::order(set, ""), Places::order(fetch, " failure"));
                let mut now = self.0.load(fetch);
                while let Some(next) = change(now) {
                    match self.0.compare_exchange(now, next, set, fetch) {
                        Ok(before) => return Ok(before),
                        Err(newer) => now = newer,
                    }
                }
                Err(now)
            }

            /// What is there, in memory that nobody changes any more.
            ///
            /// # Safety
            ///
            /// All changes happened before; loom checks it.
            #[track_caller]
            #[allow(unsafe_code)]
            pub(crate) unsafe fn unsync_load(&self) -> $value {
                // SAFETY: forwarded from the caller.
                unsafe { self.0.unsync_load() }
            }

            pub(crate) fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            $(
                #[track_caller]
                pub(crate) fn $more(&self, value: $value, order: Ordering) -> $value {
                    self.0.$more(value, Places::order(order, ""))
                }
            )*
        }
    };
}

macro_rules! integers {
    ($($name:ident: $value:ty,)*) => {
        $(
            atomic!($name, $value, fetch_add, fetch_sub, fetch_xor, fetch_max);

            impl Default for $name {
                fn default() -> Self {
                    Self::new(0)
                }
            }
        )*
    };
}

integers! {
    AtomicU8: u8,
    AtomicU16: u16,
    AtomicU32: u32,
    AtomicU64: u64,
    AtomicUsize: usize,
    AtomicI64: i64,
}
atomic!(AtomicBool, bool,);
atomic!(AtomicPtr<T>, *mut T,);

/// A fence, which is left out where its order is weakened.
#[track_caller]
pub(crate) fn fence(order: Ordering) {
    match Places::order(order, "") {
        Ordering::Relaxed => {}
        order => atomic::fence(order),
    }
}
