//! What a line measured.

use crate::line::Line;

/// What a line measured, and whether it is good enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    /// The figures, always with their numbers: `worst of 20 seeds 2.1 SE, pooled +0.03 %`.
    pub(crate) measured: String,
    /// What has to be the same over all providers, where something has.
    pub(crate) same: Option<String>,
}

/// Whether a line is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Ok,
    Short,
}

impl Verdict {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Short => "SHORT",
        }
    }
}

impl Outcome {
    /// Nothing measured yet, so nothing wrong; [`Outcome::with`] adds to it.
    pub(crate) fn new() -> Self {
        Self { verdict: Verdict::Ok, measured: String::new(), same: None }
    }

    /// And this figure; the line is short unless it is good enough.
    #[must_use]
    pub(crate) fn with(mut self, good: bool, figure: impl AsRef<str>) -> Self {
        if !self.measured.is_empty() {
            self.measured.push_str(", ");
        }
        self.measured.push_str(figure.as_ref());
        if !good {
            self.measured.push_str(" (!)");
            self.verdict = Verdict::Short;
        }
        self
    }

    /// And this, which has to be the same over all providers.
    #[must_use]
    pub(crate) fn same_over_providers(self, what: impl Into<String>) -> Self {
        Self { same: Some(what.into()), ..self }
    }

    /// One line of text for programs to read.
    pub(crate) fn row(&self, line: &Line) -> String {
        let plain = |text: &str| text.replace(['|', '\n', '\r'], " ");
        let (verdict, measured) = (self.verdict.name(), plain(&self.measured));
        let same = self.same.as_deref().map(plain).unwrap_or_default();
        format!("LINE {} | {} | {verdict} | {measured} | {same}", line.number, line.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Line = Line { number: "X9", target: "within 1 %", run: |_, _| Outcome::new() };

    #[test]
    fn one_figure_that_is_not_good_enough_makes_it_short() {
        let outcome = Outcome::new().with(true, "1 %").with(false, "2 SE").with(true, "3");
        assert_eq!(outcome.row(&LINE), "LINE X9 | within 1 % | SHORT | 1 %, 2 SE (!), 3 | ");
        let outcome = Outcome::new().with(true, "a|b\nc").same_over_providers("ff");
        assert_eq!(outcome.row(&LINE), "LINE X9 | within 1 % | ok | a b c | ff");
    }
}
