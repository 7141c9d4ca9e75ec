use clap::Args;

use crate::error::Error;
use crate::input::Inputs;
use crate::output::Output;

/// Adds profiles up and writes them as one, in pprof's format
///
/// Stacks are the same where the code is, by its build id or else its path, wherever it was loaded.
#[derive(Args, Debug)]
pub(crate) struct Merge {
    #[command(flatten)]
    inputs: Inputs,
    /// Where the compressed pprof file goes to; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Output,
}

impl Merge {
    pub(crate) fn run(self) -> Result<(), Error> {
        self.output.write(&self.inputs.read()?.to_pprof_gzip())
    }
}
