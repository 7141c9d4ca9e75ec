/// Why a view could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No sample of the profile has this figure, so there is nothing to draw.
    #[error("the profile has no {sample_type}")]
    NoSamples {
        /// Name of the sample type that was asked for.
        sample_type: &'static str,
    },
    /// The picture could not be drawn.
    #[error("the flamegraph cannot be drawn")]
    Render(#[source] std::io::Error),
}
