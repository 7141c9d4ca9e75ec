use std::hint::black_box;

/// Bytes of an entry.
const ENTRY: usize = 1000;

/// Entries, some of which are kept.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Vec<Vec<u8>>,
}

impl Ledger {
    pub(crate) fn enter(&mut self, entries: usize) {
        self.entries.extend((0..entries).map(|_| entry()));
    }

    pub(crate) fn check(&self, entries: usize) {
        for _ in 0..entries {
            drop(black_box(entry()));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}

/// The one place at which entries are made.
#[inline(never)]
fn entry() -> Vec<u8> {
    vec![1; ENTRY]
}
