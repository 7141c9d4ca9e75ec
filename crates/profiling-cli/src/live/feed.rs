use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread;
use std::time::Duration;

use allometer_profile::Profile;
use allometer_views::{Top, TopOrder, top_by};

use super::change::Change;
use crate::error::Error;
use crate::input::{Fetch, Input};
use crate::reshape::Reshape;

/// What is read again and again.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) input: Input,
    pub(crate) fetch: Fetch,
    pub(crate) reshape: Reshape,
}

/// A profile as it was read, with what takes long to find out.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) profile: Arc<Profile>,
    /// All functions.
    pub(crate) top: Arc<Top>,
    /// What lies between this reading and the one before.
    pub(crate) change: Change,
}

impl Reading {
    pub(crate) fn new(profile: Profile, before: Option<&Profile>) -> Self {
        let profile = profile.with_assumed_errors().into_owned();
        let order = TopOrder::Cumulative(profile.metadata.default_type);
        let top = Arc::new(top_by(&profile, order, usize::MAX));
        Self { change: Change::between(before, &profile), profile: Arc::new(profile), top }
    }
}

/// The thread that reads. It ends once the feed is dropped and what it reads has come, or its time is over.
pub(super) struct Feed {
    readings: Receiver<Result<Reading, String>>,
    paused: Sender<bool>,
}

impl Feed {
    pub(super) fn start(source: Source, every: Duration) -> Result<Self, Error> {
        let (sender, readings) = mpsc::channel();
        let (paused, is_paused) = mpsc::channel();
        thread::Builder::new()
            .name("feed".to_owned())
            .spawn(move || follow(|| source.read(), every, &sender, &is_paused))
            .map_err(|source| Error::Read { input: "the profile".to_owned(), source })?;
        Ok(Self { readings, paused })
    }

    /// What has been read, or why it cannot be.
    pub(super) fn next(&self) -> Result<Result<Reading, String>, TryRecvError> {
        self.readings.try_recv()
    }

    /// Whether to go on reading.
    pub(super) fn pause(&self, is_paused: bool) {
        // A thread that is no more is found out by `next`.
        let _ = self.paused.send(is_paused);
    }
}

impl Source {
    fn read(&self) -> Result<Profile, Error> {
        self.reshape.apply(self.input.read_in_silence(self.fetch)?)
    }
}

/// Reads until nobody listens.
fn follow(
    read: impl Fn() -> Result<Profile, Error>,
    every: Duration,
    readings: &Sender<Result<Reading, String>>,
    paused: &Receiver<bool>,
) {
    let mut before: Option<Arc<Profile>> = None;
    loop {
        let reading = read().map(|profile| Reading::new(profile, before.as_deref()));
        if let Ok(reading) = &reading {
            before = Some(Arc::clone(&reading.profile));
        }
        if readings.send(reading.map_err(|error| error.line())).is_err() || !wait(every, paused) {
            return;
        }
    }
}

/// Waits for so long, and for as long as it is paused; false when nobody listens any more.
fn wait(every: Duration, paused: &Receiver<bool>) -> bool {
    let end = std::time::Instant::now() + every;
    let mut is_paused = false;
    loop {
        let left = end.saturating_duration_since(std::time::Instant::now());
        let heard = match is_paused {
            true => paused.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => paused.recv_timeout(left),
        };
        match heard {
            Ok(now) => is_paused = now,
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn it_reads_again_after_a_fault_and_ends_when_nobody_listens() {
        let (sender, readings) = mpsc::channel();
        let (paused, is_paused) = mpsc::channel();
        let reads = AtomicUsize::new(0);
        let read = move || match reads.fetch_add(1, Ordering::Relaxed) {
            1 => Err(Error::NoPeak),
            _ => Ok(Profile::default()),
        };
        thread::scope(|scope| {
            scope.spawn(move || follow(read, Duration::from_millis(1), &sender, &is_paused));
            assert!(readings.recv().unwrap().is_ok());
            let fault = readings.recv().unwrap().unwrap_err();
            assert_eq!(fault, "the profile does not say how the heap was at its peak");
            assert!(readings.recv().unwrap().is_ok());
            drop(paused);
        });
    }

    #[test]
    fn a_pause_lasts_until_it_is_over() {
        let (sender, paused) = mpsc::channel();
        let (ended, end) = mpsc::channel();
        sender.send(true).unwrap();
        thread::spawn(move || ended.send(wait(Duration::ZERO, &paused)).unwrap());
        // It waits for the word, so there is nothing here however long this takes.
        thread::sleep(Duration::from_millis(50));
        assert_eq!(end.try_recv(), Err(TryRecvError::Empty));
        sender.send(false).unwrap();
        assert_eq!(end.recv(), Ok(true));
    }

    #[test]
    fn it_ends_with_who_listens() {
        for is_paused in [false, true] {
            let (sender, paused) = mpsc::channel();
            sender.send(is_paused).unwrap();
            drop(sender);
            assert!(!wait(Duration::from_secs(3600), &paused));
        }
    }
}
