use clap::Args;

use crate::error::Error;
use crate::figure::{Figure, sample_type};
use crate::format::Format;
use crate::input::Inputs;
use crate::output::Output;

/// Writes a profile in another format
#[derive(Args, Debug)]
pub(crate) struct Convert {
    #[command(flatten)]
    inputs: Inputs,
    /// Where it goes to; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Output,
    /// The format, where the name of the output does not tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Format>,
    /// The figure, for formats that hold one alone; without it what the profile shows first
    #[arg(long = "type", value_enum, value_name = "FIGURE")]
    figure: Option<Figure>,
}

impl Convert {
    pub(crate) fn run(self) -> Result<(), Error> {
        let format = Format::choose(self.to, &self.output)?;
        let profile = self.inputs.read()?;
        let bytes = format.write(&profile, sample_type(self.figure, &profile));
        self.output.write(&bytes.map_err(|source| Error::View { input: self.inputs.name(), source })?)
    }
}
