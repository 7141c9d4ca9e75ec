/// Why a view could not be made, or a report's name not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is no name of a report.
    #[cfg(feature = "reports")]
    #[error("`{}`: expected {expected}", .text.escape_debug())]
    ReportName {
        /// The text.
        text: String,
        /// What was expected instead.
        expected: &'static str,
    },
    /// No sample of the profile has this figure, so there is nothing to draw.
    #[cfg(feature = "flamegraph")]
    #[error("the profile has no {sample_type}")]
    NoSamples {
        /// Name of the sample type that was asked for.
        sample_type: &'static str,
    },
    /// The picture could not be drawn.
    #[cfg(feature = "flamegraph")]
    #[error("the flamegraph cannot be drawn")]
    Render(#[source] std::io::Error),
}

#[cfg(feature = "reports")]
impl Error {
    /// `text`, where `expected` should be.
    pub(crate) fn report_name(text: &str, expected: &'static str) -> Self {
        Self::ReportName { text: text.to_owned(), expected }
    }
}
