//! What a line measured.

/// What a line, or a part of it, measured, and whether it is good enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether all figures are good enough.
    pub verdict: Verdict,
    /// The figures, always with their numbers: `worst of 20 seeds 2.1 SE, pooled +0.03 %`.
    pub measured: String,
    /// What has to be the same over all providers, where something has.
    pub same: Option<String>,
}

/// Whether a line is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is what was asked for.
    Ok,
    /// It is not.
    Short,
    /// It is not about this subject.
    Elsewhere,
}

impl Verdict {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Short => "SHORT",
            Self::Elsewhere => "elsewhere",
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        [Self::Ok, Self::Short, Self::Elsewhere].into_iter().find(|verdict| verdict.name() == name)
    }
}

/// Separates the fields of a row.
const FIELD: &str = " | ";
/// How the one line starts that a part prints.
const PART: &str = "PART ";

impl Outcome {
    /// Nothing measured yet, so nothing wrong; [`Outcome::with`] adds to it.
    #[must_use]
    pub fn new() -> Self {
        Self { verdict: Verdict::Ok, measured: String::new(), same: None }
    }

    /// Nothing that could be measured: short, for this reason.
    #[must_use]
    pub fn failed(why: impl AsRef<str>) -> Self {
        Self::new().with(false, why)
    }

    /// Of a line that is not about the subject.
    pub(crate) fn elsewhere() -> Self {
        Self { verdict: Verdict::Elsewhere, ..Self::new() }
    }

    /// And this figure; the line is short unless it is good enough.
    #[must_use]
    pub fn with(mut self, good: bool, figure: impl AsRef<str>) -> Self {
        self.add(figure.as_ref());
        if !good {
            self.measured.push_str(" (!)");
            self.verdict = Verdict::Short;
        }
        self
    }

    /// And what the part called `name` measured.
    #[must_use]
    pub(crate) fn and(mut self, name: &str, part: Self) -> Self {
        let title = if name.is_empty() { String::new() } else { format!("{name}: ") };
        self.add(&format!("{title}{}", part.measured));
        if part.verdict != Verdict::Ok {
            self.verdict = part.verdict;
        }
        self.same = self.same.or(part.same);
        self
    }

    fn add(&mut self, figure: &str) {
        if !self.measured.is_empty() {
            self.measured.push_str(", ");
        }
        self.measured.push_str(figure);
    }

    /// And this, which has to be the same over all providers.
    #[must_use]
    pub fn same_over_providers(self, what: impl Into<String>) -> Self {
        Self { same: Some(what.into()), ..self }
    }

    fn fields(&self) -> String {
        let plain = |text: &str| text.replace(['|', '\n', '\r'], " ");
        let same = self.same.as_deref().map(plain).unwrap_or_default();
        format!("{}{FIELD}{}{FIELD}{same}", self.verdict.name(), plain(&self.measured))
    }

    /// One line of text for programs to read: the row of the line with this number and target.
    pub(crate) fn row(&self, number: &str, target: &str) -> String {
        format!("LINE {number}{FIELD}{target}{FIELD}{}", self.fields())
    }

    /// What the process of a part prints, for [`Outcome::read_part`].
    pub(crate) fn part(&self) -> String {
        format!("{PART}{}", self.fields())
    }

    /// What the process of a part measured, by what it printed.
    pub(crate) fn read_part(text: &str) -> Option<Self> {
        let mut fields = text.lines().find_map(|line| line.strip_prefix(PART))?.splitn(3, FIELD);
        let (verdict, measured, same) = (fields.next()?, fields.next()?, fields.next()?);
        let same = (!same.is_empty()).then(|| same.to_owned());
        Some(Self { verdict: Verdict::of_name(verdict)?, measured: measured.to_owned(), same })
    }
}

impl Default for Outcome {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_figure_that_is_not_good_enough_makes_it_short() {
        let outcome = Outcome::new().with(true, "1 %").with(false, "2 SE").with(true, "3");
        let row = |outcome: &Outcome| outcome.row("X9", "within 1 %");
        assert_eq!(row(&outcome), "LINE X9 | within 1 % | SHORT | 1 %, 2 SE (!), 3 | ");
        let outcome = Outcome::new().with(true, "a|b\nc").same_over_providers("ff");
        assert_eq!(row(&outcome), "LINE X9 | within 1 % | ok | a b c | ff");
    }

    #[test]
    fn parts_are_read_and_put_together() {
        let one = Outcome::new().with(true, "1 %").same_over_providers("ff");
        let other = Outcome::new().with(false, "2 SE");
        let read = |outcome: &Outcome| Outcome::read_part(&format!("noise\n{}\n", outcome.part()));
        assert_eq!(read(&one).as_ref(), Some(&one));
        assert_eq!(read(&other).as_ref(), Some(&other));
        assert_eq!(Outcome::read_part("noise"), None);
        let both = Outcome::new().and("", one.clone()).and("forks", other).and("", one);
        assert_eq!(both.row("S1", "t"), "LINE S1 | t | SHORT | 1 %, forks: 2 SE (!), 1 % | ff");
        assert_eq!(Outcome::elsewhere().row("S1", "t"), "LINE S1 | t | elsewhere |  | ");
    }
}
