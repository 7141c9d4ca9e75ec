use crate::error::Error;

/// What the command was asked for: `[--seconds=N] [--keep] [TARGET ..]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// For each target.
    pub(super) seconds: u64,
    /// Whether new inputs go into the tree.
    pub(super) keep: bool,
    /// All of them, if none is named.
    targets: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { seconds: 60, keep: false, targets: Vec::new() }
    }
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Self, Error> {
        let mut options = Self::default();
        for argument in arguments {
            if let Some(seconds) = argument.strip_prefix("--seconds=") {
                let seconds = seconds.parse().ok().filter(|seconds| *seconds > 0);
                options.seconds = seconds.ok_or_else(|| Error::Usage(format!("no such time: {argument}")))?;
            } else if argument == "--keep" {
                options.keep = true;
            } else if argument.starts_with('-') {
                return Err(Error::Usage(format!("no option of fuzz is called {argument}")));
            } else {
                options.targets.push(argument.clone());
            }
        }
        Ok(options)
    }

    /// Those of `all` that were asked for.
    pub(super) fn choose(&self, mut all: Vec<String>) -> Result<Vec<String>, Error> {
        if let Some(unknown) = self.targets.iter().find(|target| !all.contains(target)) {
            return Err(Error::Usage(format!(
                "no target is called {unknown:?}: there are {}",
                all.join(", ")
            )));
        }
        all.retain(|target| self.targets.is_empty() || self.targets.contains(target));
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Options, Error> {
        Options::parse(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn words_change_the_default() {
        assert_eq!(parse("").unwrap(), Options::default());
        let options = parse("walk --seconds=5 --keep").unwrap();
        assert_eq!((options.seconds, options.keep), (5, true));
        let all = || ["names", "walk"].map(str::to_owned).to_vec();
        assert_eq!(options.choose(all()).unwrap(), ["walk"]);
        assert_eq!(parse("").unwrap().choose(all()).unwrap(), all());
        assert!(parse("runs").unwrap().choose(all()).is_err());
        assert!(parse("--seconds=0").is_err() && parse("--second=3").is_err());
    }
}
