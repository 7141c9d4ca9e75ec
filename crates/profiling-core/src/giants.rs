//! Requests above a limit: seen before the provider is asked, and logged with their stacks where that outlives the
//! process.
//!
//! The countdown of a thread never exceeds the limit, so that such a request always takes the slow path, and the fast one
//! need not look. What becomes of it has no part in the sampling: it is sampled or not like any other. The log is a
//! part of the session's memory, or a file that is mapped there; `allometer_profile` reads either.

mod file;

use std::{
    fs::File,
    os::fd::{FromRawFd, IntoRawFd, RawFd},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use allometer_profile::{
    Metadata, ProfileBuilder, Symbolization, Symbolizer,
    giant_log_layout::{CODE, CODE_BYTES, HEADER, MAGIC, RECORD_WORDS, RECORDS, REQUESTS, TOLD, WORDS},
};

use crate::{
    Config, Error,
    arena::{Layout, Place},
    os::Reservation,
    probe::SHIMS,
    sync::{
        AtomicI64, AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
    },
};

/// The limit where there is none.
pub(crate) const NO_LIMIT: i64 = i64::MAX;

/// A multiple of what systems have as pages: a file is mapped in whole ones.
const PAGES: usize = WORDS * 8;

// Words of the header, as the layout tells them.
const REFUSED: usize = 2;
const LIMIT: usize = 3;
const CODE_LENGTH: usize = 4;
const PROCESS: usize = 5;

/// In the place of a file where there is none.
const NO_FILE: i64 = -1;

/// Where the log will be in a session's memory.
#[derive(Debug)]
pub(crate) struct GiantsPlace(Place<AtomicU64>);

/// What a session does with giant requests.
#[derive(Debug)]
pub(crate) struct Giants<'a> {
    /// A number as countdowns are.
    limit: i64,
    refuse: bool,
    /// Empty where there is no limit.
    log: &'a [AtomicU64],
    /// The number of its file, which is open, until the session's owner has it: tables are not dropped.
    file: AtomicI64,
}

/// A giant request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Giant {
    /// Nanoseconds since 1970.
    pub(crate) time: u64,
    /// Requested bytes.
    pub(crate) size: u64,
    pub(crate) thread: u64,
}

impl GiantsPlace {
    pub(crate) fn new(layout: &mut Layout, config: &Config) -> Self {
        let bytes = if config.giant_limit.is_some() { 2 * PAGES } else { 0 };
        Self(layout.place(bytes / 8))
    }

    /// The log, set up for a session that starts now.
    ///
    /// # Errors
    ///
    /// [`Error::GiantFile`]
    ///
    /// # Safety
    ///
    /// As for [`Reservation::slice`].
    #[allow(unsafe_code)] // unsafe: takes a slice of the arena, and has a file mapped there.
    pub(crate) unsafe fn table<'a>(&self, arena: &Reservation, config: &Config) -> Result<Giants<'a>, Error> {
        let Some(limit) = config.giant_limit else {
            return Ok(Giants { limit: NO_LIMIT, refuse: false, log: &[], file: AtomicI64::new(NO_FILE) });
        };
        // SAFETY: forwarded from the caller.
        let room: &'a [AtomicU64] = unsafe { arena.slice(&self.0) };
        let log = room.split_at(room.as_ptr().align_offset(PAGES)).1.split_at(WORDS).0;
        let file = config.giant_file.as_ref().map(|path| {
            // SAFETY: whole pages of the arena, in which nothing is yet; atomics, which zeros are.
            unsafe { file::map(path, log.as_ptr().cast_mut().cast(), PAGES) }
                .map_err(|error| Error::GiantFile { path: path.clone(), reason: error.to_string() })
        });
        let file = file.transpose()?.map_or(NO_FILE, |file| file.into_raw_fd().into());
        let giants =
            Giants { limit: limit as i64, refuse: config.refuse_giants, log, file: AtomicI64::new(file) };
        giants.set_up(config);
        Ok(giants)
    }
}

impl Giants<'_> {
    fn set_up(&self, config: &Config) {
        let metadata = Metadata {
            start: Some(SystemTime::now()),
            sample_interval: config.sample_interval,
            left_out_at_leaf: SHIMS.iter().copied().map(str::to_owned).collect(),
            ..Metadata::default()
        };
        let code = ProfileBuilder::new(metadata).finish(&mut Symbolizer::with(Symbolization::None));
        let mut code = code.to_pprof_gzip();
        // So many libraries that they do not fit: then addresses have no names.
        if code.len() > CODE_BYTES {
            code.clear();
        }
        self.log[LIMIT].store(self.limit as u64, Relaxed);
        self.log[PROCESS].store(std::process::id().into(), Relaxed);
        self.log[CODE_LENGTH].store(code.len() as u64, Relaxed);
        code.resize(code.len().next_multiple_of(8), 0);
        for (word, bytes) in self.log[CODE..].iter().zip(code.as_chunks::<8>().0) {
            word.store(u64::from_le_bytes(*bytes), Relaxed);
        }
        self.log[0].store(MAGIC, Release);
    }

    /// Requests above so many bytes are giant ones; [`NO_LIMIT`] where none is.
    #[inline(always)]
    pub(crate) fn limit(&self) -> i64 {
        self.limit
    }

    /// Logs a request, with the return addresses of its stack, leaf first, and a zero where it was cut. Answers whether it is
    /// refused.
    pub(crate) fn refuses(&self, giant: Giant, stack: impl ExactSizeIterator<Item = u64>) -> bool {
        // The limit of another session, which has just ended.
        if self.log.is_empty() || giant.size <= self.limit as u64 {
            return false;
        }
        let number = self.log[REQUESTS].fetch_add(1, Relaxed) + 1;
        self.log[REFUSED].fetch_add(self.refuse.into(), Relaxed);
        let slot = (number - 1) as usize % RECORDS;
        let record = &self.log[HEADER + slot * RECORD_WORDS..][..RECORD_WORDS];
        record[0].store(0, Relaxed);
        let Giant { time, size, thread } = giant;
        let words = [time, size, self.refuse.into(), thread, stack.len() as u64].into_iter().chain(stack);
        record[1..].iter().zip(words).for_each(|(word, value)| word.store(value, Relaxed));
        record[0].store(number, Release);
        self.refuse
    }

    /// Giant requests so far, and how many of them were refused.
    pub(crate) fn counts(&self) -> [u64; 2] {
        let count = |word: usize| self.log.get(word).map_or(0, |word| word.load(Relaxed));
        [count(REQUESTS), count(REFUSED)]
    }

    /// The log's file, for the session's owner, who keeps it open while the session runs: the first time.
    #[allow(unsafe_code)] // unsafe: takes a file by its number.
    pub(crate) fn take_file(&self) -> Option<File> {
        let number = RawFd::try_from(self.file.swap(NO_FILE, AcqRel)).ok().filter(|number| *number >= 0)?;
        // SAFETY: of `into_raw_fd`, and given out once.
        Some(unsafe { File::from_raw_fd(number) })
    }

    /// Somebody was told of the first so many requests.
    pub(crate) fn told(&self, requests: u64) {
        if let Some(told) = self.log.get(TOLD) {
            told.fetch_max(requests, Relaxed);
        }
    }

    /// Whether there is no request that nobody was told of.
    pub(crate) fn is_all_told(&self) -> bool {
        self.log.get(TOLD).is_none_or(|told| told.load(Relaxed) >= self.counts()[0])
    }

    /// Whether this process made the log, and not one that it was forked from.
    pub(crate) fn is_own(&self) -> bool {
        self.log.get(PROCESS).is_some_and(|process| process.load(Relaxed) == u64::from(std::process::id()))
    }

    /// The log as a file holds it; empty where there is none.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.log.len() * 8);
        bytes.extend(self.log.iter().flat_map(|word| word.load(Acquire).to_le_bytes()));
        bytes
    }
}

/// Removes the file of a session that had no giant request, or none that nobody was told of.
pub(crate) fn remove(path: &Path) {
    // Somebody else may have removed it, and nothing depends on it.
    let _ = std::fs::remove_file(path);
}

/// Nanoseconds since 1970 of the system's clock.
pub(crate) fn nanos_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
