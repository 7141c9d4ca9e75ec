//! How the runner's thread is woken: also from signal handlers, where nothing that waits on a lock can be used.

use std::{
    io::{self, PipeReader, PipeWriter, Read},
    os::fd::AsFd,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{ioctl_fionbio, write},
};

/// A pipe: who wakes writes into it, who sleeps waits until there is something to read.
#[derive(Debug)]
pub(crate) struct Wake {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Wake {
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        ioctl_fionbio(&reader, true)?;
        ioctl_fionbio(&writer, true)?;
        Ok(Self { reader, writer })
    }

    /// May be called in a signal handler: it is one system call, which does not wait. If the pipe is full, the sleeper is
    /// awake already.
    pub(crate) fn wake(&self) {
        let _ = write(&self.writer, &[1]);
    }

    /// Sleeps for so long, or until somebody wakes it; it may also wake by itself.
    pub(crate) fn sleep(&self, at_most: Duration) {
        let mut polled = [PollFd::from_borrowed_fd(self.reader.as_fd(), PollFlags::IN)];
        let timeout = Timespec::try_from(at_most).ok();
        // An error is a signal that came, mostly.
        let _ = poll(&mut polled, timeout.as_ref());
        let mut bytes = [0; 64];
        while (&self.reader).read(&mut bytes).is_ok_and(|read| read == bytes.len()) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under the tests' own limit: far more than any of them takes.
    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn who_is_woken_does_not_sleep() {
        let wake = Wake::new().unwrap();
        // More than a pipe holds.
        (0..100_000).for_each(|_| wake.wake());
        wake.sleep(LONG);
        let mut bytes = [0];
        let drained = (&wake.reader).read(&mut bytes).unwrap_err();
        assert_eq!(drained.kind(), io::ErrorKind::WouldBlock, "one sleep takes all");
        std::thread::scope(|scope| {
            scope.spawn(|| wake.wake());
            wake.sleep(LONG);
        });
        wake.sleep(Duration::from_millis(1));
    }
}
