//! Tags: names for what a thread is at work for, so that memory can be told apart by it. See [`docs/tags.md`].
//!
//! | module | owns |
//! |---|---|
//! | `text` | a name as it is kept |
//! | `names` | all names of a process, each with a number |
//! | `held` | the tags that a thread holds |
//! | `tagged` | the guard that holds one |
//! | `admitted` | the tags that a session tells apart |
//!
//! [`docs/tags.md`]: https://github.com/allometer/allometer/blob/main/docs/tags.md

mod admitted;
mod held;
mod names;
mod tagged;
mod text;

use std::{fmt, num::NonZeroU16};

#[cfg(not(any(loom, shuttle)))]
use crate::process::PROCESS;

pub(crate) use admitted::{Admitted, AdmittedPlace};
pub(crate) use held::HeldTags;
pub(crate) use names::{NAMES, Names, NamesOnce};
pub use tagged::Tagged;
#[cfg(not(any(loom, shuttle)))]
pub use tagged::tag;
pub(crate) use text::Text;

/// A name for what a thread is at work for: a tenant, a kind of request, a phase.
///
/// It is a small number. Making one from a name that is known already looks the name up; one that is new is kept
/// for as long as the process runs, in memory from the operating system: nothing is requested from the allocator,
/// and nobody is waited for. Keep the tag where the same name comes often.
///
/// ```
/// use allometer_core::Tag;
///
/// let parse = Tag::new("parse");
/// assert_eq!(parse, Tag::new("parse"));
/// assert_eq!(parse.name(), "parse");
///
/// let _tagged = parse.enter(); // what this thread requests from here on is marked
/// ```
///
/// # Bounds
///
/// A process tells 4096 names apart; what comes later is [`Tag::OTHERS`]. A name has at most 240 bytes, what is
/// longer is cut. Control characters are written as `\u{1b}`, since names may come from strangers and are shown in
/// terminals. An empty name is called `[no name]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(NonZeroU16);

impl Tag {
    /// The tag of what finds no room: among a process's names, or among those that a session tells apart. It is
    /// called `[other tags]`.
    pub const OTHERS: Self = Self(NonZeroU16::MIN);

    /// The tag of a number, if it is one.
    pub(crate) fn of_number(number: u16) -> Option<Self> {
        NonZeroU16::new(number).map(Self)
    }

    pub(crate) fn number(self) -> u16 {
        self.0.get()
    }

    /// Marks what this thread requests, until the answer is dropped.
    pub fn enter(self) -> Tagged {
        Tagged::with(Some(self))
    }
}

#[cfg(not(any(loom, shuttle)))]
impl Tag {
    /// The tag of this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        if Text::is_plain(name) { Self::of(name) } else { Self::format(format_args!("{name}")) }
    }

    /// The tag of a name that is put together, without allocating for it.
    ///
    /// ```
    /// use allometer_core::Tag;
    ///
    /// let tenant = 17;
    /// assert_eq!(Tag::format(format_args!("tenant {tenant}")).name(), "tenant 17");
    /// ```
    #[must_use]
    pub fn format(name: fmt::Arguments<'_>) -> Self {
        Self::of(Text::of(name).as_str())
    }

    /// The tag of a name that is kept as it is.
    fn of(name: &str) -> Self {
        PROCESS.recorder.names().map_or(Self::OTHERS, |names| names.intern(name))
    }

    /// The name, as it is kept.
    #[must_use]
    pub fn name(self) -> &'static str {
        // Without room for names there is no tag but one.
        PROCESS.recorder.names().map_or(names::OTHERS, |names| names.name(self))
    }
}

#[cfg(not(any(loom, shuttle)))]
impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tag").field(&self.name()).finish()
    }
}

#[cfg(any(loom, shuttle))]
impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tag").field(&self.number()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(any(loom, shuttle)))]
    #[test]
    fn equal_names_are_one_tag() {
        let (one, other) = (Tag::new("one"), Tag::new("other"));
        assert_ne!(one, other);
        assert_eq!((one, other), (Tag::format(format_args!("{}e", "on")), Tag::new("other")));
        assert_eq!((one.name(), format!("{other:?}")), ("one", "Tag(\"other\")".to_owned()));
        assert_eq!(Tag::OTHERS.name(), "[other tags]");
        assert_eq!(size_of::<Option<Tag>>(), 2);
    }
}
