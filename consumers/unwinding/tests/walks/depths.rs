//! Recursion, stacks that are cut, large frames.

use std::hint::black_box;

use allometer::Config;

use crate::{
    check::Check,
    leaf::{keep, stay},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "depths::recursion", run: recursion },
    Check { name: "depths::a_deep_stack_is_cut_at_the_same_frame", run: cut },
    Check { name: "depths::a_frame_of_600_kib", run: large_frame },
];

#[inline(never)]
fn recurse(calls: usize, innermost: &dyn Fn()) {
    match calls {
        0 => innermost(),
        _ => recurse(calls - 1, innermost),
    }
    stay();
}

fn recursion() {
    let ways = Ways::of(|| recurse(30, &keep));
    ways.verify(&[&["leaf::keep"], &["depths::recurse"; 31][..], &["walks::main"]].concat());
}

fn cut() {
    const DEPTH: usize = 40;
    let ways = Ways::with(&Config::default().max_depth(DEPTH), || recurse(100, &keep));
    ways.agree();
    ways.need_no_platform();
    for stack in ways.seen() {
        stack.passes(&["leaf::keep", "depths::recurse", "depths::recurse", "[truncated]"]);
        assert_eq!(stack.frames.len(), DEPTH + 1, "{stack}");
    }
}

/// Innermost at the far end of a large frame.
#[inline(never)]
fn large(innermost: &dyn Fn()) {
    let mut room = [0_u8; 600 << 10];
    black_box(&mut room);
    innermost();
    black_box(&mut room);
}

fn large_frame() {
    let ways = Ways::of(|| large(&|| recurse(3, &|| large(&keep))));
    let functions = ["leaf::keep", "depths::large", "depths::recurse", "depths::large", "walks::main"];
    ways.verify(&functions);
}
