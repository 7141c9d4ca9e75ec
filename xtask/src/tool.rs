//! Programs that a step needs and that neither Rust nor this workspace brings.

use std::{
    collections::BTreeSet,
    env, fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{beside, error::Error, process};

/// How long installing may take.
const INSTALL: Duration = Duration::from_secs(15 * 60);

/// A program that a step cannot do without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    /// The program's name on the `PATH`.
    pub(crate) program: &'static str,
    /// The package that holds it.
    pub(crate) package: &'static str,
    pub(crate) source: Source,
}

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Debian,
    /// Compiled by cargo, for whoever runs it.
    Cargo,
}

/// For `go tool pprof`, the reader that everybody has.
pub(crate) const GO: Tool = Tool { program: "go", package: "golang-go", source: Source::Debian };

/// For programs that are packages of Python.
pub(crate) const PIP: Tool = Tool { program: "pip3", package: "python3-pip", source: Source::Debian };

impl Tool {
    /// The command that installs it.
    pub(crate) fn how(self) -> &'static str {
        match self.source {
            Source::Debian => "apt-get install",
            Source::Cargo => "cargo install --locked",
        }
    }

    /// Whether the program is there now, after installing it where that is possible: a Debian package as root.
    ///
    /// # Errors
    ///
    /// When what installs it is at hand, may be used, and fails.
    pub(crate) fn ensure(self) -> Result<bool, Error> {
        ensure_all(&[self])?;
        Ok(is_on_path(self.program))
    }
}

impl Source {
    /// Whether packages can be installed from there: Debian's as root.
    fn is_open(self) -> bool {
        self == Self::Cargo || is_root() && is_on_path("apt-get")
    }

    fn install(self, packages: &[&str]) -> Result<(), Error> {
        println!("installing {}", packages.join(", "));
        match self {
            Self::Debian => {
                apt_get(&["update"])?;
                apt_get(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
            }
            Self::Cargo => {
                let mut command = Command::new("cargo");
                process::read(command.args(["install", "--locked"]).args(packages), INSTALL).map(drop)
            }
        }
    }
}

/// Installs what is missing of `tools`, where that is possible: all from one source at once, and both sources beside each other,
/// since one waits for the network while the other compiles.
///
/// # Errors
///
/// As [`Tool::ensure`].
pub(crate) fn ensure_all(tools: &[Tool]) -> Result<(), Error> {
    let sources = [Source::Debian, Source::Cargo];
    let installed = beside::each(sources.len(), &sources, |&source| {
        let packages = missing(tools, source);
        if packages.is_empty() || !source.is_open() { Ok(()) } else { source.install(&packages) }
    });
    installed.map(drop)
}

/// The packages of a source whose programs are not there, each once.
fn missing(tools: &[Tool], source: Source) -> Vec<&'static str> {
    let missing = tools.iter().filter(|tool| tool.source == source && !is_on_path(tool.program));
    missing.map(|tool| tool.package).collect::<BTreeSet<_>>().into_iter().collect()
}

fn apt_get(arguments: &[&str]) -> Result<(), Error> {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    process::read(&mut command, INSTALL).map(drop)
}

/// Whether a program of this name is in a directory of the `PATH`.
pub(crate) fn is_on_path(program: &str) -> bool {
    path(program).is_some()
}

/// Where the `PATH` has a program of this name.
pub(crate) fn path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(program)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.mode() & 0o111 != 0)
}

/// Whether this process is root's: the owner of its own entry under /proc.
pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_is_on_the_path_and_nonsense_is_not() {
        assert!(is_on_path("sh"));
        assert!(!is_on_path("no-such-program-here"));
    }

    #[test]
    fn what_is_missing_is_told_by_its_source() {
        let tool = |program, package, source| Tool { program, package, source };
        let absent = tool("no-such-program", "a", Source::Debian);
        let there = tool("sh", "dash", Source::Debian);
        let tools = [absent, there, tool("no-such-program-here", "b", Source::Cargo), absent];
        assert_eq!(missing(&tools, Source::Debian), ["a"]);
        assert_eq!(missing(&tools, Source::Cargo), ["b"]);
    }

    #[test]
    fn a_directory_is_no_program() {
        assert!(!is_executable(Path::new("/")));
    }
}
