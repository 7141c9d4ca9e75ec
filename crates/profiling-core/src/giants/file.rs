//! The log in a file.

// unsafe: maps the file over memory of the caller's.
#![allow(unsafe_code)]

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::{fd::AsRawFd, unix::fs::OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Maps a new file at `path` over `bytes` at `base`, which is zero then, and answers it. A file that is there already goes
/// aside: its name gets the ending `.previous`, in the place of the one that has it.
///
/// As long as the answer is open, here or in a forked child, the file is locked (`flock`, exclusively): who can lock it
/// knows that its session is over, in whichever container that was. The mapping alone does not keep the lock on every file system.
///
/// # Safety
///
/// Whole pages of a mapping of the caller's, in which nothing is that is still used.
pub(super) unsafe fn map(path: &Path, base: *mut u8, bytes: usize) -> io::Result<File> {
    let file = create(path, bytes)?;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: pages of the caller's, which this mapping takes the place of (mmap(2)).
    let mapped = unsafe {
        libc::mmap(base.cast(), bytes, access, libc::MAP_SHARED | libc::MAP_FIXED, file.as_raw_fd(), 0)
    };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(file) }
}

fn create(path: &Path, bytes: usize) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => fs::rename(path, previous(path))?,
        Ok(_) => return Err(io::Error::other("there is something that is no file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let file = options.open(path)?;
    // Before it has its length, without which nobody takes it for a log. Where files have no locks, nobody can find one
    // without.
    // SAFETY: a file that was just opened (flock(2)).
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    let length = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
    // With its blocks: a write to a page that the disk has no room for would be a signal.
    // SAFETY: a file that was just opened for writing (posix_fallocate(3)).
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) } {
        0 => Ok(file),
        error => {
            let _ = fs::remove_file(path);
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

fn previous(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".previous");
    name.into()
}
