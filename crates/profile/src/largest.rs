use crate::{Function, FunctionIndex, Line, Location, LocationIndex, Profile, Sample, SampleType};

impl Profile {
    /// The profile with its `n` largest samples alone, by one of the figures; all others become one, whose stack is a
    /// single entry that says how many they were: `[1234 smaller sites]`. Totals stay as they are.
    ///
    /// ```
    /// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, SampleType, Symbolizer};
    ///
    /// let mut builder = ProfileBuilder::new(Metadata::default());
    /// for (name, bytes) in [("[cache]", 900.0), ("[index]", 60.0), ("[names]", 4.0)] {
    ///     let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(bytes) };
    ///     builder.add([RawFrame::Marker(name)], Figures { live, ..Figures::default() });
    /// }
    /// let profile = builder.finish(&mut Symbolizer::new()).largest(1, SampleType::LiveBytes);
    /// assert_eq!(profile.samples.len(), 2);
    /// assert_eq!(profile.functions.last().map(|function| &*function.name), Some("[2 smaller sites]"));
    /// assert_eq!(profile.total().live.bytes.value, 964.0);
    /// ```
    #[must_use]
    pub fn largest(mut self, n: usize, sample_type: SampleType) -> Self {
        // One that would stand for one alone says nothing.
        if self.samples.len() <= n.saturating_add(1) {
            return self;
        }
        let value = |sample: &Sample| sample.figures.get(sample_type).value;
        // In their order, of equal ones the first.
        let mut order: Vec<usize> = (0..self.samples.len()).collect();
        order.sort_by(|&a, &b| value(&self.samples[b]).total_cmp(&value(&self.samples[a])));
        let mut is_kept = vec![false; self.samples.len()];
        for &position in &order[..n] {
            is_kept[position] = true;
        }
        let mut rest = Sample::default();
        for (sample, is_kept) in std::mem::take(&mut self.samples).into_iter().zip(is_kept) {
            if is_kept {
                self.samples.push(sample);
            } else {
                rest.merge(sample);
            }
        }
        self.leave_out_unused();
        let name = format!("[{} smaller sites]", order.len() - n);
        rest.stack = vec![self.add_marker(name)];
        self.samples.push(rest);
        self
    }

    /// A location that is no code.
    fn add_marker(&mut self, name: String) -> LocationIndex {
        let function = FunctionIndex(self.functions.len() as u32);
        self.functions.push(Function { system_name: name.clone(), name, file: String::new() });
        self.locations.push(Location { lines: vec![Line { function, line: 0 }], ..Location::default() });
        LocationIndex(self.locations.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};

    fn profile() -> Profile {
        let mut builder = ProfileBuilder::new(Metadata::default());
        for (name, bytes, objects) in
            [("[a]", 5.0, 1.0), ("[b]", 70.0, 2.0), ("[c]", 5.0, 3.0), ("[d]", 6.0, 9.0)]
        {
            let live =
                Amount { objects: Estimate::exact(objects), bytes: Estimate { value: bytes, variance: 1.0 } };
            let sample = builder.add([RawFrame::Marker(name)], Figures { live, ..Figures::default() });
            (sample.peak, sample.slack) = (live, Some(live.objects));
        }
        builder.finish(&mut Symbolizer::new())
    }

    fn names(profile: &Profile) -> Vec<String> {
        profile.samples.iter().map(|sample| profile.place(sample, 1)).collect()
    }

    #[test]
    fn the_rest_is_one_sample_and_nothing_is_lost() {
        let largest = profile().largest(2, SampleType::LiveBytes);
        assert_eq!(names(&largest), ["[b]", "[d]", "[2 smaller sites]"]);
        let rest = &largest.samples[2];
        assert_eq!((rest.figures.live, rest.slack), (rest.peak, Some(rest.peak.objects)));
        assert_eq!(rest.figures.live.objects.value, 4.0);
        assert_eq!(largest.total(), profile().total());
        assert_eq!(largest.functions.len(), 3, "what only the rest used is gone");
        assert_eq!(names(&profile().largest(1, SampleType::LiveObjects)), ["[d]", "[3 smaller sites]"]);
        assert_eq!(names(&profile().largest(0, SampleType::LiveBytes)), ["[4 smaller sites]"]);
    }

    #[test]
    fn one_more_is_shown_rather_than_counted() {
        for n in [3, 4, 9, usize::MAX] {
            assert_eq!(profile().largest(n, SampleType::LiveBytes), profile());
        }
    }
}
