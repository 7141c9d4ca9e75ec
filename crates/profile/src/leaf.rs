use crate::function_name::FunctionName;
use crate::{Location, Profile};

/// Leaves the functions of [`Metadata::left_out_at_leaf`](crate::Metadata::left_out_at_leaf) out: in the chain of inlined
/// functions, the outermost of them and everything inside it. A leaf that was nothing else goes as a whole.
///
/// The code at such a leaf calls the allocator's hook, so no stack has it further out.
pub(crate) fn leave_out(profile: &mut Profile) {
    let Profile { metadata, functions, locations, samples, .. } = profile;
    let is_listed =
        |name: &str| metadata.left_out_at_leaf.iter().any(|each| each == FunctionName::new(name).last());
    // By function, so that each name is looked at once, and not at every leaf.
    let left_out: Vec<bool> = functions.iter().map(|function| is_listed(&function.name)).collect();
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
    fn other_stacks_stay() {
        let mut profile = profile(&["app::not__shim|app::run"]);
        let before = profile.clone();
        leave_out(&mut profile);
        assert_eq!(profile, before);
    }
}
