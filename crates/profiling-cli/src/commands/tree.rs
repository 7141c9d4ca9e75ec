use clap::Args;

use crate::error::Error;
use crate::figure::{Figure, sample_type};
use crate::input::Inputs;
use crate::output::Output;

/// Shows who calls whom, from the roots to the leaves, and what each stands for
#[derive(Args, Debug)]
pub(crate) struct Tree {
    #[command(flatten)]
    inputs: Inputs,
    /// The figure that it is about; without it what the profile shows first
    #[arg(long = "type", value_enum, value_name = "FIGURE")]
    figure: Option<Figure>,
    /// Add up what has less than this share of all
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    least: f64,
}

impl Tree {
    pub(crate) fn run(self) -> Result<(), Error> {
        let profile = self.inputs.read()?;
        let sample_type = sample_type(self.figure, &profile);
        let tree = allometer_views::tree(&profile, sample_type, self.least / 100.0);
        Output::Standard.write(tree.to_string().as_bytes())
    }
}
