//! What a process takes of the machine, as `/proc` has it.

use std::{fs, path::PathBuf};

use crate::error::Error;

/// A process that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub(super) process: u32,
}

impl Taken {
    /// Bytes of it that are in memory.
    pub(super) fn resident(self) -> Result<u64, Error> {
        let path = self.path("status");
        let text = fs::read_to_string(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        kib.map(|kib| kib << 10).ok_or(Error::NotUnderstood { path, what: "a status with VmRSS" })
    }

    /// How many files it has open.
    pub(super) fn files(self) -> Result<usize, Error> {
        let path = self.path("fd");
        let entries = fs::read_dir(&path).map_err(|source| Error::Read { path, source })?;
        Ok(entries.count())
    }

    fn path(self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.process).into()
    }
}
