use std::str::FromStr;

/// A line that the program has read.
#[derive(Debug)]
pub(crate) enum Order {
    Enter(usize),
    Check { entries: usize, name: Option<String> },
    Clear,
    StopProfiler,
    StopAgent,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let number = |word: &str| word.parse().map_err(|error| format!("{word:?}: {error}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match *words {
            ["enter", entries] => Self::Enter(number(entries)?),
            ["check", entries] => Self::Check { entries: number(entries)?, name: None },
            ["check", entries, "for", name] => {
                Self::Check { entries: number(entries)?, name: Some(name.to_owned()) }
            }
            ["clear"] => Self::Clear,
            ["stop", "profiler"] => Self::StopProfiler,
            ["stop", "agent"] => Self::StopAgent,
            _ => return Err(format!("{line:?}: expected enter, check, clear or stop")),
        })
    }
}
