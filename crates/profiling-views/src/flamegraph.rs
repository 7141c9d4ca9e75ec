use allometer_profile::{Profile, SampleType};
use inferno::flamegraph::color::MultiPalette;
use inferno::flamegraph::{Options, Palette, from_lines};

use crate::{Error, folded, quantity};

/// How a flamegraph is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlamegraphOptions {
    /// The line on top of the picture.
    pub title: String,
    /// The figure that widths stand for.
    pub sample_type: SampleType,
}

impl Default for FlamegraphOptions {
    /// Live bytes, under the title `Live heap`.
    fn default() -> Self {
        Self { title: "Live heap".to_owned(), sample_type: SampleType::LiveBytes }
    }
}

/// The profile as a flamegraph: an SVG of its own that can be searched and zoomed in a browser. Roots are at
/// the bottom, widths are bytes or objects. Equal profiles give equal pictures.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
/// use allometer_views::{FlamegraphOptions, flamegraph};
///
/// let mut builder = ProfileBuilder::new(Metadata::default());
/// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
/// builder.add([RawFrame::Marker("[leaf]"), RawFrame::Marker("[root]")], Figures { live, ..Figures::default() });
/// let picture = flamegraph(&builder.finish(&mut Symbolizer::new()), &FlamegraphOptions::default())?;
/// assert!(picture.contains("<svg"));
/// # Ok::<(), allometer_views::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NoSamples`] when nothing of this sample type is in the profile.
pub fn flamegraph(profile: &Profile, options: &FlamegraphOptions) -> Result<String, Error> {
    let sample_type = options.sample_type;
    let stacks = folded(profile, sample_type);
    if stacks.is_empty() {
        return Err(Error::NoSamples { sample_type: sample_type.name() });
    }
    let mut drawing = Options::default();
    drawing.title.clone_from(&options.title);
    drawing.subtitle = Some(subtitle(profile, sample_type));
    drawing.count_name = unit(sample_type).to_owned();
    drawing.colors = Palette::Multi(MultiPalette::Rust);
    drawing.deterministic = true;
    let mut picture = Vec::new();
    from_lines(&mut drawing, stacks.lines(), &mut picture).map_err(Error::Render)?;
    Ok(String::from_utf8_lossy(&picture).into_owned())
}

fn unit(sample_type: SampleType) -> &'static str {
    match sample_type {
        SampleType::AllocObjects | SampleType::LiveObjects => "objects",
        SampleType::AllocBytes | SampleType::LiveBytes => "bytes",
    }
}

/// `12.3 MiB live`, `1,234 objects allocated`.
fn subtitle(profile: &Profile, sample_type: SampleType) -> String {
    let value = profile.total().get(sample_type).value;
    match sample_type {
        SampleType::AllocObjects => format!("{} allocated", quantity::objects(value)),
        SampleType::AllocBytes => format!("{} allocated", quantity::bytes(value)),
        SampleType::LiveObjects => format!("{} live", quantity::objects(value)),
        SampleType::LiveBytes => format!("{} live", quantity::bytes(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};

    fn profile() -> Profile {
        let mut builder = ProfileBuilder::new(Metadata::default());
        let amount = |bytes| Amount { objects: Estimate::exact(3.0), bytes: Estimate::exact(bytes) };
        let leaf = RawFrame::Marker("shop::cart::add<&str>");
        builder
            .add([leaf, RawFrame::Marker("shop::main")], Figures { alloc: amount(8e6), live: amount(2e6) });
        builder.add([RawFrame::Marker("shop::main")], Figures { live: amount(1e6), ..Figures::default() });
        builder.finish(&mut Symbolizer::new())
    }

    #[test]
    fn shows_title_total_and_unit() {
        let picture = flamegraph(&profile(), &FlamegraphOptions::default()).unwrap();
        assert!(picture.contains("Live heap") && picture.contains("2.9 MiB live"));
        assert!(picture.contains("shop::cart::add&lt;&amp;str&gt; (2,000,000 bytes, 66.67%)"));
        assert_eq!(picture, flamegraph(&profile(), &FlamegraphOptions::default()).unwrap());
    }

    #[test]
    fn shows_the_figure_that_was_asked_for() {
        let options =
            FlamegraphOptions { title: "Requests".to_owned(), sample_type: SampleType::AllocObjects };
        let picture = flamegraph(&profile(), &options).unwrap();
        assert!(picture.contains("3 objects allocated") && picture.contains("(3 objects, 100.00%)"));
    }

    #[test]
    fn an_empty_profile_is_an_error_with_a_reason() {
        let error = flamegraph(&Profile::default(), &FlamegraphOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the profile has no inuse_space");
    }
}
