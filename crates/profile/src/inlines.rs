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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FunctionIndex, Line, ReturnAddress, Sample};

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
}
