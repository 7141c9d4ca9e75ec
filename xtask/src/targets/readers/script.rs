//! Readers that a script looks at.

use std::{path::Path, time::Duration};

use allometer_profile::SampleType;

use crate::{
    error::Error,
    process,
    targets::readers::{
        answer::{Answer, DEFAULT, Extent},
        expected::{Chain, Expected},
        subject::Subject,
    },
    targets::scripts::{self, Scripts},
    workspace::Workspace,
};

const DEADLINE: Duration = Duration::from_secs(5 * 60);

/// A reader that a script looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Script {
    Speedscope,
    ReactPprof,
    Flameshow,
    PprofFormat,
    /// The pages of `go tool pprof -http`.
    GoWeb,
}

impl Script {
    pub(super) const ALL: [Self; 5] =
        [Self::Speedscope, Self::GoWeb, Self::ReactPprof, Self::Flameshow, Self::PprofFormat];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Speedscope => "speedscope",
            Self::ReactPprof => "react-pprof",
            Self::Flameshow => "flameshow",
            Self::PprofFormat => "pprof-format",
            Self::GoWeb => "go tool pprof -http",
        }
    }

    /// Whether it is asked to show a profile.
    pub(super) fn takes(self, subject: &Subject) -> bool {
        match self {
            // With more it takes minutes, of whatever program they are.
            Self::ReactPprof => subject.profile.samples.len() <= 20_000,
            // An empty profile has no pages there.
            Self::GoWeb => subject.is_of_a_program(),
            Self::Speedscope | Self::Flameshow | Self::PprofFormat => true,
        }
    }

    /// How much it shows.
    pub(super) fn extent(self) -> Extent {
        match self {
            Self::Speedscope | Self::ReactPprof | Self::PprofFormat => Extent::Table,
            Self::GoWeb => Extent::Some,
            // As much as its screen has room for.
            Self::Flameshow => Extent::Cut,
        }
    }

    /// What it has to show of a profile.
    pub(super) fn expects(self, subject: &Subject) -> Expected<'_> {
        let (kind, chain) = match self {
            Self::Speedscope => (DEFAULT, Chain::Outermost),
            // The first kind of bytes, whatever the profile asks for.
            Self::ReactPprof => (SampleType::AllocBytes, Chain::Innermost),
            Self::Flameshow | Self::PprofFormat | Self::GoWeb => (DEFAULT, Chain::All),
        };
        Expected::of(&subject.profile, kind, chain)
    }

    /// What it shows of these profiles; pictures of it go into `pictures`.
    pub(super) fn look(
        self,
        workspace: &Workspace,
        scripts: &Scripts,
        pictures: &Path,
        subjects: &[&Subject],
        spoilt: &[&Path],
    ) -> Result<Vec<Answer>, Error> {
        let mut command = scripts.script(match self {
            Self::Speedscope => "readers/speedscope.mjs",
            Self::ReactPprof => "readers/react-pprof.mjs",
            Self::Flameshow => "readers/flameshow.py",
            Self::PprofFormat => "readers/pprof-format.mjs",
            Self::GoWeb => "readers/go-web.mjs",
        });
        match self {
            Self::PprofFormat => {}
            _ => drop(command.arg(pictures)),
        }
        let subjects = subjects.iter().filter(|subject| self.takes(subject));
        if self == Self::GoWeb {
            command.arg(pprof(workspace)?);
            for subject in subjects {
                let function = subject.program.source.map_or(".", |(function, _)| function);
                command.arg(format!("{function}={}", subject.file.display()));
            }
        } else {
            command.args(subjects.map(|subject| &*subject.file)).args(spoilt);
        }
        scripts::answers(&mut command)
    }
}

/// The program that `go tool pprof` runs: it can be stopped, which what `go` starts cannot.
fn pprof(workspace: &Workspace) -> Result<String, Error> {
    let said = process::read(workspace.command("go").args(["tool", "-n", "pprof"]), DEADLINE)?;
    Ok(said.trim().to_owned())
}
