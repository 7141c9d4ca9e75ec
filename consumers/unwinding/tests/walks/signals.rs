//! From signal handlers, on the stack of the thread and on one for signals.

use crate::{
    check::Check,
    handler::{self, install, install_on_stack, raise},
    leaf::{keep, stay},
    memory::{Memory, thread_on},
    native::{self, through},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "signals::on_the_stack_of_the_thread", run: on_the_thread_s_stack },
    Check { name: "signals::nested", run: nested_on_the_thread_s_stack },
    Check { name: "signals::on_a_stack_below_that_of_the_thread", run: on_a_stack_below },
    Check { name: "signals::on_a_stack_above_that_of_the_thread", run: on_a_stack_above },
    Check { name: "signals::through_code_without_a_frame_pointer", run: through_c },
];

extern "C" fn on_inner(_signal: i32) {
    keep();
    stay();
}

extern "C" fn on_outer(_signal: i32) {
    raise(libc::SIGUSR2);
    stay();
}

fn install_both() {
    install(libc::SIGUSR1, on_outer);
    install(libc::SIGUSR2, on_inner);
}

const NESTED: [&str; 5] =
    ["leaf::keep", "signals::on_inner", "handler::raise", "signals::on_outer", "handler::raise"];

fn on_the_thread_s_stack() {
    install(libc::SIGUSR2, on_inner);
    let ways = Ways::of(|| raise(libc::SIGUSR2));
    ways.verify(&["leaf::keep", "signals::on_inner", "handler::raise", "walks::main"]);
}

fn nested_on_the_thread_s_stack() {
    install_both();
    let ways = Ways::of(|| raise(libc::SIGUSR1));
    ways.verify(&[&NESTED[..], &["walks::main"]].concat());
}

/// The first signal changes the stack, the second finds it changed.
fn on_a_stack_for_signals(stack: usize, stack_for_signals: usize) {
    install_on_stack(libc::SIGUSR1, on_outer);
    install_on_stack(libc::SIGUSR2, on_inner);
    let memory = Memory::new(2, 2 << 20);
    thread_on(memory.piece(stack), &|| {
        handler::use_stack(memory.piece(stack_for_signals));
        let ways = Ways::of(|| raise(libc::SIGUSR1));
        ways.verify(&[&NESTED[..], &["ways::record"]].concat());
    });
}

fn on_a_stack_below() {
    on_a_stack_for_signals(1, 0);
}

fn on_a_stack_above() {
    on_a_stack_for_signals(0, 1);
}

fn through_c() {
    install_both();
    let ways = Ways::of(|| {
        through(native::without_frame_pointer, &|| {
            through(native::with_frame_pointer, &|| raise(libc::SIGUSR1));
        });
    });
    let outer = ["with_frame_pointer", "without_frame_pointer", "walks::main"];
    ways.verify(&[&NESTED[..], &outer].concat());
}
