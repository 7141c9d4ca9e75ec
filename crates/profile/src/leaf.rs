use crate::{Location, Profile};

/// Leaves `functions` out where they stand at the leaf of a stack: in the chain of inlined functions, the
/// outermost of them and everything inside it. A leaf that was nothing else goes as a whole.
///
/// The code at such a leaf calls the allocator's hook, so no stack has it further out.
pub(crate) fn leave_out(profile: &mut Profile, functions: &[&str]) {
    let Profile { functions: named, locations, samples, .. } = profile;
    // By function, so that each name is looked at once, and not at every leaf.
    let left_out: Vec<bool> =
        named.iter().map(|function| functions.contains(&last_part(&function.name))).collect();
    let is_left_out = |location: &Location, line: usize| {
        let function = location.lines.get(line).map(|line| line.function.0 as usize);
        function.and_then(|function| left_out.get(function)) == Some(&true)
    };
    for sample in samples {
        while let Some(location) = sample.stack.first().and_then(|leaf| locations.get_mut(leaf.0 as usize)) {
            let Some(outermost) = (0..location.lines.len()).rev().find(|line| is_left_out(location, *line))
            else {
                break;
            };
            if outermost + 1 < location.lines.len() {
                location.lines.drain(..=outermost);
                break;
            }
            sample.stack.remove(0);
        }
    }
}

/// The last part of a path: `alloc` of `core::alloc`. What stands in angle brackets is part of it.
fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, FunctionIndex, Line, LocationIndex, Sample};

    /// A profile of one stack; each location is a list of names, innermost first.
    fn profile(stack: &[&[&str]]) -> Profile {
        let mut profile = Profile::default();
        for names in stack {
            let mut lines = Vec::new();
            for name in *names {
                lines.push(Line { function: FunctionIndex(profile.functions.len() as u32), line: 1 });
                profile.functions.push(Function { name: (*name).to_owned(), ..Function::default() });
            }
            profile.locations.push(Location { lines, ..Location::default() });
        }
        let stack = (0..stack.len() as u32).map(LocationIndex).collect();
        profile.samples.push(Sample { stack, ..Sample::default() });
        profile
    }

    fn names(profile: &Profile) -> Vec<&str> {
        let lines = |location: &LocationIndex| profile.locations[location.0 as usize].lines.iter();
        let stack = profile.samples[0].stack.iter();
        stack.flat_map(lines).map(|line| profile.functions[line.function.0 as usize].name.as_str()).collect()
    }

    #[test]
    fn an_inlined_shim_goes_with_what_is_inside() {
        let mut profile =
            profile(&[&["core::alloc", "app::__shim", "alloc::alloc", "app::run"], &["app::main"]]);
        leave_out(&mut profile, &["__shim"]);
        assert_eq!(names(&profile), ["alloc::alloc", "app::run", "app::main"]);
        leave_out(&mut profile, &["__shim"]);
        assert_eq!(names(&profile).len(), 3);
    }

    #[test]
    fn a_shim_of_its_own_goes_as_a_whole() {
        let mut profile = profile(&[&["hook", "__shim"], &["outer::__shim"], &["app::run"], &["__shim"]]);
        leave_out(&mut profile, &["__shim"]);
        assert_eq!(names(&profile), ["app::run", "__shim"]);
    }

    #[test]
    fn other_stacks_stay() {
        let mut profile = profile(&[&["app::not__shim", "app::run"]]);
        let before = profile.clone();
        leave_out(&mut profile, &["__shim"]);
        assert_eq!(profile, before);
    }
}
