//! While a panic is under way.

use std::{
    hint::black_box,
    panic::{self, PanicHookInfo},
    process::exit,
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
};

use crate::{check::Check, leaf::stay, ways::Ways};

pub const CHECKS: &[Check] = &[
    #[cfg(panic = "unwind")]
    Check { name: "panics::in_a_drop_that_a_panic_comes_through", run: unwinding::in_drop },
    Check { name: "panics::in_the_panic_hook", run: in_hook },
];

#[inline(never)]
fn fail() {
    if black_box(true) {
        panic!("as it should");
    }
}

fn in_hook() {
    panic::set_hook(Box::new(hook));
    fail();
    stay();
}

static IS_IN_HOOK: AtomicBool = AtomicBool::new(false);

/// Ends the process, since nothing comes after the hook where panics abort.
#[inline(never)]
fn hook(info: &PanicHookInfo<'_>) {
    if IS_IN_HOOK.swap(true, SeqCst) {
        eprintln!("{info}");
        exit(1);
    }
    let recorded = Ways::recorded_here();
    // In another thread, since a panic in a panic does not say what it is about.
    let verify = move || {
        let ways = Ways::of_recorded(recorded);
        ways.verify(&["leaf::keep", "panics::hook", "panics::fail", "panics::in_hook", "walks::main"]);
        exit(0)
    };
    let _ = thread::spawn(verify).join();
}

#[cfg(panic = "unwind")]
mod unwinding {
    use std::{mem, sync::Mutex};

    use super::*;
    use crate::ways::Recorded;

    static RECORDED: Mutex<Vec<Recorded>> = Mutex::new(Vec::new());

    struct RecordsInDrop;

    impl Drop for RecordsInDrop {
        #[inline(never)]
        fn drop(&mut self) {
            *RECORDED.lock().unwrap() = Ways::recorded_here();
            stay();
        }
    }

    #[inline(never)]
    fn holds_while_failing() {
        let _held = RecordsInDrop;
        fail();
    }

    pub(super) fn in_drop() {
        assert!(
            panic::catch_unwind(|| {
                holds_while_failing();
                stay()
            })
            .is_err()
        );
        let ways = Ways::of_recorded(mem::take(&mut *RECORDED.lock().unwrap()));
        ways.verify(&["leaf::keep", "panics::unwinding::holds_while_failing", "walks::main"]);
    }
}
