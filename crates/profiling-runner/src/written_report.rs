//! A report that is written: all of its files, or none.

use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    path::PathBuf,
};

use allometer_views::ReportFile;
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use crate::{Error, directory::Directory, temporary_name};

/// The files of one report, on their way into a directory. What was made is removed again unless all of it is
/// complete.
#[derive(Debug)]
struct UnderWay<'a> {
    directory: &'a Directory,
    /// Names of what was made so far.
    made: Vec<String>,
    /// Kept open: who finds a file without a lock knows that nobody writes it.
    open: Vec<File>,
}

/// Writes the files of a report into a directory and answers their paths.
///
/// Each is written under a temporary name, given to the disk, and only then, when all are, named as it should be. So a
/// name of a report stands for a complete file, also after a crash of the machine.
///
/// # Errors
///
/// [`Error::File`]. Then there is none of the files.
pub(crate) fn write(directory: &Directory, files: &[(ReportFile, Vec<u8>)]) -> Result<Vec<PathBuf>, Error> {
    let mut under_way = UnderWay { directory, made: Vec::new(), open: Vec::new() };
    for (file, contents) in files {
        under_way.write(&temporary_name::of(file), contents)?;
    }
    for (at, (file, _)) in files.iter().enumerate() {
        under_way.name(at, file.to_string())?;
    }
    let names = std::mem::take(&mut under_way.made);
    Ok(names.iter().map(|name| directory.path_of(name)).collect())
}

impl UnderWay<'_> {
    fn write(&mut self, name: &str, contents: &[u8]) -> Result<(), Error> {
        let failed = |action, cause| self.directory.failed(name, action, cause);
        let mut file = self.directory.create(name).map_err(|cause| failed("create the file", cause))?;
        self.made.push(name.to_owned());
        let written = lock(&file).and_then(|()| file.write_all(contents)).and_then(|()| sync(&file));
        written.map_err(|cause| failed("write the file", cause))?;
        self.open.push(file);
        Ok(())
    }

    fn name(&mut self, at: usize, name: String) -> Result<(), Error> {
        if let Some(made) = self.made.get_mut(at) {
            let renamed = self.directory.rename(made, &name);
            renamed.map_err(|cause| self.directory.failed(&name, "name the file", cause))?;
            *made = name;
        }
        Ok(())
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        for name in &self.made {
            // Where that fails as well, the name still says that it is not complete, and the next runner tries again.
            let _ = self.directory.remove(name);
        }
    }
}

/// Says that this file is being written. Where files have no locks, nobody can find one without, and so remove it.
fn lock(file: &File) -> io::Result<()> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        // Somebody took it for left over.
        Err(Errno::WOULDBLOCK) => Err(Errno::WOULDBLOCK.into()),
        _ => Ok(()),
    }
}

/// Gives what was written to the disk, where there is one behind the file.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_data().map_err(|cause| (cause.kind(), cause)) {
        Err((ErrorKind::InvalidInput | ErrorKind::Unsupported, _)) | Ok(()) => Ok(()),
        Err((_, cause)) => Err(cause),
    }
}

/// Removes what processes left in `directory` that ended while they were writing: temporary files of which
/// `is_ours` and that nobody writes now. Answers their paths.
///
/// # Errors
///
/// [`Error::File`] if the directory could not be listed, or a file not removed.
pub(crate) fn remove_left_overs(
    directory: &Directory,
    is_ours: impl Fn(&ReportFile) -> bool,
) -> Result<Vec<PathBuf>, Error> {
    let mut removed = Vec::new();
    for name in directory.names()? {
        let is_left_over = temporary_name::read(&name).is_some_and(|file| is_ours(&file))
            && directory.own_size(&name).is_some()
            && directory
                .open_file(&name)
                .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok());
        if is_left_over {
            directory.remove(&name).map_err(|cause| directory.failed(&name, "remove the file", cause))?;
            removed.push(directory.path_of(&name));
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_views::ReportFormat;
    use std::{collections::BTreeMap, fs, path::Path};

    fn file(format: ReportFormat) -> ReportFile {
        "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.svg"
            .parse::<ReportFile>()
            .unwrap()
            .name
            .file(format)
    }

    fn report() -> Vec<(ReportFile, Vec<u8>)> {
        ReportFormat::ALL.map(|format| (file(format), format.extension().repeat(10_000).into_bytes())).into()
    }

    /// What is in a directory, with the sizes.
    fn listing(path: &Path) -> BTreeMap<String, u64> {
        let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
        entries
            .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()))
            .collect()
    }

    #[test]
    fn all_files_are_there_under_their_names() {
        let around = tempfile::tempdir().unwrap();
        let directory = Directory::open(around.path()).unwrap();
        let paths = write(&directory, &report()).unwrap();
        let expected = ReportFormat::ALL.map(|format| around.path().join(file(format).to_string()));
        assert_eq!(paths, expected);
        let expected = report().into_iter().map(|(file, contents)| (file.to_string(), contents.len() as u64));
        assert_eq!(listing(around.path()), expected.collect());
    }

    #[test]
    fn where_one_file_fails_there_is_none() {
        for taken in [file(ReportFormat::Text).to_string(), temporary_name::of(&file(ReportFormat::Text))] {
            let around = tempfile::tempdir().unwrap();
            fs::write(around.path().join(&taken), "somebody's").unwrap();
            let directory = Directory::open(around.path()).unwrap();
            let error = write(&directory, &report()).unwrap_err().to_string();
            assert!(error.contains(&taken) && error.contains("File exists"), "{error}");
            assert_eq!(listing(around.path()), [(taken, 10)].into());
        }
    }

    #[test]
    fn left_overs_are_removed_and_what_is_being_written_is_not() {
        let around = tempfile::tempdir().unwrap();
        let directory = Directory::open(around.path()).unwrap();
        let [left, written, foreign, _] = ReportFormat::ALL.map(|format| temporary_name::of(&file(format)));
        let mut under_way = UnderWay { directory: &directory, made: Vec::new(), open: Vec::new() };
        under_way.write(&written, b"half").unwrap();
        let foreign = foreign.replace("shop", "till");
        let others = [&foreign, ".notes.tmp", &file(ReportFormat::Pprof).to_string()].map(str::to_owned);
        for name in others.iter().chain([&left]) {
            fs::write(around.path().join(name), "half").unwrap();
        }
        let is_ours = |file: &ReportFile| file.name.program.as_str() == "shop";
        assert_eq!(remove_left_overs(&directory, is_ours).unwrap(), [around.path().join(&left)]);
        let mut expected: BTreeMap<_, _> = others.map(|name| (name, 4)).into();
        expected.insert(written, 4);
        assert_eq!(listing(around.path()), expected);
        drop(under_way);
        assert_eq!(listing(around.path()).len(), 3);
    }
}
