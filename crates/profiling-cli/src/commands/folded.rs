use clap::Args;

use crate::error::Error;
use crate::figure::{Figure, sample_type};
use crate::input::Inputs;
use crate::output::Output;

/// Writes folded stacks: a line for each, its functions with `;` between them and the figure behind them
#[derive(Args, Debug)]
pub(crate) struct Folded {
    #[command(flatten)]
    inputs: Inputs,
    /// Where the lines go to
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: Output,
    /// The figure; without it what the profile shows first
    #[arg(long = "type", value_enum, value_name = "FIGURE")]
    figure: Option<Figure>,
}

impl Folded {
    pub(crate) fn run(self) -> Result<(), Error> {
        let profile = self.inputs.read()?;
        let lines = allometer_views::folded(&profile, sample_type(self.figure, &profile));
        self.output.write(lines.as_bytes())
    }
}
