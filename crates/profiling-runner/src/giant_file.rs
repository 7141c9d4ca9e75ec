//! The file of a process's giant requests: `PROGRAM-PROCESS.giants`, beside the reports.

use std::{
    fmt,
    path::{Path, PathBuf},
    process,
};

use allometer_views::ProgramName;

use crate::{Builder, Error, Settings, directory::Directory};

/// How its name ends.
const ENDING: &str = ".giants";
/// What a session adds that finds one with its own name: process numbers come again, in a container at each start.
const PREVIOUS: &str = ".previous";

/// The name of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GiantFile {
    pub(crate) program: ProgramName,
    pub(crate) process: u32,
    pub(crate) is_previous: bool,
}

impl GiantFile {
    /// The file that is called exactly so.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let (rest, is_previous) = match name.strip_suffix(PREVIOUS) {
            Some(rest) => (rest, true),
            None => (name, false),
        };
        let (program, process) = rest.strip_suffix(ENDING)?.rsplit_once('-')?;
        let file = Self { program: program.parse().ok()?, process: process.parse().ok()?, is_previous };
        (file.to_string() == name).then_some(file)
    }
}

impl fmt::Display for GiantFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, process, is_previous } = self;
        let previous = if *is_previous { PREVIOUS } else { "" };
        write!(f, "{program}-{process}{ENDING}{previous}")
    }
}

impl Settings {
    /// Where this process's giant requests are to be logged, so that a runner with these settings and this directory, of the
    /// next process of the program, finds the log of one that a request has ended, and reports it.
    ///
    /// The directory is made and checked as by [`Runner::start`](crate::Runner::start), since the session begins before the
    /// runner. See [`docs/giants.md`].
    ///
    /// ```no_run
    /// use allometer_core::{Config, Profiler};
    /// use allometer_runner::{Runner, Settings};
    ///
    /// let settings = Settings::default();
    /// let log = settings.giant_file("reports")?;
    /// let profiler = Profiler::start(Config::default().giant_limit(1 << 30).giant_file(log))?;
    /// let runner = Runner::builder(profiler.reader(), "reports").settings(settings).start()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`docs/giants.md`]: https://github.com/allometer/allometer/blob/main/docs/giants.md
    ///
    /// # Errors
    ///
    /// [`Error::Directory`], [`Error::NotOwned`] or [`Error::WritableByOthers`].
    pub fn giant_file(&self, directory: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let directory = Directory::open(&Builder::absolute(directory.as_ref())?)?;
        let file = GiantFile { program: self.program_name(), process: process::id(), is_previous: false };
        Ok(directory.path_of(&file.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn only_exact_names_are_names() {
        for (name, process, is_previous) in
            [("shop-4711.giants", 4711, false), ("shop-1.giants.previous", 1, true)]
        {
            let file = GiantFile::read(name).unwrap();
            assert_eq!((file.program.as_str(), file.process), ("shop", process));
            assert_eq!((file.is_previous, file.to_string()), (is_previous, name.to_owned()));
        }
        for name in [
            "",
            "-1.giants",
            "shop.giants",
            "shop-.giants",
            "shop-01.giants",
            "shop-+1.giants",
            "shop-1.giants.previous.previous",
            "shop-1.giants2",
            ".shop-1.giants",
            "a-b-1.giants",
            "../shop-1.giants",
            "shop-99999999999.giants",
            "shop-1.previous",
        ] {
            assert_eq!(GiantFile::read(name), None, "{name}");
        }
    }

    #[test]
    fn it_is_beside_the_reports_and_found_by_its_name() {
        let around = tempfile::tempdir().unwrap();
        let reports = around.path().join("reports");
        let path = Settings::default().program("a-b").giant_file(&reports).unwrap();
        assert_eq!(path.parent(), Some(&*reports));
        let name = path.file_name().unwrap().to_str().unwrap();
        let expected =
            GiantFile { program: ProgramName::nearest("a_b"), process: process::id(), is_previous: false };
        assert_eq!(GiantFile::read(name), Some(expected));
        assert!(reports.is_dir());
        assert!(Settings::default().giant_file(Path::new("/no/such/place")).is_err());
    }
}
