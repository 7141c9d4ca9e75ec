//! On a stack that the program made itself.

use std::{cell::Cell, ffi::c_void, ops::Range, ptr};

use crate::{
    HAS_TABLES,
    check::Check,
    leaf::{keep, stay},
    memory::{Memory, thread_on},
    native::{self, on_root, on_stack, through, visit},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "coroutines::rules_lead_back_to_a_stack_above", run: below_the_caller_s },
    Check { name: "coroutines::rules_lead_back_to_a_stack_below", run: above_the_caller_s },
    Check { name: "coroutines::a_root_of_its_own", run: root_of_its_own },
];

type Switch = unsafe extern "C" fn(extern "C" fn(*const c_void), *const c_void, *mut c_void);

#[inline(never)]
fn run_on(switch: Switch, memory: &Range<usize>, body: &dyn Fn()) {
    let top = ptr::with_exposed_provenance_mut(memory.end);
    // SAFETY: calls `visit` with this data, which lives, on memory that nothing else uses as a stack.
    unsafe { switch(visit, (&raw const body).cast(), top) };
    stay();
}

/// A walk stays on one stack, so one that leads back is left to the platform.
fn led_back(coroutine: usize, caller: usize) {
    let memory = Memory::new(2, 2 << 20);
    thread_on(memory.piece(caller), &|| {
        let scenario = || {
            run_on(on_stack, &memory.piece(coroutine), &|| {
                through(native::without_frame_pointer, &keep);
            })
        };
        let ways = Ways::of(scenario);
        ways.agree();
        assert!(ways.frame_pointers.portable_stacks > 0);
        if HAS_TABLES {
            let functions = ["leaf::keep", "without_frame_pointer", "on_stack", "coroutines::run_on"];
            ways.pass(&[&functions[..], &["ways::record"]].concat());
        }
    });
}

fn below_the_caller_s() {
    led_back(0, 1);
}

fn above_the_caller_s() {
    led_back(1, 0);
}

fn root_of_its_own() {
    let memory = Memory::new(3, 2 << 20);
    let on_each = |at| {
        Ways::of(|| {
            run_on(on_root, &memory.piece(at), &|| {
                through(native::without_frame_pointer, &keep);
            })
        })
    };
    let verify = |ways: &Ways| {
        ways.agree();
        ways.need_no_platform();
        for stack in ways.seen() {
            stack.passes(&["leaf::keep", "without_frame_pointer", "native::visit", "on_root"]);
            assert!(stack.ends_in("on_root"), "{stack}");
        }
    };
    verify(&on_each(0));
    thread_on(memory.piece(1), &|| [0, 2].map(on_each).iter().for_each(verify));
    // The stack of the thread that asks is known again after one that it was on for a while.
    let is_usual = Cell::new(false);
    run_on(on_root, &memory.piece(0), &|| is_usual.set(true));
    Ways::of(keep).verify(&["leaf::keep", "walks::main"]);
    assert!(is_usual.get());
}
