//! What one line comes to over one provider.

/// Whether a figure is what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Ok,
    Short,
    /// There is no figure.
    NotRun,
    /// The line is not about this provider.
    Elsewhere,
}

/// What one line comes to over one provider. Consumers print it as
/// `LINE <number> | <target> | <verdict> | <measured> | <same>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) number: String,
    pub(crate) target: String,
    pub(crate) verdict: Verdict,
    /// The figure; why there is none, where it was not run.
    pub(crate) measured: String,
    /// What has to be the same over all providers; empty where nothing has.
    pub(crate) same: String,
}

impl Verdict {
    /// Whether what was asked for is `met`.
    pub(crate) fn of(met: bool) -> Self {
        if met { Self::Ok } else { Self::Short }
    }
}

impl Row {
    /// The row in `text`, if it is one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("LINE ")?.splitn(5, " | ").map(|part| part.trim().to_owned());
        let (number, target, verdict) = (parts.next()?, parts.next()?, parts.next()?);
        let (measured, same) = (parts.next()?, parts.next()?);
        let verdict = if verdict == "elsewhere" { Verdict::Elsewhere } else { Verdict::of(verdict == "ok") };
        Some(Self { number, target, verdict, measured, same })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_and_other_output_is_not() {
        let row = Row::read("LINE X3 | within 1 % | ok | +0.2 %, 3 of 3 | ff00").unwrap();
        assert_eq!(
            (row.number.as_str(), row.target.as_str(), row.verdict),
            ("X3", "within 1 %", Verdict::Ok)
        );
        assert_eq!((row.measured.as_str(), row.same.as_str()), ("+0.2 %, 3 of 3", "ff00"));
        let row = Row::read("LINE X3 | within 1 % | SHORT | +2 % (!) | ").unwrap();
        assert!(row.verdict == Verdict::Short && row.same.is_empty());
        assert_eq!(Row::read("LINE S3 | t | elsewhere |  | ").unwrap().verdict, Verdict::Elsewhere);
        assert_eq!(Row::read("running 3 tests"), None);
        assert_eq!(Row::read("LINE X3 | within 1 %"), None);
    }
}
