use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::error::Error;
use crate::output::Output;

/// Writes what a shell needs to complete commands and options
#[derive(Args, Debug)]
pub(crate) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<(), Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "allometer", &mut script);
        Output::Standard.write(&script)
    }
}
