use crate::{Location, LocationIndex, Profile};

impl Profile {
    /// The profile with a location of its own for each inlined function, as for readers that show one function a
    /// location: speedscope the outermost, react-pprof the innermost. Figures stay as they are.
    ///
    /// Locations that were one share their address.
    pub fn expand_inlines(self) -> Self {
        let mut locations = Vec::with_capacity(self.locations.len());
        // What each location becomes, in the order of stacks: innermost first.
        let mut ranges = Vec::with_capacity(self.locations.len());
        for location in self.locations {
            let first = locations.len() as u32;
            let Location { address, mapping, lines } = location;
            let has_inlined = lines.len() > 1;
            match has_inlined {
                true => locations.extend(lines.into_iter().map(|line| Location {
                    address,
                    mapping,
                    lines: vec![line],
                })),
                false => locations.push(Location { address, mapping, lines }),
            }
            ranges.push(first..locations.len() as u32);
        }
        let mut samples = self.samples;
        for sample in &mut samples {
            let range = |index: &LocationIndex| ranges.get(index.0 as usize).cloned().unwrap_or_default();
            sample.stack = sample.stack.iter().flat_map(range).map(LocationIndex).collect();
        }
        Self { locations, samples, ..self }
    }

    /// The profile without inlined functions: a stack reads as the functions that were really called, and what an inlined
    /// one allocated is its caller's. Figures stay as they are.
    #[must_use]
    pub fn without_inlines(mut self) -> Self {
        for location in &mut self.locations {
            // The last one is that whose code it is.
            location.lines.drain(..location.lines.len().saturating_sub(1));
        }
        for mapping in &mut self.mappings {
            mapping.symbols.inlines = false;
        }
        self.leave_out_unused();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, FunctionIndex, Line, ReturnAddress, Sample};

    #[test]
    fn a_location_has_one_function() {
        let location = |address, functions: &[u32]| Location {
            address: Some(ReturnAddress::new(address)),
            mapping: None,
            lines: functions
                .iter()
                .map(|&function| Line { function: FunctionIndex(function), line: function })
                .collect(),
        };
        let stack = |stack: &[u32]| Sample {
            stack: stack.iter().copied().map(LocationIndex).collect(),
            ..Sample::default()
        };
        let profile = Profile {
            locations: vec![location(0x10, &[4, 5, 6]), location(0x20, &[]), location(0x30, &[7])],
            samples: vec![stack(&[2, 0, 1]), stack(&[0]), stack(&[9])],
            ..Profile::default()
        };
        let expanded = profile.clone().expand_inlines();
        let expected = [(0x10, &[4][..]), (0x10, &[5]), (0x10, &[6]), (0x20, &[]), (0x30, &[7])];
        assert_eq!(expanded.locations, expected.map(|(address, functions)| location(address, functions)));
        assert_eq!(expanded.samples, [stack(&[4, 0, 1, 2, 3]), stack(&[0, 1, 2]), stack(&[])]);
        assert_eq!(expanded.clone().expand_inlines(), expanded);
    }

    #[test]
    fn without_them_a_location_is_the_function_whose_code_it_is() {
        let function = |name: &str| Function { name: name.to_owned(), ..Function::default() };
        let line = |function| Line { function: FunctionIndex(function), line: function };
        let location = |lines: &[u32]| Location {
            lines: lines.iter().copied().map(line).collect(),
            ..Location::default()
        };
        let stack = vec![LocationIndex(1), LocationIndex(0)];
        let profile = Profile {
            functions: ["push", "add", "main"].map(function).to_vec(),
            locations: vec![location(&[2]), location(&[0, 1]), location(&[])],
            samples: vec![Sample { stack: stack.clone(), ..Sample::default() }],
            ..Profile::default()
        };
        let without = profile.without_inlines();
        assert_eq!(without.functions, ["add", "main"].map(function));
        let lines = |number, function| vec![Line { function: FunctionIndex(function), line: number }];
        assert_eq!(
            without.locations.iter().map(|it| it.lines.clone()).collect::<Vec<_>>(),
            [lines(2, 1), lines(1, 0)]
        );
        assert_eq!(without.samples[0].stack, stack);
        assert_eq!(without.clone().without_inlines(), without);
    }
}
