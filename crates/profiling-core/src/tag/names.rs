//! All names of a process, each with a number: an append-only hash table without locks, as that of sites is.

// unsafe: keeps the table behind a pointer, and reads what was written before it was published.
#![allow(unsafe_code)]

use std::ptr;

use super::{Tag, Text};
use crate::{
    arena::{Layout, Place, Zeroed},
    os::Reservation,
    sync::{
        AtomicPtr, AtomicU8, AtomicU32,
        Ordering::{AcqRel, Acquire, Relaxed},
        UnsafeCell, const_unless_modelled, sized,
    },
};

/// Most names of a process.
pub(crate) const NAMES: usize = sized(4096, 2);
/// Chains of names; a power of two.
const CHAINS: usize = sized(1024, 2);
/// The number of the first name. Zero is none, one is [`Tag::OTHERS`].
const FIRST: u32 = 2;
/// What [`Tag::OTHERS`] is called.
pub(super) const OTHERS: &str = "[other tags]";

/// One name.
#[derive(Default)]
struct Name {
    hash: AtomicU32,
    /// The next name of the chain, or zero.
    next: AtomicU32,
    /// Written once, before the name is in its chain.
    text: UnsafeCell<Text>,
}

// SAFETY: the text is written by who took the number, before anybody else learns it.
unsafe impl Sync for Name {}
// SAFETY: integers whose zero is an empty name, and a text that is changed as told above.
unsafe impl Zeroed for Name {}

/// The names of a process, in memory that is never given back.
pub(crate) struct Names {
    /// First name of each chain, or zero.
    heads: &'static [AtomicU32],
    /// By number.
    names: &'static [Name],
    /// Numbers handed out.
    used: AtomicU32,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("used", &self.used).finish_non_exhaustive()
    }
}

/// The one table of names of a process: it is made when it is needed first.
#[derive(Debug)]
pub(crate) struct NamesOnce(AtomicPtr<Names>);

impl NamesOnce {
    const_unless_modelled! {
        pub(crate) fn new() -> Self {
            Self(AtomicPtr::new(ptr::null_mut()))
        }
    }

    /// The table; none where the operating system has no address space for it.
    pub(crate) fn get(&self) -> Option<&'static Names> {
        let names = self.0.load(Acquire);
        // SAFETY: null, or what `make` made, which stays.
        unsafe { names.as_ref() }.or_else(|| self.make())
    }

    #[cold]
    fn make(&self) -> Option<&'static Names> {
        let (names, memory) = Names::make()?;
        let first = match self.0.compare_exchange(ptr::null_mut(), names, AcqRel, Acquire) {
            Ok(_) => {
                std::mem::forget(memory);
                names
            }
            // Another thread's; this one's memory goes back.
            Err(first) => first,
        };
        // SAFETY: made above, or by another thread, and never given back.
        unsafe { first.as_ref() }
    }
}

impl Names {
    /// A table without names, at the start of its memory.
    fn make() -> Option<(*mut Self, Reservation)> {
        let mut layout = Layout::default();
        let _head = layout.place::<AtomicU8>(size_of::<Self>());
        let heads: Place<AtomicU32> = layout.place(CHAINS);
        let names: Place<Name> = layout.place(NAMES + FIRST as usize);
        let memory = Reservation::new(layout.bytes())?;
        let table = memory.base().cast::<Self>();
        // SAFETY: the memory outlives the table, which is at its start; each place is used once.
        let (heads, names) = unsafe { (memory.slice(&heads), memory.slice(&names)) };
        // SAFETY: the head of fresh memory, page-aligned and large enough.
        unsafe { table.write(Self { heads, names, used: AtomicU32::new(FIRST) }) };
        Some((table.as_ptr(), memory))
    }

    /// The tag of a name, which is kept as it is; [`Tag::OTHERS`] where there is no room for a new one.
    pub(super) fn intern(&self, name: &str) -> Tag {
        let hash = hash(name);
        let head = &self.heads[hash as usize & (self.heads.len() - 1)];
        let mut first = head.load(Acquire);
        if let Some(tag) = self.find(first, 0, hash, name) {
            return tag;
        }
        let Some(number) = self.write(hash, name) else { return Tag::OTHERS };
        loop {
            self.names[number as usize].next.store(first, Relaxed);
            let Err(newer) = head.compare_exchange(first, number, AcqRel, Acquire) else {
                return tag_of(number);
            };
            // If another thread has added the name at once, the number of this one is lost.
            if let Some(tag) = self.find(newer, first, hash, name) {
                return tag;
            }
            first = newer;
        }
    }

    /// Looks for a name from number `first` of a chain up to, and not including, number `end`.
    fn find(&self, first: u32, end: u32, hash: u32, name: &str) -> Option<Tag> {
        let mut number = first;
        while number != end {
            let other = &self.names[number as usize];
            if other.hash.load(Relaxed) == hash && other.text().as_bytes() == name.as_bytes() {
                return Some(tag_of(number));
            }
            number = other.next.load(Relaxed);
        }
        None
    }

    /// Writes a name that no chain holds yet.
    fn write(&self, hash: u32, name: &str) -> Option<u32> {
        let fits = |used| ((used as usize) < self.names.len()).then_some(used + 1);
        let number = self.used.fetch_update(Relaxed, Relaxed, fits).ok()?;
        let new = &self.names[number as usize];
        new.hash.store(hash, Relaxed);
        // SAFETY: the number was handed out to this thread, and nobody else knows it yet.
        new.text.with_mut(|text| unsafe { *text = Text::kept(name) });
        Some(number)
    }

    /// What a tag is called, which this thread has from who made it.
    pub(crate) fn name(&self, tag: Tag) -> &'static str {
        match self.names.get(usize::from(tag.number())) {
            Some(name) if tag != Tag::OTHERS => name.text().as_str(),
            _ => OTHERS,
        }
    }
}

impl Name {
    /// The text of a name that was found in a chain.
    fn text(&'static self) -> &'static Text {
        // SAFETY: it was written before the name was put into its chain, and nobody writes it again.
        self.text.with(|text| unsafe { &*text })
    }
}

fn tag_of(number: u32) -> Tag {
    // As many as there are fit.
    Tag::of_number(number as u16).unwrap_or(Tag::OTHERS)
}

const _: () = assert!(NAMES + (FIRST as usize) < u16::MAX as usize);

/// FNV-1a, with its halves folded.
fn hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as u32
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::HashMap, thread};

    #[test]
    fn a_name_has_one_tag() {
        let once = NamesOnce::new();
        let names = once.get().unwrap();
        assert!(ptr::eq(names, once.get().unwrap()));
        let mut known = HashMap::new();
        for _ in 0..2 {
            for number in 0..1000 {
                let name = format!("name {number}");
                let tag = names.intern(&name);
                assert_eq!(*known.entry(name.clone()).or_insert(tag), tag);
                assert_eq!(names.name(tag), name);
            }
        }
        assert_eq!(known.values().collect::<std::collections::HashSet<_>>().len(), 1000);
    }

    #[test]
    fn beyond_the_bound_is_one_tag() {
        let names = NamesOnce::new().get().unwrap();
        let tags: Vec<Tag> = (0..=NAMES).map(|number| names.intern(&format!("{number}"))).collect();
        assert!(!tags[..NAMES].contains(&Tag::OTHERS));
        assert_eq!((tags[NAMES], names.name(tags[NAMES])), (Tag::OTHERS, "[other tags]"));
        assert_eq!(names.intern("0"), tags[0], "a known name is still found");
        assert_eq!(names.name(tags[NAMES - 1]), format!("{}", NAMES - 1));
    }

    #[test]
    fn threads_agree_on_names() {
        let once = NamesOnce::new();
        let tags: Vec<Vec<Tag>> = thread::scope(|scope| {
            let work = || {
                let names = once.get().unwrap();
                (0..500).map(|number| names.intern(&format!("{number}"))).collect()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(tags.iter().all(|other| *other == tags[0]) && !tags[0].contains(&Tag::OTHERS));
    }
}
