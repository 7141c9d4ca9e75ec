//! A configuration from the environment: `ALLOMETER="interval:512KiB,live:true"`.

use allometer_profile::Symbolization;

use crate::{Config, Error, Unwinding};

const VARIABLE: &str = "ALLOMETER";
const WORDS: &str = "interval:SIZE, live:true|false, lifetimes:true|false, depth:N, unwinding:automatic|frame_pointers|rules|portable, symbols:full|names|none, sites:N, live_samples:N, tags:N, seed:N, giant_limit:SIZE, refuse_giants:true|false or giant_file:PATH, separated by commas";
const SIZE: &str = "interval:SIZE, a whole number with B, KiB, MiB or GiB";
const GIANT_LIMIT: &str = "giant_limit:SIZE, a whole number with B, KiB, MiB or GiB";
const UNWINDING: &str =
    "unwinding:automatic, unwinding:frame_pointers, unwinding:rules or unwinding:portable";
const SYMBOLS: &str = "symbols:full, symbols:names or symbols:none";
const NUMBER: &str = "a whole number";

impl Config {
    /// The default configuration, changed by the words of the variable `ALLOMETER`.
    ///
    /// The words are `interval:SIZE` (a whole number of bytes, or of `KiB`, `MiB`, `GiB`), `live:true`
    /// or `live:false`, `lifetimes:` likewise, `depth:N`, `unwinding:automatic` (or `frame_pointers`, `rules`,
    /// `portable`), `symbols:full` (or `names`, `none`), `sites:N`, `live_samples:N`, `tags:N`, `seed:N`,
    /// `giant_limit:SIZE`, `refuse_giants:true` and `giant_file:PATH`, separated by commas. An unset or empty variable is the default configuration.
    ///
    /// # Errors
    ///
    /// [`Error::Environment`] names a word that is not understood and what was expected; a value out of
    /// its bounds is the error of [`Config::validate`].
    pub fn from_env() -> Result<Self, Error> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Self::default()),
            Some(text) => Self::from_words(&text.to_string_lossy()),
        }
    }

    pub(crate) fn from_words(text: &str) -> Result<Self, Error> {
        let mut config = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            config = config.with_word(word)?;
        }
        config.validate()?;
        Ok(config)
    }

    fn with_word(self, word: &str) -> Result<Self, Error> {
        let wrong = |expected| Error::Environment { variable: VARIABLE, word: word.to_owned(), expected };
        let (key, value) = word.split_once(':').ok_or_else(|| wrong(WORDS))?;
        let number = || value.parse::<usize>().map_err(|_| wrong(NUMBER));
        Ok(match key {
            "interval" => self.sample_interval(parse_size(value).ok_or_else(|| wrong(SIZE))?),
            "live" => self.live_heap(value.parse().map_err(|_| wrong("live:true or live:false"))?),
            "lifetimes" => {
                self.lifetimes(value.parse().map_err(|_| wrong("lifetimes:true or lifetimes:false"))?)
            }
            "depth" => self.max_depth(number()?),
            "unwinding" => self.unwinding(Unwinding::of_name(value).ok_or_else(|| wrong(UNWINDING))?),
            "symbols" => self.symbolization(parse_symbols(value).ok_or_else(|| wrong(SYMBOLS))?),
            "sites" => self.max_sites(number()?),
            "live_samples" => self.max_live_samples(number()?),
            "tags" => self.max_tags(number()?),
            "seed" => self.seed(value.parse().map_err(|_| wrong(NUMBER))?),
            "giant_limit" => self.giant_limit(parse_size(value).ok_or_else(|| wrong(GIANT_LIMIT))?),
            "refuse_giants" => self.refuse_giants(
                value.parse().map_err(|_| wrong("refuse_giants:true or refuse_giants:false"))?,
            ),
            "giant_file" if value.is_empty() => return Err(wrong("giant_file:PATH")),
            "giant_file" => self.giant_file(value),
            _ => return Err(wrong(WORDS)),
        })
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

/// A whole number of bytes, with an optional binary unit.
fn parse_size(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(Config::from_words(words), Ok(expected));
        assert_eq!(Config::from_words(""), Ok(Config::default()));
        assert_eq!(Config::from_words("interval:7").unwrap().sample_interval, 7);
        assert_eq!(Config::from_words("symbols:full"), Ok(Config::default()));
        assert_eq!(Config::from_words("symbols:none").unwrap().symbolization, Symbolization::None);
    }

    #[test]
    fn a_word_that_is_not_known_is_named() {
        let error = Config::from_words("interval:1MiB,colour:red").unwrap_err().to_string();
        assert!(error.starts_with("ALLOMETER: `colour:red`: expected interval:SIZE"), "{error}");
        for word in ["interval", "interval:", "interval:5MB", "interval:-1", "interval:99999999999GiB"] {
            assert!(matches!(Config::from_words(word), Err(Error::Environment { .. })), "{word}");
        }
        assert!(matches!(Config::from_words("unwinding:fast"), Err(Error::Environment { .. })));
        assert!(matches!(Config::from_words("symbols:all"), Err(Error::Environment { .. })));
        assert!(matches!(Config::from_words("giant_file:"), Err(Error::Environment { .. })));
        assert!(matches!(Config::from_words("refuse_giants:1"), Err(Error::Environment { .. })));
        assert_eq!(Config::from_words("refuse_giants:true"), Err(Error::NoGiantLimit));
        assert!(matches!(Config::from_words("live:yes"), Err(Error::Environment { .. })));
        assert!(matches!(Config::from_words("depth:0"), Err(Error::DepthOutOfRange { depth: 0, .. })));
    }
}
