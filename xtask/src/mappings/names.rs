//! What the program's profile has to say.

use std::collections::BTreeSet;

use allometer_profile::{Location, Profile};

use super::shape::Shape;

/// The frames of a stack, leaf first; inlined ones are in the same list as what they are inlined into.
pub(super) type Stack = Vec<Vec<Frame>>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) system_name: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// All stacks.
pub(super) fn stacks(profile: &Profile) -> BTreeSet<Stack> {
    let locations = |indexes: &[_]| indexes.iter().filter_map(|at| profile.location(*at)).collect::<Vec<_>>();
    let stack = |sample: &allometer_profile::Sample| {
        locations(&sample.stack).into_iter().map(|location| frames(profile, location)).collect()
    };
    profile.samples.iter().map(stack).collect()
}

/// The functions of a location, innermost first.
pub(super) fn frames(profile: &Profile, location: &Location) -> Vec<Frame> {
    let frame = |line: &allometer_profile::Line| {
        let function = profile.function(line.function)?;
        Some(Frame {
            name: function.name.clone(),
            system_name: function.system_name.clone(),
            file: function.file.clone(),
            line: line.line,
        })
    };
    location.lines.iter().filter_map(frame).collect()
}

/// The Rust functions that the machine code on these stacks belongs to, by their readable names without type parameters: a
/// compiler's manglings differ in which of those they tell. How the C library is called depends on how it is linked.
pub(super) fn physical(stacks: &BTreeSet<Stack>) -> BTreeSet<Stack> {
    let frame = |frames: &Vec<Frame>| {
        let name = frames.last().map(|frame| &frame.name).filter(|name| name.contains("::"))?;
        let frame = Frame { name: last_part(name), system_name: String::new(), file: String::new(), line: 0 };
        Some(vec![frame])
    };
    stacks.iter().map(|stack| stack.iter().filter_map(frame).collect()).collect()
}

/// The first stack that only one of two sets has, as a line; none if they are the same.
pub(super) fn difference(ours: &BTreeSet<Stack>, theirs: &BTreeSet<Stack>) -> Option<String> {
    let whose = |stack| if ours.contains(stack) { "too many" } else { "missing" };
    let shown = |frame: &Frame| match frame.line {
        0 => frame.name.clone(),
        line => format!("{} ({}:{line})", frame.name, frame.file),
    };
    let differing = ours.symmetric_difference(theirs).next()?;
    let frames: Vec<String> = differing.iter().flatten().map(shown).collect();
    Some(format!("{}: {}", whose(differing), frames.join(" < ")))
}

/// The last part of a path, without type parameters; all closures are alike.
pub(super) fn last_part(name: &str) -> String {
    let (mut depth, mut last) = (0_usize, String::new());
    // An arrow closes nothing, and of two manglings one has type parameters and shims behind a colon.
    let name = name.replace("->", "").replace("::<", "<").replace("::{shim:", "{");
    for part in name.chars() {
        match part {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => last.clear(),
            _ if depth == 0 => last.push(part),
            _ => {}
        }
    }
    match last.split_once('{') {
        Some(("", _)) => "{closure}".to_owned(),
        // A shim of the compiler's before the function.
        Some((before, _)) => before.to_owned(),
        None => last,
    }
}

/// Asks for the names and lines that the program is made to have.
pub(super) fn check(stacks: &BTreeSet<Stack>, calls: &[(String, u32)], shape: &Shape) -> Result<(), String> {
    let frames = || stacks.iter().flatten().flatten();
    for frame in frames() {
        let Frame { name, system_name, .. } = frame;
        if name.starts_with("_ZN") || name.starts_with("_R") || has_hash(name) {
            return Err(format!("`{name}` is not readable"));
        }
        let is_rust = name.contains("::");
        let is_raw = system_name.starts_with("_ZN") || system_name.starts_with("_R");
        let is_inlined = !stacks.iter().flatten().any(|location| location.last() == Some(frame));
        if is_rust && !is_raw && !is_inlined {
            return Err(format!("`{system_name}` is not what the compiler wrote for `{name}`"));
        }
    }
    let of_places =
        ["block", "outer", "ends_in_a_call", "never_returns", "generic", "closure", "called_from_c"];
    for function in of_places {
        let is_it = |frame: &Frame| {
            frame.name.contains("consumer_symbols::places::") && last_part(&frame.name) == function
        };
        if !frames().any(is_it) {
            return Err(format!("no function is called {function}"));
        }
    }
    let parameters = frames().any(|frame| frame.name == "consumer_symbols::places::generic::<u64>");
    if parameters != shape.keeps_parameters {
        return Err(format!("type parameters are told: {parameters}"));
    }
    for (function, line) in calls.iter().filter(|_| shape.has_lines) {
        let is_it = |frame: &&Frame| last_part(&frame.name) == *function && frame.file.ends_with("places.rs");
        let lines: BTreeSet<u32> = frames().filter(is_it).map(|frame| frame.line).collect();
        if lines != BTreeSet::from([*line]) {
            return Err(format!("{function} makes its call on line {line}, not on {lines:?}"));
        }
    }
    let is_chain = |location: &Vec<Frame>| {
        let names: Vec<_> = location.iter().map(|frame| last_part(&frame.name)).collect();
        names == ["inlined", "outer"]
    };
    if shape.has_lines && !stacks.iter().flatten().any(is_chain) {
        return Err("no function is inlined".to_owned());
    }
    Ok(())
}

/// Whether a name ends in the hash of the older mangling.
fn has_hash(name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or_default();
    last.len() == 17 && last.starts_with('h') && last[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Asks that the program's own code is called by its place in the file, in a mapping that says so.
pub(super) fn only_offsets(profile: &Profile) -> Result<(), String> {
    let Some(main) = profile.mappings.first() else { return Err("no mapping".to_owned()) };
    if main.symbols != Default::default() {
        return Err(format!("{:?} of a file without symbols", main.symbols));
    }
    let module = main.path.rsplit('/').next().unwrap_or_default();
    let of_main = profile.locations.iter().filter(|location| location.mapping.is_some_and(|at| at.0 == 0));
    let mut names = of_main.flat_map(|location| frames(profile, location)).map(|frame| frame.name);
    let is_offset = |name: &String| name.strip_prefix(module).is_some_and(|offset| offset.starts_with("+0x"));
    names.find(|name| !is_offset(name)).map_or(Ok(()), |name| Err(format!("`{name}` in a stripped file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_is_without_type_parameters() {
        for (name, last) in [
            ("a::b::c", "c"),
            ("c", "c"),
            ("a::generic::<alloc::vec::Vec<u8>>", "generic"),
            ("<a::B<C> as d::E>::f", "f"),
            ("a::b::{{closure}}", "{closure}"),
            ("{closure#0}<a::B, !>", "{closure}"),
            ("begin<fn() -> core::Result<(), alloc::Box<dyn Error>>, ()>", "begin"),
            ("core::FnOnce::call_once{{vtable.shim}}", "call_once"),
            ("<a::B as core::FnOnce<()>>::call_once::{shim:vtable#0}", "call_once"),
            ("try_allocate_in<alloc::alloc::Global>", "try_allocate_in"),
        ] {
            assert_eq!(last_part(name), last, "{name}");
        }
    }

    #[test]
    fn hashes_are_seen() {
        assert!(has_hash("alloc::vec::push::h5432d21233e580cb"));
        assert!(!has_hash("alloc::vec::push") && !has_hash("a::hash_of_everything"));
    }
}
