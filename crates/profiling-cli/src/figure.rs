use allometer_profile::{Profile, SampleType};
use clap::ValueEnum;

/// A figure, by our word for it or by its name in pprof files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// Bytes that are live: inuse_space
    #[value(alias = "inuse_space")]
    Live,
    /// Bytes that were allocated: alloc_space
    #[value(alias = "alloc_space")]
    Allocated,
    /// Objects that are live: inuse_objects
    #[value(alias = "inuse_objects", alias = "objects")]
    LiveObjects,
    /// Objects that were allocated: alloc_objects
    #[value(alias = "alloc_objects")]
    AllocatedObjects,
}

impl Figure {
    fn sample_type(self) -> SampleType {
        match self {
            Self::Live => SampleType::LiveBytes,
            Self::Allocated => SampleType::AllocBytes,
            Self::LiveObjects => SampleType::LiveObjects,
            Self::AllocatedObjects => SampleType::AllocObjects,
        }
    }
}

/// The figure that was asked for; if none was, the one that the profile shows first, as far as it was recorded.
pub(crate) fn sample_type(asked: Option<Figure>, profile: &Profile) -> SampleType {
    let first = match profile.metadata.default_type {
        SampleType::LiveBytes if !profile.metadata.live => SampleType::AllocBytes,
        SampleType::LiveObjects if !profile.metadata.live => SampleType::AllocObjects,
        recorded => recorded,
    };
    asked.map_or(first, Figure::sample_type)
}

/// What the figure is called at the top of a picture.
pub(crate) fn title(sample_type: SampleType) -> &'static str {
    match sample_type {
        SampleType::LiveBytes => "Live heap",
        SampleType::LiveObjects => "Live objects",
        SampleType::AllocBytes => "Allocated bytes",
        SampleType::AllocObjects => "Allocations",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::Metadata;

    #[test]
    fn both_kinds_of_names_are_understood() {
        for (names, expected) in [
            (&["live", "inuse_space"][..], SampleType::LiveBytes),
            (&["allocated", "alloc_space"], SampleType::AllocBytes),
            (&["live-objects", "inuse_objects", "objects"], SampleType::LiveObjects),
            (&["allocated-objects", "alloc_objects"], SampleType::AllocObjects),
        ] {
            for name in names {
                assert_eq!(Figure::from_str(name, false).map(Figure::sample_type), Ok(expected), "{name}");
            }
        }
    }

    #[test]
    fn without_live_figures_it_is_what_was_allocated() {
        let profile =
            |live| Profile { metadata: Metadata { live, ..Metadata::default() }, ..Profile::default() };
        assert_eq!(sample_type(None, &profile(true)), SampleType::LiveBytes);
        assert_eq!(sample_type(None, &profile(false)), SampleType::AllocBytes);
        assert_eq!(sample_type(Some(Figure::Live), &profile(false)), SampleType::LiveBytes);
    }
}
