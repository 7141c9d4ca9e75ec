//! Sessions as whoever takes any source of profiles sees them.

use std::{any::Any, time::Duration};

use allometer_profile::{
    BoundLoss, Estimate, Figures, Metadata, Moment, Profile, ProviderFigure, Source, SourceError,
    SourceStats, Symbolization, Symbolizer,
};

use crate::{Error, Lost, Reader, Snapshot, Stats, unsampled};

impl Source for Reader {
    fn is_active(&self) -> bool {
        self.is_active()
    }

    fn moment(&self) -> Result<Box<dyn Moment>, SourceError> {
        unsampled(|| Ok(Box::new(self.snapshot()?) as Box<dyn Moment>))
    }

    fn symbolization(&self) -> Symbolization {
        self.symbolization()
    }

    fn stats(&self) -> Result<SourceStats, SourceError> {
        Ok(self.stats()?.into())
    }

    fn provider_figures(&self) -> Result<Vec<ProviderFigure>, SourceError> {
        Ok(self.provider_figures()?)
    }

    fn purge(&self) -> Result<bool, SourceError> {
        Ok(self.purge()?)
    }

    fn leave_out(&self, work: &mut dyn FnMut()) {
        unsampled(work);
    }

    fn giants(&self) -> Result<Profile, SourceError> {
        Ok(self.giants()?)
    }

    fn told_giants(&self, requests: u64) -> Result<(), SourceError> {
        Ok(self.told_giants(requests)?)
    }
}

impl Moment for Snapshot {
    fn session(&self) -> u64 {
        self.session()
    }

    fn elapsed(&self) -> Duration {
        self.elapsed()
    }

    fn totals(&self) -> Figures {
        self.totals()
    }

    fn slack(&self) -> Option<Estimate> {
        self.since_start().total_slack()
    }

    fn metadata(&self) -> Metadata {
        self.since_start().metadata()
    }

    fn memory(&self) -> usize {
        self.memory()
    }

    fn profile(&self, symbolizer: &mut Symbolizer) -> Profile {
        self.since_start().profile_with(symbolizer)
    }

    fn profile_since(
        &self,
        earlier: &dyn Moment,
        symbolizer: &mut Symbolizer,
    ) -> Result<Profile, SourceError> {
        let earlier = (earlier as &dyn Any).downcast_ref::<Self>().ok_or(SourceError::OtherSession)?;
        Ok(self.since(earlier)?.profile_with(symbolizer))
    }
}

impl From<Error> for SourceError {
    fn from(error: Error) -> Self {
        match error {
            Error::Inactive => Self::Inactive,
            Error::AlreadyActive => Self::AlreadyActive,
            Error::OtherSession => Self::OtherSession,
            Error::WrongOrder => Self::WrongOrder,
            Error::IntervalOutOfRange { interval, max } => {
                Self::Interval { interval, expected: format!("1 to {max}") }
            }
            error => Self::failed(error),
        }
    }
}

impl From<Stats> for SourceStats {
    fn from(stats: Stats) -> Self {
        let loss = |bound, Lost { samples, bytes, .. }| BoundLoss { bound, samples, bytes };
        let mut source = Self::default();
        source.samples = Some(stats.samples);
        source.sites = Some(stats.sites);
        source.live_samples = Some(stats.live_samples);
        source.tags = Some(stats.tags);
        source.threads = Some(stats.threads);
        source.unwinding = Some(stats.unwinding.name());
        source.portable_stacks = Some(stats.portable_stacks);
        source.lost_frames = Some(stats.lost_frames);
        source.giants = stats.giants;
        source.refused_giants = stats.refused_giants;
        source.reserved_bytes = Some(stats.reserved_bytes);
        source.losses = vec![loss("site_table", stats.site_overflow), loss("live_table", stats.untracked)];
        source
    }
}
