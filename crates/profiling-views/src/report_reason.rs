use std::fmt;

/// Why a report was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReportReason {
    /// A request above the session's limit had been made. It shows such requests, and not the heap.
    Giant,
    /// The live heap had grown since the report before.
    Grew,
    /// The live heap had shrunk since the report before.
    Shrank,
    /// The process's resident memory had come close to its limit.
    Resident,
    /// The memory of the process's control group had come close to its limit.
    Cgroup,
    /// None had been written for a while.
    Period,
    /// The program, or a signal, asked for it.
    Request,
    /// The program was about to end.
    Exit,
    /// It is the last one before a fresh start: later ones say what was allocated since.
    Fresh,
}

impl ReportReason {
    /// All reasons.
    pub const ALL: [Self; 9] = [
        Self::Giant,
        Self::Grew,
        Self::Shrank,
        Self::Resident,
        Self::Cgroup,
        Self::Period,
        Self::Request,
        Self::Exit,
        Self::Fresh,
    ];

    /// The word for it in a report's name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Giant => "giant",
            Self::Grew => "grew",
            Self::Shrank => "shrank",
            Self::Resident => "resident",
            Self::Cgroup => "cgroup",
            Self::Period => "period",
            Self::Request => "request",
            Self::Exit => "exit",
            Self::Fresh => "fresh",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.word() == word)
    }
}

impl fmt::Display for ReportReason {
    /// The word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
