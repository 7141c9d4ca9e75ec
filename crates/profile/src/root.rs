use crate::function_name::FunctionName;
use crate::{Line, Location, LocationIndex, Profile};

/// The function of the standard library that everything outside a program's `main`, or a thread's closure, ends in.
/// It is there for short backtraces and is never inlined, so that it is found at every level of debug information.
const BEGIN: &str = "::__rust_begin_short_backtrace";
/// How it calls what it is given, and where that is from.
const CALL: (&str, &str) = ("call_once", "core::ops::function::");

/// The libraries that start programs and threads, by what the names of their files begin with.
const C_LIBRARIES: [&str; 5] = ["libc.so", "libc-", "libpthread", "ld-linux", "ld-musl"];
/// What they do it with, for a program that has its C library within.
const C_STARTS: [&str; 7] = [
    "_start",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_call_main",
    "start_thread",
    "clone3",
    "__clone3",
];

/// Leaves out what starts a program or a thread, at the root of each stack: in Rust [`BEGIN`] and everything outside
/// it, but not what is inlined there; elsewhere the frames of the C library. A stack that was cut short has no
/// such root, and one that is nothing else stays as it is.
///
/// What counts is the function that the machine code at an address belongs to: its name does not depend on the
/// debug information.
pub(crate) fn leave_out_runtime(profile: &mut Profile) {
    let roots: Vec<Root> = profile.locations.iter().map(|location| Root::of(profile, location)).collect();
    let root = |location: &LocationIndex| roots.get(location.0 as usize).copied().unwrap_or(Root::Program);
    for sample in &mut profile.samples {
        let kept = kept(&sample.stack, root);
        if kept > 0 {
            sample.stack.truncate(kept);
        }
    }
    for (location, root) in profile.locations.iter_mut().zip(&roots) {
        if let Root::Begin { inlined } = *root
            && inlined > 0
        {
            location.lines.truncate(inlined);
        }
    }
}

/// How many frames of a stack are of the program.
fn kept(stack: &[LocationIndex], root: impl Fn(&LocationIndex) -> Root) -> usize {
    let begin = |location: &LocationIndex| matches!(root(location), Root::Begin { .. });
    let (inner, ends) = match stack.iter().position(begin) {
        Some(begin) if stack.get(begin).map(&root) == Some(Root::Begin { inlined: 0 }) => (begin, Root::Call),
        Some(begin) => return begin + 1,
        None => (stack.len(), Root::CLibrary),
    };
    let last = stack.iter().take(inner).rposition(|location| root(location) != ends);
    last.map_or(0, |last| last + 1)
}

/// What a location is, for the root of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// [`BEGIN`], and how many functions are inlined into it that belong to the program.
    Begin {
        inlined: usize,
    },
    /// [`CALL`], and nothing else.
    Call,
    CLibrary,
    Program,
}

impl Root {
    fn of(profile: &Profile, location: &Location) -> Self {
        let name =
            |line: &Line| profile.function(line.function).map_or("", |function| function.name.as_str());
        let is_call = |line: &Line| {
            let name = FunctionName::new(name(line));
            name.last() == CALL.0 && name.path().starts_with(CALL.1)
        };
        let Some((function, inlined)) = location.lines.split_last() else { return Self::Program };
        if name(function).contains(BEGIN) {
            let program = inlined.iter().rposition(|line| !is_call(line));
            return Self::Begin { inlined: program.map_or(0, |last| last + 1) };
        }
        if inlined.is_empty() && is_call(function) {
            return Self::Call;
        }
        let mapping = location.mapping.and_then(|index| profile.mapping(index));
        let file = mapping.and_then(|mapping| mapping.path.rsplit('/').next()).unwrap_or_default();
        let is_c =
            C_LIBRARIES.iter().any(|library| file.starts_with(library)) || C_STARTS.contains(&name(function));
        if is_c { Self::CLibrary } else { Self::Program }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written_stack::{profile, read};

    fn left(stack: &[&str]) -> Vec<String> {
        let mut profile = profile(stack);
        leave_out_runtime(&mut profile);
        read(&profile, 0)
    }

    const CALL: &str = "core::ops::function::FnOnce::call_once";
    const BEGAN: &str = "std::sys::backtrace::__rust_begin_short_backtrace";

    #[test]
    fn the_runtime_of_rust_goes_whatever_it_is_made_of() {
        let outside = ["std::rt::lang_start::{{closure}}", "main", "libc.so.6+0x1234", "_start"];
        let with = |inner: &[&str]| left(&[inner, &outside].concat());
        assert_eq!(with(&["app::run", "app::main", CALL, BEGAN]), ["app::run", "app::main"]);
        let v0 = "std::sys::backtrace::__rust_begin_short_backtrace::<fn(), ()>";
        assert_eq!(with(&["app::run", "app::main", v0]), ["app::run", "app::main"]);
        let inlined =
            format!("core::ops::function::call_once<fn() -> core::result::Result<(), ()>, ()>|{BEGAN}");
        assert_eq!(with(&["app::run", "app::main", &inlined]), ["app::run", "app::main"]);
        let main = format!("app::run|app::main|{CALL}|{BEGAN}");
        assert_eq!(with(&["alloc::alloc", &main]), ["alloc::alloc", "app::run|app::main"]);
        assert_eq!(with(&[CALL, "app::main", BEGAN]), [CALL, "app::main"]);
    }

    #[test]
    fn elsewhere_it_is_the_c_library_at_the_root() {
        let stack = ["app::compare", "libc.so.6+0x40", "sort", "libc.so.6+0x891f4", "libc.so.6+0x1098eb"];
        assert_eq!(left(&stack), stack[..3]);
        assert_eq!(left(&["work", "start_thread", "clone3"]), ["work"]);
    }

    #[test]
    fn other_roots_stay() {
        for stack in [
            &["app::run", "libc.so.6+0x40", "[truncated]"][..],
            &["app::run", "main"],
            &[BEGAN, "std::rt::lang_start"],
            &["libc.so.6+0x40", "_start"],
            &[CALL, "app::main"],
            &[],
        ] {
            assert_eq!(left(stack), stack);
        }
    }
}
