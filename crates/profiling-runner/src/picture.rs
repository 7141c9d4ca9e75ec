//! The picture of a report.

use allometer_profile::{Profile, SampleType};
use allometer_views::{FlamegraphOptions, flamegraph};

use crate::Error;

/// A flamegraph of these figures; none where there is nothing to draw.
///
/// # Errors
///
/// [`Error::View`].
pub(crate) fn draw(
    profile: &Profile,
    title: String,
    sample_type: SampleType,
) -> Result<Option<String>, Error> {
    match flamegraph(profile, &FlamegraphOptions { title, sample_type }) {
        Ok(picture) => Ok(Some(picture)),
        Err(allometer_views::Error::NoSamples { .. }) => Ok(None),
        Err(cause) => Err(Error::View { cause }),
    }
}
