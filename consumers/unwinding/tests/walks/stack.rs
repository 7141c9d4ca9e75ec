//! A stack, as a profile has it.

use std::fmt;

use allometer::profile::{Location, Profile, Sample};

/// The frames of a stack, innermost first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack(pub Vec<Frame>);

/// A frame: where it goes on, and the functions that are there, inlined ones first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// None: a marker, such as `[truncated]`.
    pub address: Option<u64>,
    pub functions: Vec<String>,
}

impl Stack {
    pub fn of(profile: &Profile, sample: &Sample) -> Self {
        let frame = |location: &Location| Frame {
            address: location.address.map(|address| address.get()),
            functions: location
                .lines
                .iter()
                .filter_map(|line| Some(profile.function(line.function)?.name.clone()))
                .collect(),
        };
        Self(sample.stack.iter().filter_map(|location| profile.location(*location)).map(frame).collect())
    }

    /// Asks for these functions on the stack in this order, the innermost first; others may be in between.
    /// A function is named by the end of its path.
    #[track_caller]
    pub fn passes(&self, functions: &[&str]) {
        let mut names = self.0.iter().flat_map(|frame| &frame.functions);
        let missing = functions.iter().find(|function| !names.any(|name| is_called(name, function)));
        assert!(missing.is_none(), "{} of {functions:?} is not there\n{self}", missing.unwrap_or(&""));
    }

    /// Whether it has no frame.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|frame| frame.functions == ["[no stack]"])
    }

    /// Whether the outermost frame is where this program begins, or one of its threads: what starts them is no part of
    /// a stack, and a walk that ends early ends elsewhere.
    pub fn reaches_root(&self) -> bool {
        let outermost = self.0.last().and_then(|frame| frame.functions.last());
        let begins = |name: &String| BEGINNINGS.iter().any(|function| is_called(name, function));
        // Without tables, the caller of a function that was interrupted at its beginning is missed: the thread's first.
        let is_missed = |name: &String| cfg!(no_unwind_tables) && name.starts_with("walks::interrupts::");
        outermost.is_some_and(|name| begins(name) || is_closure(name) || is_missed(name))
    }

    /// Whether the outermost frame is in this function.
    pub fn ends_in(&self, function: &str) -> bool {
        let outermost = self.0.last().and_then(|frame| frame.functions.last());
        outermost.is_some_and(|name| is_called(name, function))
    }

    /// The stack outside of the frame of this function.
    pub fn outside(&self, function: &str) -> &[Frame] {
        let is_it = |frame: &Frame| frame.functions.iter().any(|name| is_called(name, function));
        self.0.iter().position(is_it).map_or(&[], |at| &self.0[at + 1..])
    }
}

/// Where threads of this program begin, besides closures; a thread's end has its own beginning.
const BEGINNINGS: [&str; 5] =
    ["walks::main", "threads::work", "interrupts::spin", "thread_on::start", "eager::destroy"];

fn is_closure(name: &str) -> bool {
    let path = name.split('<').next().unwrap_or(name);
    path.starts_with("walks::") && (path.ends_with("{{closure}}") || path.ends_with("{closure#0}"))
}

fn is_called(name: &str, function: &str) -> bool {
    name.strip_suffix(function).is_some_and(|path| path.is_empty() || path.ends_with("::"))
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for frame in &self.0 {
            writeln!(f, "    {:#x} {}", frame.address.unwrap_or_default(), frame.functions.join(" < "))?;
        }
        Ok(())
    }
}
