use crate::Profile;

impl Profile {
    /// Leaves the locations out that no stack has, and the functions that no location has. The others keep their order.
    pub(crate) fn leave_out_unused(&mut self) {
        let Self { functions, locations, samples, .. } = self;
        let mut in_stacks: Vec<&mut u32> =
            samples.iter_mut().flat_map(|sample| &mut sample.stack).map(|index| &mut index.0).collect();
        retain_used(locations, &mut in_stacks);
        let lines = locations.iter_mut().flat_map(|location| &mut location.lines);
        let mut in_lines: Vec<&mut u32> = lines.map(|line| &mut line.function.0).collect();
        retain_used(functions, &mut in_lines);
    }
}

/// Keeps the entries of `table` that are used, and changes the positions in `uses` to where they are then. A position
/// outside the table stays outside.
fn retain_used<T>(table: &mut Vec<T>, uses: &mut [&mut u32]) {
    let mut new = vec![None; table.len()];
    for position in uses.iter() {
        if let Some(new) = new.get_mut(**position as usize) {
            *new = Some(0);
        }
    }
    for (position, new) in (0..).zip(new.iter_mut().flatten()) {
        *new = position;
    }
    let mut is_used = new.iter().map(Option::is_some);
    table.retain(|_| is_used.next().unwrap_or(true));
    for position in uses {
        **position = new.get(**position as usize).copied().flatten().unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written_stack::{add, profile, read};
    use crate::{LocationIndex, Sample};

    #[test]
    fn what_nothing_uses_goes() {
        let mut profile = profile(&["app::a|app::inlined", "app::b"]);
        add(&mut profile, &["app::c", "app::b"]);
        profile.samples[0].stack.remove(0);
        profile.samples.push(Sample { stack: vec![LocationIndex(9), LocationIndex(2)], ..Sample::default() });
        let stacks = |profile: &Profile| [0, 1].map(|sample| read(profile, sample));
        let before = stacks(&profile);
        profile.leave_out_unused();
        assert_eq!(stacks(&profile), before);
        let names: Vec<&str> = profile.functions.iter().map(|function| &*function.name).collect();
        assert_eq!((names, profile.locations.len()), (vec!["app::b", "app::c"], 3));
        assert!(profile.location(profile.samples[2].stack[0]).is_none());
        let again = profile.clone();
        profile.leave_out_unused();
        assert_eq!(profile, again);
    }
}
