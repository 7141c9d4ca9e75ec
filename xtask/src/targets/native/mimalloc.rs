//! Programs over RustFS's mimalloc, whose C code is compiled in several ways.

use std::{path::PathBuf, process::Command, time::Duration};

use crate::{error::Error, process, workspace::Workspace};

/// Where they are.
pub(super) const CONSUMER: &str = "consumers/rustfs-native";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);

/// A way to compile mimalloc's C code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As it comes: it looks for samples where it refills a page.
    AsItComes,
    /// It looks at each request, as the consumer's own configuration has it.
    EachRequest,
    /// The same, and it puts guards behind blocks.
    Guarded,
    /// Without hooks.
    WithoutHooks,
}

impl Way {
    /// Where its programs go, and what C is compiled with.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::AsItComes => ("mimalloc-as-it-comes", "-DMI_PROFILE=1"),
            Self::EachRequest => ("configured", "-DMI_PROFILE=2"),
            Self::Guarded => ("mimalloc-guarded", "-DMI_PROFILE=2 -DMI_GUARDED=1"),
            Self::WithoutHooks => ("mimalloc-without-hooks", "-DMI_PROFILE=0"),
        }
    }

    /// What cargo is told by its environment. It goes before what the consumer's own configuration says.
    pub(super) fn environment(self, workspace: &Workspace) -> [(&'static str, PathBuf); 2] {
        let (directory, flags) = self.words();
        [("CARGO_TARGET_DIR", workspace.target().join(directory)), ("CFLAGS", flags.into())]
    }

    /// Compiles a program.
    pub(super) fn program(self, workspace: &Workspace, name: &str) -> Result<Command, Error> {
        let words = ["build", "--locked", "--release", "--quiet", "--bin", name];
        let mut command = workspace.cargo_beside(CONSUMER, &words);
        command.envs(self.environment(workspace));
        if self == Self::WithoutHooks {
            command.args(["--features", "no_profile"]);
        }
        process::run(&mut command, BUILD)?;
        let path = workspace.target().join(self.words().0).join("release").join(name);
        Ok(workspace.command(&path.to_string_lossy()))
    }
}
