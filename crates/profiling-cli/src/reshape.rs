use allometer_profile::Profile;
use clap::Args;

use crate::error::Error;
use crate::figure::sample_type;

/// What is done to a profile before anything looks at it.
#[derive(Args, Debug)]
pub(crate) struct Reshape {
    /// Leave out what runs futures: asynchronous stacks read as the program's own functions
    #[arg(long)]
    fold_async: bool,
    /// Write a location for each inlined function, for readers that show one function a location
    #[arg(long)]
    expand_inlines: bool,
    /// Leave out inlined functions: what they allocate is their callers'
    #[arg(long, conflicts_with = "expand_inlines")]
    without_inlines: bool,
    /// Add up what differs in its tag alone
    #[arg(long)]
    without_tags: bool,
    /// Show the heap as it was when it was at its largest
    #[arg(long)]
    at_peak: bool,
    /// Keep so many call stacks, those that hold the most (or allocated it), and add up the rest
    #[arg(long, value_name = "N")]
    largest: Option<usize>,
    /// Keep jemalloc's own functions where its profiler took a stack inside them
    #[arg(long)]
    keep_jemalloc: bool,
}

impl Reshape {
    /// # Errors
    ///
    /// The profile does not have what was asked for.
    pub(crate) fn apply(&self, mut profile: Profile) -> Result<Profile, Error> {
        if self.at_peak {
            profile = profile.at_peak().ok_or(Error::NoPeak)?;
        }
        if !self.keep_jemalloc {
            profile = profile.without_jemalloc();
        }
        if self.fold_async {
            profile = profile.fold_async();
        }
        if self.expand_inlines {
            profile = profile.expand_inlines();
        }
        if self.without_inlines {
            profile = profile.without_inlines();
        }
        if self.without_tags {
            profile = profile.without_tags();
        }
        if let Some(n) = self.largest {
            let by = sample_type(None, &profile);
            profile = profile.largest(n, by);
        }
        Ok(profile)
    }
}
