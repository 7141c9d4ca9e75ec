use allometer_views::{DiffBy, diff_by, json_diff};
use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::input::{Fetch, Input};
use crate::output::Output;
use crate::reshape::Reshape;

/// Shows where the live heap has changed by more than the noise of sampling
#[derive(Args, Debug)]
pub(crate) struct Diff {
    /// The earlier profile: a file, `-` for standard input, an http:// URL
    before: Input,
    /// The later profile
    after: Input,
    #[command(flatten)]
    fetch: Fetch,
    #[command(flatten)]
    reshape: Reshape,
    /// What a row is about
    #[arg(long, value_enum, default_value_t = By::Stack)]
    by: By,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub(crate) fn run(self) -> Result<(), Error> {
        if [&self.before, &self.after] == [&Input::Standard; 2] {
            return Err(Error::Usage("standard input can only be read once"));
        }
        let read = |input: &Input| self.reshape.apply(input.read(self.fetch)?);
        let (before, after) = (read(&self.before)?, read(&self.after)?);
        let diff = diff_by(&before, &after, self.by.into());
        let text = if self.json { json_diff(&diff) + "\n" } else { diff.to_string() };
        Output::Standard.write(text.as_bytes())
    }
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// A call stack: where exactly something grew
    Stack,
    /// A function: what grew a little on each of many stacks is seen here
    Function,
}

impl From<By> for DiffBy {
    fn from(by: By) -> Self {
        match by {
            By::Stack => Self::Stack,
            By::Function => Self::Function,
        }
    }
}
