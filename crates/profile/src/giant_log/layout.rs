//! Where things are in the log, for who writes it: 64 KiB of words of eight bytes, in the order of this machine.
//!
//! A header; then records, of which the last ones are kept; then a profile without samples, in pprof's format, for the
//! code that was loaded when the session started.

/// Words of the log.
pub const WORDS: usize = 8192;
/// Its first word.
pub const MAGIC: u64 = u64::from_le_bytes(*b"allogia1");
/// Words of the header: the mark, requests ever, how many of them were refused, the limit, bytes of the last part, the
/// process, how many requests somebody was told of, and one that is free.
pub const HEADER: usize = 8;
/// The word that counts requests.
pub const REQUESTS: usize = 1;
/// The word for those that somebody was told of: the first so many.
pub const TOLD: usize = 6;
/// Records that are kept.
pub const RECORDS: usize = 16;
/// Words of a record: its number, from 1 and zero while it is being written; nanoseconds since 1970; bytes asked for; 1 if it
/// was refused; the thread; the length of the stack; the stack, return addresses, leaf first, with a zero where it was cut.
pub const RECORD_WORDS: usize = 128;
/// Most frames of a stack.
pub const FRAMES: usize = RECORD_WORDS - 6;
/// Where the last part begins.
pub const CODE: usize = HEADER + RECORDS * RECORD_WORDS;
/// Most bytes of it.
pub const CODE_BYTES: usize = (WORDS - CODE) * 8;
