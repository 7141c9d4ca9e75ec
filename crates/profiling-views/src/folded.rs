use std::borrow::Cow;
use std::collections::BTreeMap;

use allometer_profile::{Profile, SampleType};

use crate::frames;

/// The profile as folded stacks: a line for each stack, its functions from the root to the leaf with `;`
/// between them, a space, and the value (objects or bytes).
///
/// Inlined functions are frames like any other. Equal stacks are one line, lines are sorted, and stacks whose
/// value rounds to zero have none. A `;` within a name (`[u8; 8]`) is written as a comma.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, SampleType, Symbolizer};
///
/// let mut builder = ProfileBuilder::new(Metadata::default());
/// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
/// builder.add([RawFrame::Marker("[leaf]"), RawFrame::Marker("[root]")], Figures { live, ..Figures::default() });
/// let profile = builder.finish(&mut Symbolizer::new());
/// assert_eq!(allometer_views::folded(&profile, SampleType::LiveBytes), "[root];[leaf] 64\n");
/// ```
pub fn folded(profile: &Profile, sample_type: SampleType) -> String {
    let lines = stacks(profile, sample_type).into_iter().filter_map(|(stack, value)| {
        let value = value.round();
        (value > 0.0).then(|| format!("{stack} {value:.0}\n"))
    });
    lines.collect()
}

/// The stacks that have a value, as they are written in a line, and the value.
pub(crate) fn stacks(profile: &Profile, sample_type: SampleType) -> BTreeMap<String, f64> {
    let mut values = BTreeMap::<String, f64>::new();
    for sample in &profile.samples {
        let value = sample.figures.get(sample_type).value;
        if value == 0.0 {
            continue;
        }
        let mut names: Vec<_> = frames::leaf_first(profile, sample).into_iter().map(frame).collect();
        names.reverse();
        *values.entry(names.join(";")).or_default() += value;
    }
    values
}

/// A name that cannot be taken for more than one frame, nor its end for a value.
fn frame(name: Cow<'_, str>) -> Cow<'_, str> {
    let mut name = name;
    if name.contains(';') {
        name = Cow::Owned(name.replace(';', ","));
    }
    // Readers take two numbers at the end of a line for the two values of a comparison.
    if let Some((start, end)) = name.rsplit_once(' ')
        && end.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
    {
        name = Cow::Owned(format!("{start}_{end}"));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{
        Amount, Estimate, Figures, Function, FunctionIndex, Line, Location, LocationIndex, Sample,
    };

    fn profile(names: &[&str], stacks: &[(&[u32], f64)]) -> Profile {
        let location = |function| Location {
            lines: vec![Line { function: FunctionIndex(function), line: 0 }],
            ..Location::default()
        };
        let sample = |&(stack, bytes): &(&[u32], f64)| Sample {
            stack: stack.iter().map(|&index| LocationIndex(index)).collect(),
            figures: Figures {
                live: Amount { bytes: Estimate::exact(bytes), ..Amount::default() },
                ..Figures::default()
            },
            ..Sample::default()
        };
        Profile {
            functions: names
                .iter()
                .map(|&name| Function { name: name.to_owned(), ..Function::default() })
                .collect(),
            locations: (0..names.len() as u32).map(location).collect(),
            samples: stacks.iter().map(sample).collect(),
            ..Profile::default()
        }
    }

    #[test]
    fn equal_stacks_are_merged_before_they_are_rounded() {
        let profile = profile(&["leaf", "root"], &[(&[0, 1], 0.4), (&[1], 2.0), (&[0, 1], 0.4)]);
        assert_eq!(folded(&profile, SampleType::LiveBytes), "root 2\nroot;leaf 1\n");
        assert_eq!(folded(&profile, SampleType::AllocBytes), "");
    }

    #[test]
    fn names_cannot_break_a_line() {
        let profile = profile(&["f<[u8; 8]>\n", "page 7"], &[(&[0, 1], 3.0)]);
        assert_eq!(folded(&profile, SampleType::LiveBytes), "page_7;f<[u8, 8]>\\n 3\n");
    }
}
