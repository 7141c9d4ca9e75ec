use allometer_profile::{Moment, ProviderFigure, Source, SourceError, SourceStats, Symbolization};
use allometer_provider::Provider;

use super::{
    JemallocConfig, JemallocError,
    control::{self, LeftOut},
    moment::JemallocMoment,
    session::Session,
};
use crate::Jemalloc;

/// Reads jemalloc's own profiler: a [`Source`], for the runner, the endpoints, Pyroscope's agent and whoever else takes one.
///
/// Its profiles differ from those of a session of the sampler in what jemalloc knows:
///
/// * Sizes are those of size classes, and not what was requested.
/// * Its dump has whole numbers of samples, a sum for each stack. jemalloc weighs each sample by its own size, and prepares the sums so that
///   that comes out again; stacks of few samples of sizes that differ are off by up to half a sample.
/// * It keeps how many objects a sample stands for in eighths: where objects are about as large as the interval, their number is up to
///   3 % off. Their bytes are not.
/// * There are no errors in it: views assume those of objects of their mean size. There are no lifetimes, no peak, no tags.
/// * Threads that follow each other at one address draw the same numbers, so that their errors do not average out.
/// * Stacks are addresses: code that was unloaded is called by what is loaded there when the profile is made.
#[derive(Clone, Debug)]
pub struct JemallocReader {
    session: Session,
    symbolization: Symbolization,
}

impl JemallocReader {
    pub(super) fn new(session: Session, symbolization: Symbolization) -> Self {
        Self { session, symbolization }
    }

    /// Reads the profiler as it runs since the program's start, by `prof:true` in jemalloc's configuration, or because of somebody else. It is
    /// neither started nor stopped.
    ///
    /// Of the configuration only what is looked up matters here.
    ///
    /// # Errors
    ///
    /// [`JemallocError::NotBuilt`], [`JemallocError::Off`]; [`JemallocError::Inactive`] if it does not run.
    pub fn attach(config: &JemallocConfig) -> Result<Self, JemallocError> {
        control::check_usable()?;
        if !control::is_active() {
            return Err(JemallocError::Inactive);
        }
        Ok(Self::new(Session::begin(None), config.symbolization))
    }

    fn check(&self) -> Result<(), JemallocError> {
        if self.session.is_active() { Ok(()) } else { Err(JemallocError::Inactive) }
    }
}

impl Source for JemallocReader {
    fn is_active(&self) -> bool {
        self.session.is_active()
    }

    fn moment(&self) -> Result<Box<dyn Moment>, SourceError> {
        self.check()?;
        let _left_out = LeftOut::begin();
        Ok(Box::new(JemallocMoment::take(&self.session)?))
    }

    fn symbolization(&self) -> Symbolization {
        self.symbolization
    }

    fn stats(&self) -> Result<SourceStats, SourceError> {
        self.check()?;
        Ok(SourceStats::default())
    }

    fn provider_figures(&self) -> Result<Vec<ProviderFigure>, SourceError> {
        self.check()?;
        let figure = |(name, bytes): (&str, u64)| ProviderFigure { name: name.to_owned(), bytes };
        Ok(Jemalloc.stats().figures().map(figure).collect())
    }

    fn purge(&self) -> Result<bool, SourceError> {
        self.check()?;
        Ok(Jemalloc.purge())
    }

    fn leave_out(&self, work: &mut dyn FnMut()) {
        let _left_out = LeftOut::begin();
        work();
    }
}
