//! A configuration from the environment: `ALLOMETER="interval:512KiB,live:true"`.

use allometer_profile::Symbolization;

use crate::{Config, Error, Unwinding, Word};

impl Config {
    /// The words that [`Config::set`] takes.
    pub const WORDS: &str = "interval:SIZE, live:true|false, lifetimes:true|false, depth:N, unwinding:automatic|frame_pointers|rules|portable, symbols:full|names|none, sites:N, live_samples:N, tags:N, seed:N, giant_limit:SIZE, refuse_giants:true|false, giant_file:PATH";

    /// The default configuration, changed by the words of the variable `ALLOMETER`.
    ///
    /// The words are `interval:SIZE` (a whole number of bytes, or of `KiB`, `MiB`, `GiB`), `live:true`
    /// or `live:false`, `lifetimes:` likewise, `depth:N`, `unwinding:automatic` (or `frame_pointers`, `rules`,
    /// `portable`), `symbols:full` (or `names`, `none`), `sites:N`, `live_samples:N`, `tags:N`, `seed:N`,
    /// `giant_limit:SIZE`, `refuse_giants:true` and `giant_file:PATH`, separated by commas. An unset or empty variable is the
    /// default configuration, and so is one of a process that has more rights than who started it.
    ///
    /// # Errors
    ///
    /// [`Error::Environment`] names a word that is not understood and what was expected; a value out of
    /// its bounds is the error of [`Config::validate`].
    pub fn from_env() -> Result<Self, Error> {
        Self::from_words(Word::from_env().unwrap_or_default())
    }

    pub(crate) fn from_words(words: impl IntoIterator<Item = Word>) -> Result<Self, Error> {
        let mut config = Self::default();
        for word in words {
            if !config.set(&word)? {
                return Err(word.wrong(format!("{}, separated by commas", Self::WORDS)));
            }
        }
        config.validate()?;
        Ok(config)
    }

    /// Changes what a word is about. False: it is not one of [`Config::WORDS`].
    ///
    /// # Errors
    ///
    /// [`Error::Environment`] for a value that is not understood. Bounds are for [`Config::validate`].
    pub fn set(&mut self, word: &Word) -> Result<bool, Error> {
        let count = || word.read("N, a whole number", |value| value.parse().ok());
        match word.key() {
            "interval" => self.sample_interval = word.size()?,
            "live" => self.live_heap = word.flag()?,
            "lifetimes" => self.lifetimes = word.flag()?,
            "depth" => self.max_depth = count()?,
            "unwinding" => {
                self.unwinding =
                    word.read("automatic, frame_pointers, rules or portable", Unwinding::of_name)?;
            }
            "symbols" => self.symbolization = word.read("full, names or none", parse_symbols)?,
            "sites" => self.max_sites = count()?,
            "live_samples" => self.max_live_samples = count()?,
            "tags" => self.max_tags = count()?,
            "seed" => self.seed = Some(word.number()?),
            "giant_limit" => self.giant_limit = Some(word.size()?),
            "refuse_giants" => self.refuse_giants = word.flag()?,
            "giant_file" => self.giant_file = Some(word.read("PATH", |value| Some(value.into()))?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn parse_symbols(text: &str) -> Option<Symbolization> {
    Some(match text {
        "full" => Symbolization::Full,
        "names" => Symbolization::Names,
        "none" => Symbolization::None,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Config, Error> {
        Config::from_words(Word::of(words))
    }

    #[test]
    fn words_change_the_default() {
        let words = "interval:64KiB, live:false,lifetimes:true,depth:32,unwinding:portable,\
                     symbols:names,sites:9,live_samples:7,tags:3,seed:5,giant_limit:2GiB,refuse_giants:true,giant_file:/a:b,";
        let expected = Config::default()
            .sample_interval(65_536)
            .live_heap(false)
            .lifetimes(true)
            .max_depth(32)
            .unwinding(Unwinding::Portable)
            .symbolization(Symbolization::Names)
            .max_sites(9)
            .max_live_samples(7)
            .max_tags(3)
            .seed(5)
            .giant_limit(2 << 30)
            .refuse_giants(true)
            .giant_file("/a:b");
        assert_eq!(read(words), Ok(expected));
        assert_eq!(read(""), Ok(Config::default()));
        assert_eq!(read("interval:7").unwrap().sample_interval, 7);
        assert_eq!(read("symbols:full"), Ok(Config::default()));
        assert_eq!(read("symbols:none").unwrap().symbolization, Symbolization::None);
    }

    #[test]
    fn a_word_that_is_not_known_is_named() {
        let error = read("interval:1MiB,colour:red").unwrap_err().to_string();
        assert!(error.starts_with("ALLOMETER: `colour:red`: expected interval:SIZE"), "{error}");
        let error = read("unwinding:fast").unwrap_err().to_string();
        assert_eq!(
            error,
            "ALLOMETER: `unwinding:fast`: expected unwinding:automatic, frame_pointers, rules or portable"
        );
        for word in ["interval", "symbols:all", "live:yes", "giant_file:", "refuse_giants:1", "depth:-1"] {
            assert!(matches!(read(word), Err(Error::Environment { .. })), "{word}");
        }
        assert_eq!(read("refuse_giants:true"), Err(Error::NoGiantLimit));
        assert!(matches!(read("depth:0"), Err(Error::DepthOutOfRange { depth: 0, .. })));
    }

    #[test]
    fn each_word_is_listed() {
        for word in Config::WORDS.split(", ") {
            let key = word.split(':').next().unwrap();
            let known = Config::default().set(&Word::of(key).next().unwrap());
            assert!(known.is_err(), "{key} without a value");
        }
    }
}
