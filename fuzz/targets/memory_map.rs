//! Any text as the memory map of a process: what is found does not depend on the pieces in which it is read.
#![no_main]

use allometer_core::fuzzing::stack_in;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u64, u8, &[u8])| {
    let (sp, piece, map) = (input.0 as usize, usize::from(input.1), input.2);
    let found = stack_in(map, usize::MAX, sp);
    assert_eq!(found, stack_in(map, piece, sp));
    assert!(found.is_none_or(|range| range.contains(&sp)));
    // An address that is in the text is more often in a range.
    let first = map.split(|byte| *byte == b'-').next().and_then(|start| std::str::from_utf8(start).ok());
    if let Some(first) = first.and_then(|start| usize::from_str_radix(start, 16).ok()) {
        assert!(stack_in(map, piece, first).is_none_or(|range| range.contains(&first)));
    }
});
