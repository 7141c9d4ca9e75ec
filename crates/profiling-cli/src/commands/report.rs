use allometer_views::{HtmlOptions, html};
use clap::Args;

use crate::error::Error;
use crate::input::{Input, Inputs};
use crate::output::Output;

/// Writes a page for a browser: one file that needs no network
///
/// It has a flamegraph to search and zoom, a table to sort, lifetimes and sizes, and what has changed since an earlier
/// profile.
#[derive(Args, Debug)]
pub(crate) struct Report {
    #[command(flatten)]
    inputs: Inputs,
    /// Where the page goes to
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: Output,
    /// An earlier profile: the page says what has changed since
    #[arg(long, value_name = "FILE")]
    before: Option<Input>,
    /// The title of the page
    #[arg(long)]
    title: Option<String>,
}

impl Report {
    pub(crate) fn run(self) -> Result<(), Error> {
        if self.before == Some(Input::Standard) && self.inputs.has_standard_input() {
            return Err(Error::Usage("standard input can only be read once"));
        }
        let profile = self.inputs.read()?;
        let before = self.before.as_ref().map(|before| self.inputs.read_beside(before)).transpose()?;
        let title = self.title.unwrap_or_else(|| format!("Heap profile: {}", self.inputs.name()));
        let page = html(&profile, &HtmlOptions { title, before: before.as_ref() });
        self.output.write(page.as_bytes())
    }
}
