//! What a stack is counted under, beside the stack.

use crate::tag::Tag;

/// The scope and the tag of a request. Both are numbers, in one word, so that they are compared as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Context(pub(super) u64);

/// Bits of the scope. The tag is above them, and there is room above the tag.
const SCOPE: u32 = 32;

impl Context {
    /// No scope, no tag.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self(0);

    /// `scope` is zero for none.
    #[inline(always)]
    pub(crate) fn new(scope: u32, tag: Option<Tag>) -> Self {
        Self(u64::from(tag.map_or(0, Tag::number)) << SCOPE | u64::from(scope))
    }

    /// The scope, or zero.
    pub(crate) fn scope(self) -> u32 {
        self.0 as u32
    }

    pub(crate) fn tag(self) -> Option<Tag> {
        Tag::of_number((self.0 >> SCOPE) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_a_scope_and_a_tag() {
        let both = Context::new(u32::MAX, Some(Tag::OTHERS));
        assert_eq!((both.scope(), both.tag()), (u32::MAX, Some(Tag::OTHERS)));
        assert_eq!(Context::new(0, None), Context::NONE);
        assert_eq!(Context::NONE.tag(), None);
    }
}
