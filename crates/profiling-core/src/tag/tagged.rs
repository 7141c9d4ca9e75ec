//! The guard that holds a tag.

use std::marker::PhantomData;

use super::{Tag, held::Held};
use crate::thread;

/// Marks what this thread requests with a tag, until it is dropped: see [`Tag::enter`].
///
/// Of several that are held, the one that was made last marks. They may be dropped in any order; whatever the order,
/// the last one that is still held marks, and when all are gone, nothing does. A thread can hold 24 at once; one more
/// marks nothing. One that is leaked marks for as long as the thread runs.
///
/// It belongs to its thread, so it cannot be sent to another one:
///
/// ```compile_fail,E0277
/// let tagged = allometer_core::tag("here");
/// std::thread::spawn(move || drop(tagged));
/// ```
///
/// nor held over an `.await` in a task that moves between threads. In a task that stays on its thread it can be, and
/// would mark what other tasks request while that one waits; the crate `allometer-tracing` marks by spans, which are
/// left when a task waits.
#[must_use = "it marks until it is dropped, which is now"]
#[derive(Debug)]
pub struct Tagged {
    /// None: there was no place.
    held: Option<Held>,
    of_this_thread: PhantomData<*const ()>,
}

impl Tagged {
    /// A guard without a tag yet: what is marked around it goes on to be marked so.
    pub fn none() -> Self {
        Self::with(None)
    }

    pub(super) fn with(tag: Option<Tag>) -> Self {
        Self { held: thread::with(|thread| thread.tags().take(tag)), of_this_thread: PhantomData }
    }

    /// From now on this guard marks with another tag, or with none. It does not come before guards that were made
    /// after it.
    ///
    /// ```
    /// use allometer_core::{Tag, tag};
    ///
    /// let mut tagged = tag("a request");
    /// // … and once it is known whose …
    /// tagged.set(Some(Tag::new("a request of tenant 7")));
    /// ```
    pub fn set(&mut self, tag: Option<Tag>) {
        if let Some(held) = self.held {
            thread::with(|thread| thread.tags().set(held, tag));
        }
    }
}

impl Drop for Tagged {
    fn drop(&mut self) {
        if let Some(held) = self.held {
            thread::with(|thread| thread.tags().end(held));
        }
    }
}

/// Marks what this thread requests with a tag of this name, until the answer is dropped: [`Tag::new`], and
/// [`Tag::enter`].
///
/// ```
/// let rows = {
///     let _tagged = allometer_core::tag("import");
///     vec![0u8; 1000]
/// };
/// # drop(rows);
/// ```
#[cfg(not(any(loom, shuttle)))]
pub fn tag(name: &str) -> Tagged {
    Tag::new(name).enter()
}
