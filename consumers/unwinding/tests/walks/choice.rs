//! What a session chooses when it is not told how to walk.

use std::{cell::Cell, ffi::c_void, thread};

use allometer::{Config, Profiler, Unwinding};

use crate::{
    HAS_TABLES,
    check::Check,
    native::{self, Native, through, with_rbp},
};

pub const CHECKS: &[Check] = &[
    Check { name: "choice::the_build_has_the_tables_that_it_should", run: tables },
    Check { name: "choice::by_the_code_of_the_program", run: by_the_program },
    Check { name: "choice::by_code_without_a_table_on_the_stack", run: by_code_without_a_table },
    Check { name: "choice::by_code_with_an_unusual_rule_on_the_stack", run: by_an_unusual_rule },
];

fn chosen() -> Unwinding {
    Profiler::start(Config::default()).unwrap().stats().unwrap().unwinding
}

fn chosen_within(native: Native) -> Unwinding {
    let choice = Cell::new(Unwinding::Automatic);
    through(native, &|| choice.set(chosen()));
    choice.get()
}

/// What the program itself needs.
const USUAL: Unwinding = if HAS_TABLES { Unwinding::Rules } else { Unwinding::FramePointers };

/// Without them in this program's code, all other checks of that build would be checks of nothing.
fn tables() {
    unsafe extern "C" {
        /// Null where no table covers the address (Itanium C++ ABI, level I: base ABI, 1.6.3).
        fn _Unwind_FindEnclosingFunction(pc: *mut c_void) -> *mut c_void;
    }
    let is_covered = |code: *const ()| {
        // SAFETY: takes any address.
        let function = unsafe { _Unwind_FindEnclosingFunction(code.cast_mut().byte_add(1).cast()) };
        !function.is_null()
    };
    // Functions that generic code of the standard library is inlined into keep a table, since that has one.
    for code in
        [crate::main as *const (), native::visit as *const (), through as *const (), tables as *const ()]
    {
        assert_eq!(is_covered(code), HAS_TABLES);
    }
    assert!(is_covered(std::process::abort as *const ()), "the standard library has its own");
    assert!(is_covered(native::without_frame_pointer as *const ()));
    assert!(!is_covered(native::no_table as *const ()));
    assert!(!is_covered(native::early_bare as *const ()));
}

fn by_the_program() {
    assert_eq!(chosen(), USUAL);
    assert_eq!(thread::spawn(chosen).join().unwrap(), USUAL);
    assert_eq!(chosen_within(native::with_frame_pointer), USUAL);
    assert_eq!(chosen_within(native::without_frame_pointer), USUAL);
}

fn by_code_without_a_table() {
    assert_eq!(chosen_within(native::no_table), Unwinding::FramePointers);
    extern "C" fn without_frame_pointer(callback: extern "C" fn(*const c_void), data: *const c_void) {
        // SAFETY: forwarded from the caller.
        unsafe { with_rbp(callback, data, 1) };
    }
    // Frame pointers do not lead to the root, so nothing says that they can be trusted.
    assert_eq!(chosen_within(without_frame_pointer), Unwinding::Rules);
}

fn by_an_unusual_rule() {
    let choice = chosen_within(native::realigned_by_expression);
    assert_eq!(choice, if HAS_TABLES { Unwinding::Portable } else { Unwinding::Rules });
}
