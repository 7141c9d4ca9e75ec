//! A profile as JSON, for programs: see `docs/formats.md`.

mod changes;
mod document;
mod memory;
#[doc(hidden)]
pub mod parts;

use allometer_profile::Profile;

pub use changes::json_diff;
use document::Document;

/// The value of `schema`: the name of the form, and its version. It changes when a field changes its meaning or goes; new
/// fields do not change it.
pub const SCHEMA: &str = "allometer-profile/1";

/// The profile as one JSON object. Its fields are described in `docs/formats.md` and by the JSON Schema
/// `docs/profile.schema.json`.
///
/// Figures are not rounded and have their standard errors; where a file has none, they are
/// [assumed](Profile::with_assumed_errors). Every figure is about a site, one call stack with its tag; functions,
/// places and names are in a table of frames that stacks refer to. Equal profiles give equal texts.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
///
/// let mut builder = ProfileBuilder::new(Metadata { live: true, ..Metadata::default() });
/// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
/// builder.add([RawFrame::Marker("[cache]")], Figures { live, ..Figures::default() });
/// let text = allometer_views::json(&builder.finish(&mut Symbolizer::new()));
/// assert!(text.starts_with(r#"{"schema":"allometer-profile/1","metadata":{"#));
/// assert!(text.contains(r#""live":{"objects":1.0,"objects_error":0.0,"bytes":64.0,"bytes_error":0.0}"#));
/// ```
pub fn json(profile: &Profile) -> String {
    let profile = profile.with_assumed_errors();
    // Writing to memory cannot fail, and neither can these types: they have no maps and write what is no number as null.
    serde_json::to_string(&Document::of(&profile)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
