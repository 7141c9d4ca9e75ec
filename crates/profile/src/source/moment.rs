use std::{any::Any, fmt, time::Duration};

use crate::{Estimate, Figures, Metadata, Profile, SourceError, Symbolizer};

/// All that a source had counted at one moment, cumulative since its start, without names.
///
/// It stays readable after the source's end.
pub trait Moment: Any + fmt::Debug + Send + Sync {
    /// Which run of the source it is of. Another run has another number, of another source or process too.
    fn session(&self) -> u64;

    /// Time since the source's start.
    fn elapsed(&self) -> Duration;

    /// Allocated since the start, and live at this moment, over all sites.
    fn totals(&self) -> Figures;

    /// What blocks that are live have beyond what was requested, over all sites; `None` where that is not known.
    fn slack(&self) -> Option<Estimate> {
        None
    }

    /// What the profile of this moment says of itself.
    fn metadata(&self) -> Metadata;

    /// How much of the program's heap it takes, in bytes.
    fn memory(&self) -> usize;

    /// From the start to this moment, with as much of names as `symbolizer` looks up.
    fn profile(&self, symbolizer: &mut Symbolizer) -> Profile;

    /// The same since an earlier moment: allocated in between, live at this one.
    ///
    /// # Errors
    ///
    /// [`SourceError::OtherSession`] if `earlier` is of another run, [`SourceError::WrongOrder`] if it is the later one.
    fn profile_since(
        &self,
        earlier: &dyn Moment,
        symbolizer: &mut Symbolizer,
    ) -> Result<Profile, SourceError>;
}
