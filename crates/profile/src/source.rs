mod error;
mod left_out;
mod moment;
mod stats;
mod switch;

use std::{fmt, sync::Arc};

pub use error::SourceError;
pub use moment::Moment;
pub use stats::{BoundLoss, SourceStats};
pub use switch::Switch;

use crate::{Profile, ProviderFigure, Symbolization};

/// Anything that yields profiles of this program: a session of the sampler, or an allocator's own profiler.
///
/// Whoever shows, serves, stores or sends profiles takes any source. A handle is cheap, it can be sent anywhere, and does not keep
/// what it reads alive.
pub trait Source: fmt::Debug + Send + Sync {
    /// Whether there is still something to read.
    fn is_active(&self) -> bool;

    /// All that was counted until now.
    ///
    /// # Errors
    ///
    /// [`SourceError::Inactive`] after its end; what else the source says.
    fn moment(&self) -> Result<Box<dyn Moment>, SourceError>;

    /// How much of addresses is looked up for its profiles.
    fn symbolization(&self) -> Symbolization;

    /// How it is doing.
    ///
    /// # Errors
    ///
    /// [`SourceError::Inactive`] after its end.
    fn stats(&self) -> Result<SourceStats, SourceError>;

    /// What the allocator says about itself now, to be put beside a profile. Empty where it has no figures.
    ///
    /// The allocator may take its locks for this: a moment does not ask by itself.
    ///
    /// # Errors
    ///
    /// [`SourceError::Inactive`] after its end.
    fn provider_figures(&self) -> Result<Vec<ProviderFigure>, SourceError>;

    /// Asks the allocator to give free memory back to the operating system. False: it has no such request.
    ///
    /// # Errors
    ///
    /// [`SourceError::Inactive`] after its end.
    fn purge(&self) -> Result<bool, SourceError>;

    /// Does `work`, once, on this thread. What the thread requests meanwhile is not in the source's profiles: so is left out who
    /// looks at the program from inside it. See [`left_out`](trait.Source.html#method.left_out) for work with an answer.
    fn leave_out(&self, work: &mut dyn FnMut());

    /// The last giant requests, as a profile of what they asked for; empty where the source does not watch for them.
    ///
    /// # Errors
    ///
    /// [`SourceError::Inactive`] after its end; what else the source says.
    fn giants(&self) -> Result<Profile, SourceError> {
        Ok(Profile::default())
    }

    /// Says that somebody was told of the first so many giant requests ([`SourceStats::giants`]).
    ///
    /// # Errors
    ///
    /// [`SourceError::Inactive`] after its end.
    fn told_giants(&self, requests: u64) -> Result<(), SourceError> {
        let _ = requests;
        Ok(())
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn is_active(&self) -> bool {
        (**self).is_active()
    }

    fn moment(&self) -> Result<Box<dyn Moment>, SourceError> {
        (**self).moment()
    }

    fn symbolization(&self) -> Symbolization {
        (**self).symbolization()
    }

    fn stats(&self) -> Result<SourceStats, SourceError> {
        (**self).stats()
    }

    fn provider_figures(&self) -> Result<Vec<ProviderFigure>, SourceError> {
        (**self).provider_figures()
    }

    fn purge(&self) -> Result<bool, SourceError> {
        (**self).purge()
    }

    fn leave_out(&self, work: &mut dyn FnMut()) {
        (**self).leave_out(work);
    }

    fn giants(&self) -> Result<Profile, SourceError> {
        (**self).giants()
    }

    fn told_giants(&self, requests: u64) -> Result<(), SourceError> {
        (**self).told_giants(requests)
    }
}
