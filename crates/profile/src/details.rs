use crate::{Profile, Sample};

impl Profile {
    /// The profile as its heap was when it was at its largest: the live figures are those of [`Sample::peak`], and what
    /// is known of objects that are live at the end is left out. `None` where that moment is not known.
    ///
    /// Each view of the live heap is one of its peak this way.
    ///
    /// ```
    /// use allometer_profile::{Amount, Estimate, Metadata, Profile, Sample};
    /// use std::time::Duration;
    ///
    /// let peak = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
    /// let metadata = Metadata { peak: Some(Duration::from_secs(3)), live: true, ..Metadata::default() };
    /// let samples = vec![Sample { peak, ..Sample::default() }];
    /// let profile = Profile { metadata, samples, ..Profile::default() };
    /// assert_eq!(profile.total().live.bytes.value, 0.0);
    /// assert_eq!(profile.at_peak().map(|profile| profile.total().live), Some(peak));
    /// assert_eq!(Profile::default().at_peak(), None);
    /// ```
    pub fn at_peak(&self) -> Option<Self> {
        let peak = self.metadata.peak?;
        let mut profile = self.clone();
        for sample in &mut profile.samples {
            sample.figures.live = sample.peak;
        }
        let mut profile = profile.without_details();
        profile
            .metadata
            .comments
            .push(format!("live figures are those of the peak, {peak:.3?} after the start"));
        Some(profile)
    }

    /// The profile without what the format of pprof has no place for, its standard errors apart: objects behind the
    /// live figures, their slack, the peak, lifetimes, sizes, the allocator's own figures, what was in memory. For readers that would skip these in any
    /// case; its file is the smallest.
    #[must_use]
    pub fn without_details(mut self) -> Self {
        for sample in &mut self.samples {
            let Sample { stack, tag, figures, .. } = std::mem::take(sample);
            *sample = Sample { stack, tag, figures, ..Sample::default() };
        }
        (self.metadata.session, self.metadata.peak) = (None, None);
        self.metadata.resident = None;
        self.metadata.sizes.clear();
        self.metadata.provider_figures.clear();
        self
    }
}
