//! Through C code, of every kind that compilers make.

use std::{ffi::c_void, hint::black_box};

use crate::{
    HAS_TABLES,
    check::Check,
    leaf::{keep, stay},
    native::{self, Native, nested, through, with_rbp},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "foreign::with_frame_pointer", run: with_frame_pointer },
    Check { name: "foreign::without_frame_pointer", run: without_frame_pointer },
    Check { name: "foreign::a_frame_of_a_mebibyte", run: roomy },
    Check { name: "foreign::realigned", run: realigned },
    Check { name: "foreign::one_within_another", run: one_within_another },
    Check { name: "foreign::a_rule_that_is_an_expression_is_left_to_the_platform", run: by_expression },
    Check { name: "foreign::a_frame_beyond_a_rule_is_left_to_the_platform", run: oversized },
    Check { name: "foreign::frame_pointers_lead_through_code_without_a_table", run: no_table },
    Check { name: "foreign::frame_pointers_lead_through_a_library_without_tables", run: early_bare },
    Check { name: "foreign::code_without_table_and_frame_pointer_ends_a_stack", run: ends },
    Check { name: "foreign::compiled_without_table_and_frame_pointer", run: neither },
];

fn usual(native: Native, name: &str) {
    let ways = Ways::of(|| through(native, &keep));
    ways.verify(&["leaf::keep", "native::visit", name, "native::through", "walks::main"]);
}

fn with_frame_pointer() {
    usual(native::with_frame_pointer, "with_frame_pointer");
}

fn without_frame_pointer() {
    usual(native::without_frame_pointer, "without_frame_pointer");
}

fn roomy() {
    usual(native::roomy, "roomy");
}

fn realigned() {
    usual(native::realigned, "realigned");
}

fn one_within_another() {
    let natives: [Native; 6] = [
        native::with_frame_pointer,
        native::without_frame_pointer,
        native::realigned,
        native::without_frame_pointer,
        native::without_frame_pointer,
        native::with_frame_pointer,
    ];
    let ways = Ways::of(|| nested(&natives, &keep));
    let functions = ["leaf::keep", "with_frame_pointer", "without_frame_pointer", "native::through"];
    let outer = ["without_frame_pointer", "realigned", "without_frame_pointer", "with_frame_pointer"];
    ways.verify(&[&functions[..], &outer, &["walks::main"]].concat());
}

/// All ways leave the whole stack to the platform. Without tables that sees next to nothing of it, so what there
/// is until then by frame pointers stays.
fn left_to_the_platform(native: Native, name: &str) {
    let ways = Ways::of(|| nested(&[native::with_frame_pointer, native, native::with_frame_pointer], &keep));
    ways.agree();
    assert!(ways.frame_pointers.portable_stacks > 0);
    // Without tables, rules end before they come to it.
    assert_eq!(ways.rules.portable_stacks > 0, HAS_TABLES);
    if HAS_TABLES {
        let functions = ["leaf::keep", "with_frame_pointer", name, "with_frame_pointer", "walks::main"];
        ways.pass(&functions);
    } else {
        let stack = ways.frame_pointers.stack();
        stack.passes(&["leaf::keep", "with_frame_pointer", "native::visit", name]);
        assert!(stack.ends_in(name), "{stack}");
    }
}

fn by_expression() {
    left_to_the_platform(native::realigned_by_expression, "realigned_by_expression");
}

fn oversized() {
    left_to_the_platform(native::oversized, "oversized");
}

/// Code without a table that keeps a frame pointer: the stack by frame pointers is that of the same call through
/// code with a table, but for the frame itself; the other ways end there.
fn led_by_frame_pointers(native: Native, name: &str) {
    // A loop whose length the compiler does not know, so that both are called from one place.
    let natives = black_box(vec![native, native::with_frame_pointer]);
    let walked: Vec<Ways> = natives.iter().map(|native| Ways::of(|| through(*native, &within))).collect();
    let [through_it, reference] = walked.as_slice() else { panic!("two were asked for") };
    through_it.rules_end_early();
    through_it.need_no_platform();
    let inner = ["leaf::keep", "without_frame_pointer", "foreign::within", "native::visit", name];
    if HAS_TABLES {
        let ended = through_it.rules.stack();
        ended.passes(&inner);
        assert!(ended.ends_in(name), "{ended}");
    }
    let whole = through_it.frame_pointers.stack();
    whole.passes(&[&inner[..], &["native::through", "walks::main"]].concat());
    assert!(whole.reaches_root(), "{whole}");
    let reference = reference.frame_pointers.stack();
    let differ: Vec<_> = whole.frames.iter().zip(&reference.frames).filter(|(a, b)| a != b).collect();
    let [(here, there)] = differ.as_slice() else { panic!("not in one frame:\n{whole}\n{reference}") };
    assert_eq!([here, there].map(|frame| frame.functions[0].as_str()), [name, "with_frame_pointer"]);
    assert_eq!(whole.frames.len(), reference.frames.len());
}

#[inline(never)]
fn within() {
    through(native::without_frame_pointer, &keep);
    stay();
}

fn no_table() {
    led_by_frame_pointers(native::no_table, "no_table");
}

fn early_bare() {
    led_by_frame_pointers(native::early_bare, "early_bare");
}

/// With nothing in the frame pointer that could be one, all ways end at the same frame.
fn ends() {
    extern "C" fn call_with_rbp(callback: extern "C" fn(*const c_void), data: *const c_void) {
        // SAFETY: forwarded from the caller.
        unsafe { with_rbp(callback, data, 1) };
    }
    let ways = Ways::of(|| through(call_with_rbp, &keep));
    ways.agree();
    ways.need_no_platform();
    for stack in ways.seen() {
        stack.passes(&["leaf::keep", "native::visit", "with_rbp"]);
        assert!(stack.ends_in("with_rbp"), "{stack}");
    }
}

/// What a compiler leaves in the frame pointer is the caller's: that caller is missed, or the stack ends.
fn neither() {
    let ways = Ways::of(|| through(native::neither, &|| through(native::with_frame_pointer, &keep)));
    ways.rules_end_early();
    let known = ways.rules.stack();
    if HAS_TABLES {
        known.passes(&["leaf::keep", "with_frame_pointer", "native::visit", "neither"]);
        assert!(known.ends_in("neither"), "{known}");
    }
    let found = ways.frame_pointers.stack();
    found.passes(&["leaf::keep", "with_frame_pointer", "native::visit", "neither"]);
    if cfg!(no_unwind_tables) {
        found.passes(&["neither", "walks::main"]);
        assert!(found.reaches_root(), "{found}");
    } else {
        assert!(found.frames.starts_with(&known.frames), "{found}");
    }
}
