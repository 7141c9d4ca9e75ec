//! The parameters of a request.

use std::borrow::Cow;

use crate::refusal::Refusal;

/// The parameters of a request, each once, all of them known.
#[derive(Debug)]
pub(crate) struct Query<'request>(Vec<(&'static str, Cow<'request, str>)>);

impl<'request> Query<'request> {
    /// The parameters in what stands behind the question mark.
    pub(crate) fn of(text: Option<&'request str>, known: &[&'static str]) -> Result<Self, Refusal> {
        let mut parameters = Vec::new();
        for (name, value) in form_urlencoded::parse(text.unwrap_or_default().as_bytes()) {
            let Some(name) = known.iter().copied().find(|known| *known == name) else {
                return Err(Refusal::UnknownParameter { name: name.into_owned(), known: list(known) });
            };
            if parameters.iter().any(|(other, _)| *other == name) {
                return Err(Refusal::Parameter {
                    name,
                    value: value.into_owned(),
                    expected: "it once".to_owned(),
                });
            }
            parameters.push((name, value));
        }
        Ok(Self(parameters))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, value)| &**value)
    }

    /// A value as `read` understands it, if it is there.
    pub(crate) fn read<T>(
        &self,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let wrong = || Refusal::Parameter { name, value: value.to_owned(), expected: expected.to_owned() };
        read(value).map(Some).ok_or_else(wrong)
    }

    /// One of these words, as what stands beside it.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Refusal> {
        let expected: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let read = |value: &str| words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
        self.read(name, &expected.join(", "), read)
    }
}

fn list(known: &[&str]) -> String {
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_or_comes_twice_is_refused() {
        let of = |text| Query::of(Some(text), &["seconds", "format"]).map_err(|refusal| refusal.to_string());
        let query = of("seconds=5&format=a%20b").unwrap();
        assert_eq!(
            (query.get("seconds"), query.get("format"), query.get("x")),
            (Some("5"), Some("a b"), None)
        );
        assert_eq!(
            of("name=..%0A").unwrap_err(),
            "the parameter `name` is not known: expected seconds, format"
        );
        assert_eq!(of("seconds=1&seconds=2").unwrap_err(), "seconds is `2`: expected it once");
        assert_eq!(
            query.word("format", &[("pprof", 1), ("svg", 2)]).unwrap_err().to_string(),
            "format is `a b`: expected pprof, svg"
        );
        assert!(Query::of(None, &[]).is_ok());
        let none = Query::of(Some("a"), &[]).unwrap_err().to_string();
        assert_eq!(none, "the parameter `a` is not known: expected none");
    }
}
