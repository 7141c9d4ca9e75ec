//! How much memory reading a hostile file takes at most: one of so many entries of a kind that it is refused, and
//! one that is just short enough.

// unsafe: an allocator that counts, over the system's.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use allometer_profile::{Error, Limit, Place, Profile};

/// Counts requested bytes that are live, and the most that were.
struct Counting {
    live: AtomicUsize,
    peak: AtomicUsize,
}

#[global_allocator]
static ALLOCATOR: Counting = Counting { live: AtomicUsize::new(0), peak: AtomicUsize::new(0) };

// SAFETY: forwards to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = self.live.fetch_add(layout.size(), Relaxed) + layout.size();
        self.peak.fetch_max(live, Relaxed);
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.live.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's block and layout.
        unsafe { System.dealloc(block, layout) }
    }
}

const MOST: usize = 64 << 20;

/// A heap profile's first fields, and then so many entries, or those that 64 MiB hold.
fn file(entry: Entry<'_>, count: usize) -> Vec<u8> {
    let mut file = Vec::with_capacity(MOST + (8 << 20));
    for text in ["", "inuse_space", "bytes"] {
        file.extend([0x32, text.len() as u8]);
        file.extend(text.bytes());
    }
    file.extend([0x0a, 4, 0x08, 1, 0x10, 2]);
    // A location and a function of id 1, for what follows.
    file.extend([0x22, 2, 0x08, 1, 0x2a, 2, 0x08, 1]);
    for number in (2..).take(count) {
        file.extend(entry(number));
        if file.len() >= MOST {
            break;
        }
    }
    file
}

/// Makes the entry of a number.
type Entry<'a> = &'a dyn Fn(u32) -> Vec<u8>;

/// A field of the outermost message.
fn field(key: u8, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len();
    let mut field = vec![key, length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8];
    field.extend(bytes);
    field
}

/// Such an entry with an id of its own.
fn with_id(key: u8, id: u32, rest: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x08];
    bytes.extend([0, 7, 14, 21].map(|shift| (id >> shift) as u8 | 0x80));
    bytes.push(0);
    bytes.extend(rest);
    field(key, &bytes)
}

/// What came of reading, and the most that it took.
fn read(file: &[u8]) -> (Result<Profile, Error>, usize) {
    let before = ALLOCATOR.live.load(Relaxed);
    ALLOCATOR.peak.store(before, Relaxed);
    let read = Profile::from_pprof(file);
    (read, ALLOCATOR.peak.load(Relaxed) - before)
}

#[test]
fn a_hostile_file_takes_no_more_than_it_may() {
    let many = |bytes: &[u8]| bytes.repeat((1 << 20) / bytes.len());
    let stack = [vec![0x12, 0x87, 0x80, 0x40, 0x12, 1, 1, 0x0a, 0x80, 0x80, 0x40], vec![1; 1 << 20]].concat();
    let lines = many(&[0x22, 2, 0x08, 1]);
    let labels = [vec![0x12, 1, 1], many(&[0x1a, 0])].concat();
    let kinds: [(&str, Entry<'_>); 5] = [
        ("samples", &|_| vec![0x12, 6, 0x0a, 1, 1, 0x12, 1, 1]),
        ("stacks", &|_| stack.clone()),
        ("labels", &|_| field(0x12, &labels)),
        ("lines", &|id| with_id(0x22, id, &lines)),
        ("functions", &|id| with_id(0x2a, id, &[0x10, 1, 0x18, 1, 0x20, 1])),
    ];
    for (what, entry) in kinds {
        let (refused, at_refusal) = read(&file(entry, 1_300_000));
        let error = refused.err().unwrap_or_else(|| panic!("{what} have no limit"));
        let count = match error {
            Error::TooLarge { place: Place::Sample(count) | Place::Row(_, count), limit: Limit::Memory } => {
                count - 1
            }
            // What was read fits, what it becomes does not.
            Error::TooLarge { place: Place::Entry(..), limit: Limit::Memory } => 0,
            other => panic!("{what} were refused for something else: {other}"),
        };
        let (read, peak) = read(&file(entry, count));
        println!("{what}: {count}, {} and {} MiB, {:?}", at_refusal >> 20, peak >> 20, read.err());
        // With the file itself it is half a gibibyte.
        assert!(peak.max(at_refusal) < (512 << 20) - MOST, "{what} took {} MiB", peak >> 20);
    }
}
