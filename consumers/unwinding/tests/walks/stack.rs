//! A stack, as a profile has it.

use std::fmt;

use allometer::profile::{Location, Profile, Sample};

/// The frames of a stack, innermost first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack {
    pub frames: Vec<Frame>,
    /// How many were walked further out: what starts the program, or a thread, is left out of a profile with names.
    outside: usize,
}

/// A frame: where it goes on, and the functions that are there, inlined ones first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// None: a marker, such as `[truncated]`.
    pub address: Option<u64>,
    pub functions: Vec<String>,
}

impl Stack {
    /// The stack of a sample, and of the same one in a profile without names.
    pub fn of(profile: &Profile, sample: &Sample, unnamed: &Profile, whole: &Sample) -> Self {
        let frame = |location: &Location| Frame {
            address: location.address.map(|address| address.get()),
            functions: location
                .lines
                .iter()
                .filter_map(|line| Some(profile.function(line.function)?.name.clone()))
                .collect(),
        };
        let frames: Vec<Frame> =
            sample.stack.iter().filter_map(|location| profile.location(*location)).map(frame).collect();
        let last = frames.last().and_then(|frame| frame.address);
        let address = |location| Some(unnamed.location(location)?.address?.get());
        let outside = whole.stack.iter().rev().take_while(|location| address(**location) != last).count();
        Self { frames, outside }
    }

    /// Asks for these functions on the stack in this order, the innermost first; others may be in between.
    /// A function is named by the end of its path.
    #[track_caller]
    pub fn passes(&self, functions: &[&str]) {
        let mut names = self.frames.iter().flat_map(|frame| &frame.functions);
        let missing = functions.iter().find(|function| !names.any(|name| is_called(name, function)));
        assert!(missing.is_none(), "{} of {functions:?} is not there\n{self}", missing.unwrap_or(&""));
    }

    /// Whether it has no frame.
    pub fn is_nothing(&self) -> bool {
        self.frames.iter().all(|frame| frame.functions == ["[no stack]"])
    }

    /// Whether the walk has come out of the program: a walk that ends early has nothing that could be left out.
    pub fn reaches_root(&self) -> bool {
        self.outside > 0 || CALLED_BY_C.iter().any(|function| self.ends_in(function))
    }

    /// Whether the outermost frame is in this function.
    pub fn ends_in(&self, function: &str) -> bool {
        let outermost = self.frames.last().and_then(|frame| frame.functions.last());
        outermost.is_some_and(|name| is_called(name, function))
    }

    /// The stack outside of the frame of this function.
    pub fn outside(&self, function: &str) -> &[Frame] {
        let is_it = |frame: &Frame| frame.functions.iter().any(|name| is_called(name, function));
        self.frames.iter().position(is_it).map_or(&[], |at| &self.frames[at + 1..])
    }
}

/// What the C library begins a thread with, and ends one: its frames are left out whether there are names or not. In the
/// build without tables the destructor jumps to what it calls last.
const CALLED_BY_C: &[&str] = if cfg!(no_unwind_tables) {
    &["thread_on::start", "eager::destroy", "threads::work"]
} else {
    &["thread_on::start", "eager::destroy"]
};

fn is_called(name: &str, function: &str) -> bool {
    name.strip_suffix(function).is_some_and(|path| path.is_empty() || path.ends_with("::"))
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for frame in &self.frames {
            writeln!(f, "    {:#x} {}", frame.address.unwrap_or_default(), frame.functions.join(" < "))?;
        }
        Ok(())
    }
}
