//! Any bytes as the unwind tables of a module: the first six are the address that is asked for, from the index on,
//! and where the index is; the others are the segment.
#![no_main]

// unsafe: a segment has to be told by its address.

use std::cell::RefCell;

use allometer_core::fuzzing::has_rule;
use allometer_fuzz::Guarded;
use libfuzzer_sys::fuzz_target;

/// Where nothing else is, with and without a sanitizer's own memory.
const SEGMENT: usize = 0x2000_0000_0000;

thread_local! {
    static MEMORY: RefCell<Guarded> = RefCell::new(Guarded::new(SEGMENT, 1));
}

fuzz_target!(|data: &[u8]| {
    let Some((&[a, b, c, d, low, high], table)) = data.split_first_chunk() else { return };
    MEMORY.with_borrow_mut(|memory| {
        let start = memory.fill_to_end(table);
        let index = start + usize::from(u16::from_le_bytes([low, high]));
        let address = index.wrapping_add_signed(i32::from_le_bytes([a, b, c, d]) as isize);
        // SAFETY: the memory is readable up to its end; nobody writes to it meanwhile.
        unsafe { has_rule(start..memory.range().end, index, address) };
    });
});
