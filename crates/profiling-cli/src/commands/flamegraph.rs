use allometer_views::{FlamegraphOptions, differential_flamegraph, flamegraph};
use clap::Args;

use crate::error::Error;
use crate::figure::{Figure, sample_type, title};
use crate::input::{Input, Inputs};
use crate::output::Output;

/// Draws a flamegraph: an SVG that any browser shows
#[derive(Args, Debug)]
pub(crate) struct Flamegraph {
    #[command(flatten)]
    inputs: Inputs,
    /// Where the picture goes to
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: Output,
    /// The figure that widths stand for; without it what the profile shows first
    #[arg(long = "type", value_enum, value_name = "FIGURE")]
    figure: Option<Figure>,
    /// An earlier profile: colours say what has changed since
    #[arg(long, value_name = "FILE")]
    before: Option<Input>,
    /// The line on top of the picture
    #[arg(long)]
    title: Option<String>,
}

impl Flamegraph {
    pub(crate) fn run(self) -> Result<(), Error> {
        if self.before == Some(Input::Standard) && self.inputs.has_standard_input() {
            return Err(Error::Usage("standard input can only be read once"));
        }
        let profile = self.inputs.read()?;
        let sample_type = sample_type(self.figure, &profile);
        let title = self.title.unwrap_or_else(|| title(sample_type).to_owned());
        let options = FlamegraphOptions { title, sample_type };
        let picture = match &self.before {
            Some(before) => differential_flamegraph(&self.inputs.read_beside(before)?, &profile, &options),
            None => flamegraph(&profile, &options),
        };
        let picture = picture.map_err(|source| Error::View { input: self.inputs.name(), source })?;
        self.output.write(picture.as_bytes())
    }
}
