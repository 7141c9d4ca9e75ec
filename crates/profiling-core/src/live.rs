//! The sampled objects that are not freed yet, by address: a hash table without locks, and a filter in front of it
//! that spares nearly all frees the look into the table. See [`docs/live-table.md`].
//!
//! An address is inserted after the provider handed it out and removed before the provider takes it
//! back, so no two threads ever work on the same address at once; the table only has to keep apart the
//! threads that work on different addresses in the same bucket. Slots never move. A slot is claimed by
//! one compare-and-swap and given up by another; whoever is interrupted in between, for ever even,
//! costs room and nothing else.
//!
//! [`docs/live-table.md`]: https://github.com/allometer/allometer/blob/main/docs/live-table.md

mod bucket;
mod cell;
mod filter;
mod growth;
mod hints;
mod key;
mod levels;
mod pass;
mod slot;
mod spread;
mod table;
mod word;

pub(crate) use bucket::Entry;
pub(crate) use cell::Look;
pub(crate) use filter::Filter;
pub(crate) use slot::Slot;
pub(crate) use table::{Live, LivePlace};
pub(crate) use word::FilterWord;
