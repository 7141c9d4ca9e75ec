//! How stacks are walked.

/// How the stack of a sample is walked.
///
/// All of them see the same frames of the same program; they differ in what they cost and in what they need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unwinding {
    /// The session chooses when it starts: [`Unwinding::Rules`] if those lead along the stack of the caller as
    /// the platform does, with [`Unwinding::FramePointers`] if there is code without unwind tables on that stack
    /// and frame pointers lead through it to its root; else [`Unwinding::Portable`].
    #[default]
    Automatic,
    /// As [`Unwinding::Rules`], and by frame pointers through code that no unwind table covers, where other
    /// ways of walking a stack end. For programs without tables that keep frame pointers.
    FramePointers,
    /// By the unwind rules of the code, which are read once for each return address and remembered. Where the code
    /// keeps a frame pointer, that is the rule. On x86-64 Linux; elsewhere it is [`Unwinding::Portable`].
    Rules,
    /// By the unwinder of the platform, everywhere and for all code, at many times the cost.
    Portable,
}

impl Unwinding {
    /// Its name in a configuration, and for programs that read figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::FramePointers => "frame_pointers",
            Self::Rules => "rules",
            Self::Portable => "portable",
        }
    }

    /// The one with this name in a configuration.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let all = [Self::Automatic, Self::FramePointers, Self::Rules, Self::Portable];
        all.into_iter().find(|unwinding| unwinding.name() == name)
    }
}
