use crate::function_name::FunctionName;
use crate::{Location, LocationIndex, Profile};

/// Locations at the leaf in which the shim is looked for behind implementations of `GlobalAlloc`.
const WRAPPERS: usize = 6;
/// In the name of a function of one: a method of the trait, or of the sampler, which has slow halves of these.
const WRAPS: [&str; 2] = ["GlobalAlloc>::", "SamplingAllocator<"];

/// Leaves the functions of [`Metadata::left_out_at_leaf`](crate::Metadata::left_out_at_leaf) out: in the chain of inlined
/// functions, the outermost of them and everything inside it. A leaf that was nothing else goes as a whole; so do
/// implementations of `GlobalAlloc`, which stand between the allocator and the compiler's shim where they are not inlined.
///
/// The code at such a leaf calls the allocator's hook, so no stack has it further out.
pub(crate) fn leave_out(profile: &mut Profile) {
    let Profile { metadata, functions, locations, samples, .. } = profile;
    let is_listed =
        |name: &str| metadata.left_out_at_leaf.iter().any(|each| each == FunctionName::new(name).last());
    // By function, so that each name is looked at once, and not at every leaf.
    let left_out: Vec<bool> = functions.iter().map(|function| is_listed(&function.name)).collect();
    let wraps: Vec<bool> =
        functions.iter().map(|function| WRAPS.iter().any(|part| function.name.contains(part))).collect();
    let is = |of: &[bool], location: &Location, line: usize| {
        let function = location.lines.get(line).map(|line| line.function.0 as usize);
        function.and_then(|function| of.get(function)) == Some(&true)
    };
    let outermost =
        |location: &Location| (0..location.lines.len()).rev().find(|line| is(&left_out, location, *line));
    for sample in samples {
        let is_wrapper = |&index: &LocationIndex| {
            let location = locations.get(index.0 as usize);
            location.is_some_and(|location| is(&wraps, location, location.lines.len().wrapping_sub(1)))
        };
        let is_shim = |index: LocationIndex| {
            locations.get(index.0 as usize).is_some_and(|location| outermost(location).is_some())
        };
        // Nothing but shims: where a program's function is around one, it is the leaf.
        let is_whole = |&index: &LocationIndex| {
            let location = locations.get(index.0 as usize);
            location.is_some_and(|location| outermost(location) == location.lines.len().checked_sub(1))
        };
        let own = sample.stack.iter().take_while(|index| is_whole(index)).count();
        let behind =
            own + sample.stack[own..].iter().take(WRAPPERS).take_while(|index| is_wrapper(index)).count();
        if sample.stack.get(behind).is_some_and(|index| is_shim(*index)) {
            sample.stack.drain(..behind);
        }
        while let Some(location) = sample.stack.first().and_then(|leaf| locations.get_mut(leaf.0 as usize)) {
            let Some(outermost) = outermost(location) else { break };
            if outermost + 1 < location.lines.len() {
                location.lines.drain(..=outermost);
                break;
            }
            sample.stack.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;
    use crate::written_stack::{self, read};

    fn profile(stack: &[&str]) -> Profile {
        let metadata = Metadata { left_out_at_leaf: vec!["__shim".to_owned()], ..Metadata::default() };
        Profile { metadata, ..written_stack::profile(stack) }
    }

    #[test]
    fn an_inlined_shim_goes_with_what_is_inside() {
        let mut profile = profile(&["core::alloc|app::__shim|alloc::alloc|app::run", "app::main"]);
        leave_out(&mut profile);
        assert_eq!(read(&profile, 0), ["alloc::alloc|app::run", "app::main"]);
        leave_out(&mut profile);
        assert_eq!(read(&profile, 0).len(), 2);
    }

    #[test]
    fn a_shim_of_its_own_goes_as_a_whole() {
        let mut profile = profile(&["hook|__shim", "outer::__shim", "app::run", "__shim"]);
        leave_out(&mut profile);
        assert_eq!(read(&profile, 0), ["app::run", "__shim"]);
    }

    #[test]
    fn implementations_of_the_trait_go_with_the_shim_around_them() {
        let wrapper = "<app::Counting as core::alloc::global::GlobalAlloc>::alloc";
        for inner in [&[][..], &["inner::__shim"]] {
            let stack = [inner, &[wrapper, wrapper, "outer::__shim", "app::run"]].concat();
            let mut profile = profile(&stack);
            leave_out(&mut profile);
            assert_eq!(read(&profile, 0), ["app::run"], "{stack:?}");
        }
        // A function that an allocator calls, and that allocates.
        let mut inside =
            profile(&["alloc::alloc|app::__shim|app::refill", wrapper, "outer::__shim", "app::run"]);
        leave_out(&mut inside);
        assert_eq!(read(&inside, 0), ["app::refill", wrapper, "outer::__shim", "app::run"]);
        // A program's own call of an allocator.
        let mut own = profile(&[wrapper, "app::run"]);
        leave_out(&mut own);
        assert_eq!(read(&own, 0), [wrapper, "app::run"]);
    }

    #[test]
    fn other_stacks_stay() {
        let mut profile = profile(&["app::not__shim|app::run"]);
        let before = profile.clone();
        leave_out(&mut profile);
        assert_eq!(profile, before);
    }
}
