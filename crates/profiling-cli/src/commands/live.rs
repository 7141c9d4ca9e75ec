use std::time::Duration;

use clap::Args;
use jiff::fmt::friendly::SpanParser;

use crate::error::Error;
use crate::input::{Fetch, Input};
use crate::live::{self, Source};
use crate::reshape::Reshape;

/// Follows a profile on the screen: the trend of the live heap, a table to sort and search, call trees
///
/// Keys: up and down, `<` and `>` for the column to sort by, `r` to reverse, `/` to search, Enter for the tree of a function,
/// Tab to scroll it, `p` to pause, `q` to end.
#[derive(Args, Debug)]
pub(crate) struct Live {
    /// The profile: an http:// URL, or a file that is written again and again
    #[arg(value_name = "URL|FILE")]
    input: Input,
    /// How long to wait between two readings
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = every)]
    every: Duration,
    #[command(flatten)]
    fetch: Fetch,
    #[command(flatten)]
    reshape: Reshape,
}

impl Live {
    pub(crate) fn run(self) -> Result<(), Error> {
        if self.input == Input::Standard {
            return Err(Error::Usage("standard input cannot be read again: name a file or a URL"));
        }
        let Self { input, every, fetch, reshape } = self;
        live::run(Source { input, fetch, reshape }, every)
    }
}

/// Between a tenth of a second and a day.
fn every(text: &str) -> Result<Duration, String> {
    let duration = SpanParser::new().parse_unsigned_duration(text).map_err(|error| error.to_string())?;
    let bounds = Duration::from_millis(100)..=Duration::from_secs(86_400);
    if bounds.contains(&duration) { Ok(duration) } else { Err("expected between 100ms and 24h".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_bounds() {
        assert_eq!(every("1s 500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(every("99ms"), Err("expected between 100ms and 24h".to_owned()));
        assert!(every("2 days").is_err() && every("soon").is_err());
    }
}
