//! The directory of reports, as it is open.

use std::{
    ffi::CStr,
    fs::File,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{self, AtFlags, CWD, FileType, Mode, OFlags, Stat},
    process::geteuid,
};

use crate::Error;

/// Whom a directory and its files let in: the user who runs the program, nobody else.
const OWNER_ONLY: Mode = Mode::RWXU;
const FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A directory that belongs to the user who runs the program and that nobody else can write into, so that what is in it
/// is what this user has put there.
///
/// It is open, and all that is done with files goes through that: whoever moves or replaces its path meanwhile changes
/// nothing.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    open: OwnedFd,
}

impl Directory {
    /// Opens the directory, and makes it, with mode 0700, if it is not there. The one around it has to be there: a path
    /// with a mistake in it shall not become a tree.
    ///
    /// The last part of the path must not be a link; those before it can be.
    ///
    /// # Errors
    ///
    /// [`Error::Directory`], [`Error::NotOwned`], [`Error::WritableByOthers`].
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        // Without a slash at the end, behind which a link would be followed.
        let path: PathBuf = path.components().collect();
        let failed = |cause: rustix::io::Errno| Error::Directory { path: path.clone(), cause: cause.into() };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || fs::openat(CWD, &path, flags, Mode::empty());
        let opened = match open() {
            Err(rustix::io::Errno::NOENT) => match fs::mkdirat(CWD, &path, OWNER_ONLY) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => open(),
                Err(error) => Err(error),
            },
            opened => opened,
        };
        let open = opened.map_err(failed)?;
        let Stat { st_uid: owner, st_mode, .. } = fs::fstat(&open).map_err(failed)?;
        let (user, mode) = (geteuid().as_raw(), Mode::from_raw_mode(st_mode));
        if owner != user {
            return Err(Error::NotOwned { path, owner, user });
        }
        if mode.intersects(Mode::WGRP | Mode::WOTH) {
            return Err(Error::WritableByOthers { path, mode: mode.bits() & 0o777 });
        }
        Ok(Self { path, open })
    }

    /// The path of a file in it.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// What could not be done with a file in it.
    pub(crate) fn failed(&self, name: &str, action: &'static str, cause: io::Error) -> Error {
        Error::File { path: self.path_of(name), action, cause }
    }

    /// Makes a file that is not there yet, for its owner alone.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.open, name, flags, FILE)?.into())
    }

    /// Opens a file that is there, without following a link and without waiting for a pipe's other end.
    pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(fs::openat(&self.open, name, flags, Mode::empty())?.into())
    }

    /// Gives a file its name, where no other has it.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            use rustix::{fs::RenameFlags, io::Errno};

            match fs::renameat_with(&self.open, from, &self.open, to, RenameFlags::NOREPLACE) {
                // Not every file system can do that, and names hold the process and the millisecond.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                renamed => return Ok(renamed?),
            }
        }
        Ok(fs::renameat(&self.open, from, &self.open, to)?)
    }

    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(&self.open, name, AtFlags::empty())?)
    }

    /// The size of a regular file of this user's; `None` if it is anything else.
    pub(crate) fn own_size(&self, name: &str) -> Option<u64> {
        let Stat { st_mode, st_uid, st_size, .. } =
            fs::statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_own =
            FileType::from_raw_mode(st_mode) == FileType::RegularFile && st_uid == geteuid().as_raw();
        is_own.then(|| u64::try_from(st_size).unwrap_or_default())
    }

    /// Whether the file of this name is the one that is open.
    pub(crate) fn is(&self, name: &str, open: &File) -> bool {
        let named = fs::statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW);
        named
            .ok()
            .zip(fs::fstat(open).ok())
            .is_some_and(|(named, open)| (named.st_dev, named.st_ino) == (open.st_dev, open.st_ino))
    }

    /// The names in it that are UTF-8; others are not ours.
    ///
    /// # Errors
    ///
    /// [`Error::File`].
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        let failed = |cause: rustix::io::Errno| self.failed("", "list the directory", cause.into());
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.open).map_err(failed)? {
            names.extend(text(entry.map_err(failed)?.file_name()));
        }
        Ok(names)
    }
}

fn text(name: &CStr) -> Option<String> {
    name.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs::Permissions,
        os::unix::{
            ffi::OsStrExt,
            fs::{PermissionsExt, chown, symlink},
        },
    };

    fn error(path: &Path) -> String {
        Directory::open(path).unwrap_err().to_string()
    }

    #[test]
    fn it_is_made_for_its_owner_alone() {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("reports/");
        Directory::open(&path).unwrap();
        Directory::open(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o700);
        let deeper = around.path().join("no/reports");
        assert!(error(&deeper).contains("/no/reports\": expected a directory"), "{}", error(&deeper));
        assert!(!around.path().join("no").exists());
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let around = tempfile::tempdir().unwrap();
        let (file, link) = (around.path().join("file"), around.path().join("link"));
        std::fs::write(&file, "").unwrap();
        symlink(around.path(), &link).unwrap();
        assert!(error(&file).contains("Not a directory"), "{}", error(&file));
        for path in [link.clone(), link.join(""), link.join(".")] {
            assert!(error(&path).contains("link\": expected a directory"), "{path:?}: {}", error(&path));
        }
        let dangling = around.path().join("dangling");
        symlink(around.path().join("made"), &dangling).unwrap();
        assert!(Directory::open(&dangling).is_err() && !around.path().join("made").exists());
        // A link before the last part is the system's own, often.
        Directory::open(&link.join("made")).unwrap();
    }

    #[test]
    fn one_that_others_can_write_into_is_refused() {
        let around = tempfile::tempdir().unwrap();
        for mode in [0o777, 0o1777, 0o720, 0o702] {
            std::fs::set_permissions(around.path(), Permissions::from_mode(mode)).unwrap();
            let expected = format!("the directory's mode is {:03o}: expected one without", mode & 0o777);
            assert!(error(around.path()).contains(&expected), "{}", error(around.path()));
        }
        std::fs::set_permissions(around.path(), Permissions::from_mode(0o755)).unwrap();
        Directory::open(around.path()).unwrap();
        if geteuid().is_root() {
            chown(around.path(), Some(12_345), None).unwrap();
            assert!(
                error(around.path()).contains("belongs to user 12345: expected 0"),
                "{}",
                error(around.path())
            );
        } else {
            assert!(error(Path::new("/")).contains("belongs to user 0"), "{}", error(Path::new("/")));
        }
    }

    #[test]
    fn a_path_that_is_not_utf_8_is_shown_escaped() {
        let around = tempfile::tempdir().unwrap();
        let odd = around.path().join(std::ffi::OsStr::from_bytes(b"odd\xff\x1b"));
        let error = error(&odd.join("reports"));
        assert!(error.contains(r#"odd\xFF\u{1b}/reports": expected"#), "{error}");
        let directory = Directory::open(&odd).unwrap();
        directory.create("file").unwrap();
        assert_eq!(directory.own_size("file"), Some(0));
    }

    #[test]
    fn files_are_made_and_never_taken_over() {
        let around = tempfile::tempdir().unwrap();
        let directory = Directory::open(around.path()).unwrap();
        directory.create("one").unwrap();
        assert_eq!(around.path().join("one").metadata().unwrap().permissions().mode() & 0o7777, 0o600);
        symlink("elsewhere", around.path().join("link")).unwrap();
        for name in ["one", "link"] {
            assert_eq!(directory.create(name).unwrap_err().kind(), io::ErrorKind::AlreadyExists, "{name}");
        }
        directory.create("other").unwrap();
        assert_eq!(directory.rename("other", "one").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        directory.rename("other", "third").unwrap();
        assert!(directory.open_file("link").is_err());
        let one = directory.open_file("one").unwrap();
        assert!(directory.is("one", &one) && !directory.is("third", &one) && !directory.is("none", &one));
        assert_eq!((directory.own_size("link"), directory.own_size("third")), (None, Some(0)));
        std::fs::write(around.path().join(std::ffi::OsStr::from_bytes(b"\xff")), "").unwrap();
        let mut names = directory.names().unwrap();
        names.retain(|name| !name.starts_with('.'));
        names.sort_unstable();
        assert_eq!(names, ["link", "one", "third"]);
    }

    #[test]
    fn it_is_the_one_that_was_opened() {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("reports");
        let directory = Directory::open(&path).unwrap();
        std::fs::rename(&path, around.path().join("moved")).unwrap();
        symlink(around.path(), &path).unwrap();
        directory.create("file").unwrap();
        assert!(around.path().join("moved/file").exists() && !around.path().join("file").exists());
    }
}
