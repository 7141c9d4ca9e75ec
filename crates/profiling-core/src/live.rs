//! The sampled objects that are not freed yet, by address: a hash table without locks.
//!
//! An address is inserted after the provider handed it out and removed before the provider takes it
//! back, so no two threads ever work on the same address at once; the table only has to keep apart the
//! threads that work on different addresses in the same bucket. Slots never move. A slot is claimed by
//! one compare-and-swap and given up by one store; whoever is interrupted in between, for ever even,
//! costs room and nothing else.

pub(crate) mod filter;
mod key;
mod levels;
mod pass;
mod slot;
mod table;

pub(crate) use slot::{Entry, Slot};
pub(crate) use table::{Live, LivePlace};
