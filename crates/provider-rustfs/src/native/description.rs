//! What mimalloc says of how it was compiled.

// unsafe: gives C a function to call, and reads the text that it is called with.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, c_char, c_void},
    ptr,
};

use rustfs_mimalloc_sys::mi_options_print_out;

/// How mimalloc was compiled, as far as it matters to who uses its hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Description {
    /// Whether it looks at each request, and not only where it refills a page.
    pub(super) is_fine: bool,
    /// After so many requested bytes it puts a guard behind a block; `None` where it puts none.
    pub(super) guard_rate: Option<usize>,
}

impl Description {
    pub(super) fn get() -> Self {
        let mut text = String::new();
        // SAFETY: `append` is called during this call alone, with this string.
        unsafe { mi_options_print_out(Some(append), ptr::from_mut(&mut text).cast()) };
        Self::read(&text)
    }

    fn read(text: &str) -> Self {
        let value = |name: &str| {
            let line =
                text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim_end() == name);
            line.map(|(_, value)| value.trim())
        };
        let rate = value("guarded mode").and_then(|value| value.split_once("rate=")?.1.parse().ok());
        Self {
            is_fine: value("profiling") == Some("fine-grained"),
            guard_rate: rate.filter(|rate| *rate > 0),
        }
    }
}

/// # Safety
///
/// `message` ends with a zero, and `text` is a string that nobody else has.
unsafe extern "C" fn append(message: *const c_char, text: *mut c_void) {
    // SAFETY: the caller's promise.
    let (message, text) = unsafe { (CStr::from_ptr(message), &mut *text.cast::<String>()) };
    text.push_str(&message.to_string_lossy());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_their_names() {
        let of = |text: &str| {
            let Description { is_fine, guard_rate } = Description::read(text);
            (is_fine, guard_rate)
        };
        let text = "option 'guarded_sample_rate': 4000 \nguarded mode: fine-grained, rate=4000\nprofiling   : fine-grained\n";
        assert_eq!(of(text), (true, Some(4000)));
        assert_eq!(of(&text.replace("=4000", "=0")), (true, None));
        assert_eq!(of("option 'guarded_sample_rate': 4000 \nprofiling   : enabled\n"), (false, None));
        assert_eq!(of(""), (false, None));
    }

    #[test]
    fn it_says_something() {
        let Description { is_fine, guard_rate } = Description::get();
        // As it comes, or as a program has it compiled.
        assert!(guard_rate.is_none() || is_fine, "{guard_rate:?}");
    }
}
