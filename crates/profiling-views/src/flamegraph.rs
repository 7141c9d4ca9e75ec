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
    let subtitle = total(profile, sample_type);
    draw(&folded(profile, sample_type), options, subtitle)
}

/// Two profiles as one flamegraph: it shows `after`, and colours say what has changed since `before`: red where there
/// is more, blue where there is less, white where it is the same. A frame is coloured by the memory that it
/// allocated itself, and when the mouse is on it, it says how much that has changed. Stacks that only `before`
/// has are not drawn; how much they were is said at the top.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
/// use allometer_views::{FlamegraphOptions, differential_flamegraph};
///
/// let profile = |bytes| {
///     let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(bytes) };
///     let mut builder = ProfileBuilder::new(Metadata::default());
///     builder.add([RawFrame::Marker("[cache]")], Figures { live, ..Figures::default() });
///     builder.finish(&mut Symbolizer::new())
/// };
/// let picture = differential_flamegraph(&profile(64.0), &profile(96.0), &FlamegraphOptions::default())?;
/// assert!(picture.contains("96 B live, +32 B"));
/// # Ok::<(), allometer_views::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NoSamples`] when nothing of this sample type is in `after`.
pub fn differential_flamegraph(
    before: &Profile,
    after: &Profile,
    options: &FlamegraphOptions,
) -> Result<String, Error> {
    let sample_type = options.sample_type;
    let earlier = folded::stacks(before, sample_type);
    let later = folded::stacks(after, sample_type);
    let line = |(stack, value): (&String, &f64)| {
        let before = earlier.get(stack).copied().unwrap_or_default();
        (value.round() > 0.0).then(|| format!("{stack} {:.0} {:.0}\n", before.round(), value.round()))
    };
    let lines: String = later.iter().filter_map(line).collect();
    let gone = earlier.iter().filter(|(stack, _)| !later.contains_key(*stack)).map(|(_, value)| value).sum();

    let value = |profile: &Profile| profile.total().get(sample_type).value;
    let change = value(after) - value(before);
    let mut subtitle = format!(
        "{}, {}",
        total(after, sample_type),
        quantity::signed(change, &quantity::amount(sample_type, change))
    );
    if gone > 0.0 {
        subtitle.push_str(&format!("; {} of stacks that are gone", quantity::amount(sample_type, gone)));
    }
    draw(&lines, options, subtitle)
}

/// Draws lines of folded stacks.
fn draw(lines: &str, options: &FlamegraphOptions, subtitle: String) -> Result<String, Error> {
    let sample_type = options.sample_type;
    if lines.is_empty() {
        return Err(Error::NoSamples { sample_type: sample_type.name() });
    }
    let mut drawing = Options::default();
    drawing.title.clone_from(&options.title);
    drawing.subtitle = Some(subtitle);
    drawing.count_name = unit(sample_type).to_owned();
    drawing.colors = Palette::Multi(MultiPalette::Rust);
    drawing.deterministic = true;
    let mut picture = Vec::new();
    from_lines(&mut drawing, lines.lines(), &mut picture).map_err(Error::Render)?;
    Ok(String::from_utf8_lossy(&picture).into_owned())
}

fn unit(sample_type: SampleType) -> &'static str {
    match sample_type {
        SampleType::AllocObjects | SampleType::LiveObjects => "objects",
        SampleType::AllocBytes | SampleType::LiveBytes => "bytes",
    }
}

/// `12.3 MiB live`, `1,234 objects allocated`.
fn total(profile: &Profile, sample_type: SampleType) -> String {
    let state = match sample_type {
        SampleType::AllocObjects | SampleType::AllocBytes => "allocated",
        SampleType::LiveObjects | SampleType::LiveBytes => "live",
    };
    format!("{} {state}", quantity::amount(sample_type, profile.total().get(sample_type).value))
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

    /// A profile of stacks of one function each.
    fn holding(stacks: &[(&'static str, f64)]) -> Profile {
        let mut builder = ProfileBuilder::new(Metadata::default());
        for &(name, bytes) in stacks {
            let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(bytes) };
            builder.add([RawFrame::Marker(name)], Figures { live, ..Figures::default() });
        }
        builder.finish(&mut Symbolizer::new())
    }

    /// The title of a frame, and its colour.
    fn frame<'svg>(picture: &'svg str, name: &str) -> (&'svg str, &'svg str) {
        let (_, rest) = picture.split_once(&format!("<title>{name} (")).unwrap();
        let (title, rest) = rest.split_once(")</title>").unwrap();
        let (_, rest) = rest.split_once("fill=\"").unwrap();
        (title, rest.split_once('"').unwrap().0)
    }

    #[test]
    fn a_difference_has_colours_and_figures() {
        let before = holding(&[("grew", 1024.0), ("shrank", 4096.0), ("same", 2048.0), ("gone", 512.0)]);
        let after = holding(&[("grew", 8192.0), ("shrank", 2048.0), ("same", 2048.0), ("new", 4096.0)]);
        let options = FlamegraphOptions::default();
        let picture = differential_flamegraph(&before, &after, &options).unwrap();
        assert!(picture.contains("16.0 KiB live, +8.5 KiB; 512 B of stacks that are gone"));
        let [grew, shrank, same, new] = ["grew", "shrank", "same", "new"].map(|name| frame(&picture, name));
        assert_eq!(grew.0, "8,192 bytes, 50.00%; +43.75%");
        assert_eq!(shrank.0, "2,048 bytes, 12.50%; -12.50%");
        assert_eq!(same, ("2,048 bytes, 12.50%; 0.00%", "rgb(250,250,250)"));
        let channels = |(_, colour): (&str, &str)| -> Vec<u32> {
            let numbers = colour.trim_start_matches("rgb(").trim_end_matches(')').split(',');
            numbers.map(|number| number.parse().unwrap()).collect()
        };
        let (grew, shrank, new) = (channels(grew), channels(shrank), channels(new));
        assert!(grew[0] > grew[2] && new[0] > new[2], "{grew:?} {new:?}: not red");
        assert!(shrank[2] > shrank[0], "{shrank:?}: not blue");
        assert!(!picture.contains("<title>gone ("));
        assert!(differential_flamegraph(&after, &holding(&[]), &options).is_err());
    }

    #[test]
    fn an_empty_profile_is_an_error_with_a_reason() {
        let error = flamegraph(&Profile::default(), &FlamegraphOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the profile has no inuse_space");
    }
}
