//! The reports of one program that are in the directory.

use std::{collections::HashMap, path::PathBuf};

use allometer_views::{ProgramName, ReportFile, ReportName};

use crate::{Error, directory::Directory, retention::StoredReport};

/// The reports of one program that are in a directory, of whichever process: regular files of this user's with names
/// that are exactly those of reports.
#[derive(Debug, Default)]
pub(crate) struct StoredReports(HashMap<ReportName, (Vec<ReportFile>, u64)>);

impl StoredReports {
    /// # Errors
    ///
    /// [`Error::File`].
    pub(crate) fn find(directory: &Directory, program: &ProgramName) -> Result<Self, Error> {
        let mut reports = Self::default();
        for name in directory.names()? {
            let Some(file) = name.parse::<ReportFile>().ok().filter(|file| file.name.program == *program)
            else {
                continue;
            };
            if let Some(size) = directory.own_size(&name) {
                let (files, bytes) = reports.0.entry(file.name.clone()).or_default();
                files.push(file);
                *bytes = bytes.saturating_add(size);
            }
        }
        Ok(reports)
    }

    pub(crate) fn list(&self) -> Vec<StoredReport> {
        let report =
            |(name, (_, bytes)): (&ReportName, &(_, u64))| StoredReport { name: name.clone(), bytes: *bytes };
        self.0.iter().map(report).collect()
    }

    /// Removes these, and answers the paths of their files.
    ///
    /// # Errors
    ///
    /// [`Error::File`]: the first that could not be removed. What comes later stays.
    pub(crate) fn remove(&self, directory: &Directory, names: &[ReportName]) -> Result<Vec<PathBuf>, Error> {
        let mut removed = Vec::new();
        for file in names.iter().filter_map(|name| self.0.get(name)).flat_map(|(files, _)| files) {
            let name = file.to_string();
            match directory.remove(&name) {
                Ok(()) => removed.push(directory.path_of(&name)),
                // Another process of the program was faster.
                Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
                Err(cause) => return Err(directory.failed(&name, "remove the file", cause)),
            }
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    #[test]
    fn only_its_own_files_are_found_and_removed() {
        let around = tempfile::tempdir().unwrap();
        let path = |name: &str| around.path().join(name);
        let own = [
            "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz",
            "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.svg",
            "shop-2026-12-01T02:06:13.123Z-118.4MiB-exit-12.txt",
        ];
        let foreign = [
            "till-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz",
            "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb",
            ".shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz.tmp",
            "shop.txt",
        ];
        for name in own.iter().chain(&foreign) {
            fs::write(path(name), "12345").unwrap();
        }
        // Names like its own that are no regular files.
        symlink(path("shop.txt"), path("shop-2026-12-01T03:06:13.123Z-118.4MiB-grew-4711.svg")).unwrap();
        fs::create_dir(path("shop-2026-12-01T04:06:13.123Z-118.4MiB-grew-4711.svg")).unwrap();
        let count = || fs::read_dir(around.path()).unwrap().count();
        assert_eq!(count(), 9);
        let directory = Directory::open(around.path()).unwrap();
        let stored = StoredReports::find(&directory, &ProgramName::nearest("shop")).unwrap();
        let mut list = stored.list();
        list.sort_by_key(|report| report.name.time);
        assert_eq!(list.iter().map(|report| report.bytes).collect::<Vec<_>>(), [10, 5]);
        fs::remove_file(path(own[1])).unwrap();
        let names: Vec<_> = list.into_iter().map(|report| report.name).collect();
        assert_eq!(stored.remove(&directory, &names[..1]).unwrap(), [path(own[0])]);
        assert_eq!(stored.remove(&directory, &names).unwrap(), [path(own[2])]);
        assert_eq!(count(), 6);
    }
}
