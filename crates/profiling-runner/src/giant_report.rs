//! A report of giant requests: what was asked for, by whom.

use std::fmt::Write;

use allometer_profile::{Profile, SampleType};
use allometer_views::{HtmlOptions, ReportFile, ReportFormat, ReportName, html, printable, top};

use crate::{Error, picture, text::ROWS};

/// Functions that a request is told with.
const PLACES: usize = 5;

/// The files of a report of giant requests, from the profile that their log is.
///
/// # Errors
///
/// [`Error::View`].
pub(crate) fn files(
    profile: &Profile,
    name: &ReportName,
    formats: impl IntoIterator<Item = ReportFormat>,
) -> Result<Vec<(ReportFile, Vec<u8>)>, Error> {
    let title = format!("Asked for: {name}");
    let mut files = Vec::new();
    for format in formats {
        let contents = match format {
            ReportFormat::Pprof => Some(profile.to_pprof_gzip()),
            ReportFormat::Flamegraph => {
                picture::draw(profile, title.clone(), SampleType::AllocBytes)?.map(String::into_bytes)
            }
            ReportFormat::Text => Some(text(profile, name).into_bytes()),
            ReportFormat::Html => {
                Some(html(profile, &HtmlOptions { title: title.clone(), before: None }).into_bytes())
            }
            // A format that this crate does not know yet.
            _ => None,
        };
        files.extend(contents.map(|contents| (name.clone().file(format), contents)));
    }
    Ok(files)
}

/// A line for each request, with where it was made, and the functions that asked for most.
fn text(profile: &Profile, name: &ReportName) -> String {
    let mut text = format!("{name}\n\n");
    // A comment for each request, in the order of the samples.
    let mut samples = profile.samples.iter();
    for comment in &profile.metadata.comments {
        let _ = writeln!(text, "{}", printable(comment));
        if comment.starts_with("request ")
            && let Some(sample) = samples.next()
        {
            let _ = writeln!(text, "    {}", printable(&profile.place(sample, PLACES)));
        }
    }
    format!("{text}\n{}", top(profile, ROWS))
}
