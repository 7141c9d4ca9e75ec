//! What a program does first, if its environment shall decide whether it is profiled.

use std::{mem, path::PathBuf};

use allometer_core::{Config, Profiler, Reader, Word};

use crate::{Error, Runner, Settings};

/// The words of [`init`] itself.
const WORDS: &str = "on, dir:PATH";

/// What [`init`] has started.
#[derive(Debug)]
pub struct Started {
    /// Reads the session; `None` where there is none.
    pub reader: Option<Reader>,
    /// Writes the reports; `None` where none are wanted.
    pub runner: Option<&'static Runner>,
}

/// Starts what the variable `ALLOMETER` asks for: a session, and with `dir:PATH` a [`Runner`] that writes reports there. As the first line
/// of `main` it is all that a program needs.
///
/// Without the variable, or with an empty one, nothing is started. `on` stands for a session with the defaults; other words are
/// those of [`Config::WORDS`] and, beside `dir`, of [`Settings::WORDS`]. With `giant_limit` the log of giant requests is among the reports
/// ([`Settings::giant_file`]), if no other place is named. What is started runs as long as the program: the last report is
/// written at its exit, unless `at_exit:false` says otherwise.
///
/// ```no_run
/// fn main() -> Result<(), allometer_runner::Error> {
///     allometer_runner::init()?; // ALLOMETER="dir:/var/lib/shop/heap,interval:128KiB,moved:30%"
///     // … the program works …
///     Ok(())
/// }
/// ```
///
/// # Errors
///
/// A word that is not understood, with those that are; what starting a session or a runner can say. Then nothing runs.
pub fn init() -> Result<Started, Error> {
    start(Word::from_env().unwrap_or_default())
}

fn start(words: Vec<Word>) -> Result<Started, Error> {
    if words.is_empty() {
        return Ok(Started { reader: None, runner: None });
    }
    let Asked { mut config, settings, directory, logs_giants } = Asked::of(words)?;
    if let Some(directory) = directory.as_ref().filter(|_| logs_giants) {
        config = config.giant_file(settings.giant_file(directory)?);
    }
    let profiler = Profiler::start(config).map_err(|cause| Error::Start { cause })?;
    let reader = profiler.reader();
    let runner = match directory {
        Some(directory) => {
            let builder = Runner::builder(reader.clone(), directory).settings(settings);
            Some(&*Box::leak(Box::new(builder.owning(profiler).start()?)))
        }
        None => {
            // It ends with the process.
            mem::forget(profiler);
            None
        }
    };
    Ok(Started { reader: Some(reader), runner })
}

/// What the words ask for.
#[derive(Debug, PartialEq)]
struct Asked {
    config: Config,
    settings: Settings,
    directory: Option<PathBuf>,
    /// Whether the log of giant requests is to be where the reports are.
    logs_giants: bool,
}

impl Asked {
    fn of(words: Vec<Word>) -> Result<Self, Error> {
        let has = |key| words.iter().any(|word| word.key() == key);
        let mut asked = Self {
            config: Config::default(),
            settings: Settings::default().at_exit(true),
            directory: None,
            logs_giants: has("giant_limit") && !has("giant_file"),
        };
        // The first word that needs a directory.
        let mut without_directory = None;
        for word in words {
            match word.key() {
                "on" if word.value().is_none() => {}
                "dir" => {
                    asked.directory = Some(word.read("PATH", |path| Some(path.into())).map_err(environment)?)
                }
                _ if asked.config.set(&word).map_err(environment)? => {}
                _ if asked.settings.set(&word).map_err(environment)? => {
                    without_directory.get_or_insert(word);
                }
                _ => {
                    let all = format!("{WORDS}, {}, {}, separated by commas", Config::WORDS, Settings::WORDS);
                    return Err(environment(word.wrong(all)));
                }
            }
        }
        if let (Some(word), None) = (without_directory, &asked.directory) {
            return Err(environment(word.wrong("dir:PATH with it, for it is about reports")));
        }
        asked.config.validate().map_err(environment)?;
        asked.settings.validate()?;
        Ok(asked)
    }
}

fn environment(cause: allometer_core::Error) -> Error {
    Error::Environment { cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Result<Asked, String> {
        Asked::of(Word::of(words).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_word_goes_where_it_belongs() {
        let all = asked("on,interval:1MiB,dir:/a/heap,moved:30%,giant_limit:1GiB").unwrap();
        assert_eq!(all.config, Config::default().sample_interval(1 << 20).giant_limit(1 << 30));
        assert_eq!(all.settings, Settings::default().at_exit(true).moved(Some(0.3)));
        assert_eq!(all.directory.as_deref(), Some(std::path::Path::new("/a/heap")));
        assert!(all.logs_giants && !asked("dir:a").unwrap().logs_giants);
        assert!(!asked("dir:a,giant_limit:1GiB,giant_file:b").unwrap().logs_giants);
        assert_eq!(asked("on").unwrap().directory, None);
        assert_eq!(asked("dir:a,at_exit:false").unwrap().settings, Settings::default());
    }

    #[test]
    fn a_word_that_is_not_known_is_named_with_those_that_are() {
        let error = asked("interval:1MiB,colour:red").unwrap_err();
        assert!(
            error.starts_with("ALLOMETER: `colour:red`: expected on, dir:PATH, interval:SIZE"),
            "{error}"
        );
        assert!(error.contains("patience:TIME, separated by commas") && !error.contains('\n'), "{error}");
        assert!(asked("on:1").unwrap_err().starts_with("ALLOMETER: `on:1`: expected on, dir:PATH"));
        assert_eq!(
            asked("on,period:1h").unwrap_err(),
            "ALLOMETER: `period:1h`: expected dir:PATH with it, for it is about reports"
        );
        assert_eq!(asked("dir:").unwrap_err(), "ALLOMETER: `dir:`: expected dir:PATH");
        assert!(asked("depth:0").unwrap_err().contains("max_depth is 0"));
        assert!(asked("dir:a,check:1ms").unwrap_err().contains("check_interval is 1ms"));
    }

    #[test]
    fn without_words_nothing_is_started() {
        let started = start(Vec::new()).unwrap();
        assert!(started.reader.is_none() && started.runner.is_none());
        // No allocator is installed in this program.
        let words = |text: &str| Word::of(text).collect();
        assert!(matches!(start(words("on")), Err(Error::Start { .. })));
        assert!(matches!(start(words("on")), Err(Error::Start { .. })), "and again");
    }
}
