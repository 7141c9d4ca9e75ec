//! The tags that a thread holds, in the order in which it took them.

use std::cell::Cell;

use super::Tag;

/// Tags that a thread can hold at once. What comes on top of them marks nothing.
pub(super) const DEPTH: usize = 24;

/// What a place says where nothing is held any more; a tag's number, or [`NO_TAG`], where something is.
const ENDED: u16 = 0;
/// Something is held, without a tag: what is below shows.
const NO_TAG: u16 = u16::MAX;

/// The tags that a thread holds: the one that was taken last marks its requests. They may end in any order.
#[derive(Debug)]
pub(crate) struct HeldTags {
    /// The number of the tag that marks requests now, or zero.
    current: Cell<u16>,
    /// Places in use, from the first one. The last of them has not ended.
    used: Cell<u16>,
    places: [Cell<u16>; DEPTH],
}

/// What was taken, in the hands of who ends it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held(u16);

impl HeldTags {
    pub(crate) const fn new() -> Self {
        Self { current: Cell::new(0), used: Cell::new(0), places: [const { Cell::new(ENDED) }; DEPTH] }
    }

    /// The tag that marks the thread's requests.
    #[inline(always)]
    pub(crate) fn current(&self) -> Option<Tag> {
        Tag::of_number(self.current.get())
    }

    /// Takes a place, on top of the others; none where there is no more.
    pub(super) fn take(&self, tag: Option<Tag>) -> Option<Held> {
        let place = self.used.get();
        self.places.get(usize::from(place))?.set(tag.map_or(NO_TAG, Tag::number));
        self.used.set(place + 1);
        if let Some(tag) = tag {
            self.current.set(tag.number());
        }
        Some(Held(place))
    }

    /// Gives what is held another tag.
    pub(super) fn set(&self, held: Held, tag: Option<Tag>) {
        self.place(held.0).set(tag.map_or(NO_TAG, Tag::number));
        self.show();
    }

    /// Ends what was taken.
    pub(super) fn end(&self, held: Held) {
        self.place(held.0).set(ENDED);
        while let Some(last) = self.used.get().checked_sub(1)
            && self.place(last).get() == ENDED
        {
            self.used.set(last);
        }
        self.show();
    }

    /// Lets the tag that was taken last mark the thread's requests.
    fn show(&self) {
        let tags = (0..self.used.get()).rev().map(|place| self.place(place).get());
        let mut shown = tags.filter(|tag| *tag != ENDED && *tag != NO_TAG);
        self.current.set(shown.next().unwrap_or(0));
    }

    fn place(&self, place: u16) -> &Cell<u16> {
        &self.places[usize::from(place)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{runs, sampler::next_random};

    fn tag(number: u16) -> Option<Tag> {
        Tag::of_number(number)
    }

    #[test]
    fn the_last_one_shows() {
        let tags = HeldTags::new();
        assert_eq!(tags.current(), None);
        let outer = tags.take(tag(5)).unwrap();
        let inner = tags.take(tag(6)).unwrap();
        assert_eq!(tags.current(), tag(6));
        let without = tags.take(None).unwrap();
        assert_eq!(tags.current(), tag(6));
        tags.set(without, tag(7));
        assert_eq!(tags.current(), tag(7));
        tags.set(without, None);
        assert_eq!(tags.current(), tag(6));
        // Out of order: what has ended never shows again.
        tags.end(outer);
        assert_eq!(tags.current(), tag(6));
        tags.end(inner);
        assert_eq!(tags.current(), None);
        tags.end(without);
        assert_eq!(tags.used.get(), 0);
    }

    #[test]
    fn beyond_the_depth_nothing_changes() {
        let tags = HeldTags::new();
        let held: Vec<Held> = (0..DEPTH as u16).map(|number| tags.take(tag(number + 1)).unwrap()).collect();
        assert!(tags.take(tag(999)).is_none());
        assert_eq!(tags.current(), tag(DEPTH as u16));
        held.into_iter().for_each(|held| tags.end(held));
        assert_eq!((tags.current(), tags.used.get()), (None, 0));
    }

    #[test]
    fn agrees_with_a_list_in_long_runs() {
        for seed in runs::seeds() {
            let mut state = seed;
            let mut random = |below: usize| {
                let number;
                (state, number) = next_random(state);
                number as usize % below
            };
            let tags = HeldTags::new();
            let mut list: Vec<(Held, Option<Tag>)> = Vec::new();
            for _ in 0..1000 {
                let new = tag(random(4) as u16);
                match random(3) {
                    0 => {
                        // A place that has ended below one that has not is not free yet.
                        list.extend(tags.take(new).map(|held| (held, new)));
                    }
                    1 if !list.is_empty() => {
                        let entry = random(list.len());
                        tags.set(list[entry].0, new);
                        list[entry].1 = new;
                    }
                    _ if !list.is_empty() => tags.end(list.remove(random(list.len())).0),
                    _ => {}
                }
                let shown = list.iter().rev().find_map(|(_, tag)| *tag);
                assert_eq!(tags.current(), shown);
                assert!(!list.is_empty() || tags.used.get() == 0);
            }
        }
    }
}
