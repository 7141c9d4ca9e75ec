//! In threads, and at their end.

use std::{cell::RefCell, thread};

use crate::{
    check::Check,
    leaf::{keep, stay},
    native::{self, through},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "threads::in_a_spawned_thread", run: spawned },
    Check { name: "threads::in_the_destructor_of_a_thread_local", run: destructor },
];

#[inline(never)]
fn work() {
    through(native::without_frame_pointer, &keep);
    stay();
}

fn spawned() {
    let ways = Ways::of(|| thread::spawn(work).join().unwrap());
    ways.verify(&["leaf::keep", "without_frame_pointer", "threads::work"]);
}

struct KeepsInDrop;

impl Drop for KeepsInDrop {
    #[inline(never)]
    fn drop(&mut self) {
        work();
    }
}

thread_local! {
    static LAST: RefCell<Option<KeepsInDrop>> = const { RefCell::new(None) };
}

fn destructor() {
    let ways = Ways::of(|| {
        let thread = thread::spawn(|| LAST.with(|last| last.replace(Some(KeepsInDrop)).is_some()));
        assert!(!thread.join().unwrap());
    });
    ways.verify(&["leaf::keep", "without_frame_pointer", "threads::work"]);
}
