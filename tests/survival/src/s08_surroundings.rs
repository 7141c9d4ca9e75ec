//! S8: nowhere to write to, no descriptor to read by, and panics that nobody may cause.

// unsafe: replaces the standard streams, and limits descriptors.
#![allow(unsafe_code)]

use std::{
    fs::File,
    hint::black_box,
    io::{self, Read},
    os::fd::{AsRawFd, FromRawFd, RawFd},
    panic, thread,
};

use allometer_contract::{Block, Decoded};
use allometer_core::{Config, Profiler, Unwinding};
use allometer_lines::{Form, Outcome};

use crate::{
    line::{Line, Part},
    load::made,
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S8",
    target: "a logger that panics, stdout on a full device, no descriptors left: nothing unwinds out of GlobalAlloc, \
             nothing is printed from it",
    parts: |_| {
        const {
            &[
                Part::new("full device", on_a_full_device),
                Part::new("into a pipe", into_a_pipe),
                Part::new("no descriptors", without_descriptors),
            ]
        }
    },
};

const STREAMS: [RawFd; 2] = [libc::STDOUT_FILENO, libc::STDERR_FILENO];

/// Runs `body` with both standard streams led to `file`.
fn with_streams<T>(file: &File, body: impl FnOnce() -> T) -> T {
    // SAFETY: descriptors that are open (dup(2), dup2(2), close(2)).
    unsafe {
        let before = STREAMS.map(|stream| libc::dup(stream));
        STREAMS.iter().for_each(|stream| assert_ne!(libc::dup2(file.as_raw_fd(), *stream), -1));
        let answer = body();
        for (stream, before) in STREAMS.into_iter().zip(before) {
            assert_ne!(libc::dup2(before, stream), -1);
            libc::close(before);
        }
        answer
    }
}

/// Every path of the hook: full and thinned tables, each way to walk, stacks that are cut, threads that end; sessions
/// and reports. Answers how many samples there were.
fn hooks() -> u64 {
    // What panics in a hook, or on the way to a log, would end the process here.
    panic::set_hook(Box::new(|_| std::process::abort()));
    let mut samples = 0;
    for config in [tables::tiny(), tables::thinned(), tables::exact()] {
        for unwinding in
            [Unwinding::Automatic, Unwinding::FramePointers, Unwinding::Rules, Unwinding::Portable]
        {
            let mut profiler = Profiler::start(config.clone().unwinding(unwinding)).unwrap();
            let threads: Vec<_> = (0..4).map(|thread| thread::spawn(move || work(thread))).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert!(!profiler.report().unwrap().is_empty());
            samples += profiler.stats().unwrap().samples;
        }
    }
    let _ = panic::take_hook();
    samples
}

fn work(thread: usize) {
    let mut blocks: Vec<Option<Block>> = (0..300).map(|at| made(at % 40 + thread, at + 1)).collect();
    for (at, block) in blocks.iter_mut().enumerate() {
        *block = block.take().map(|block| block.resized(at % 77 + 1).unwrap_or_else(|same| same));
    }
}

fn on_a_full_device(_: &Subject, _: Form) -> Outcome {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let samples = with_streams(&full, hooks);
    Outcome::new().with(samples > 1000, format!("{samples} samples"))
}

fn into_a_pipe(_: &Subject, _: Form) -> Outcome {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors, which are owned from here on (pipe(2)).
    let [mut read, write] = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        ends.map(|end| File::from_raw_fd(end))
    };
    let samples = with_streams(&write, hooks);
    drop(write);
    let mut printed = String::new();
    read.read_to_string(&mut printed).unwrap();
    Outcome::new().with(printed.is_empty() && samples > 1000, format!("{} bytes printed", printed.len()))
}

#[inline(never)]
fn of_blind_thread() -> Block {
    black_box("of_blind_thread");
    Block::new(56, 8).unwrap()
}

/// Neither the memory map nor the files with the names can be opened.
fn without_descriptors(_: &Subject, _: Form) -> Outcome {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: libc::RLIM_INFINITY };
    let mut before = none;
    // SAFETY: readable and writable limits; the soft one can be raised again (getrlimit(2)).
    let set = |limit: &libc::rlimit| unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, limit) };
    // SAFETY: as above.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut before) }, 0);
    assert_eq!(set(&libc::rlimit { rlim_max: before.rlim_max, ..none }), 0);
    assert!(File::open("/proc/self/maps").is_err());
    let work = || {
        // SAFETY: this thread's own word (errno(3)).
        unsafe { *libc::__errno_location() = libc::EDOM };
        let block = of_blind_thread();
        let kept = io::Error::last_os_error().raw_os_error() == Some(libc::EDOM);
        (block, kept)
    };
    let (_, is_kept_without) = thread::spawn(work).join().unwrap();
    let profiler = Profiler::start(Config::default().sample_interval(1).unwinding(Unwinding::Rules)).unwrap();
    let (block, is_kept) = thread::spawn(work).join().unwrap();
    let blind = profiler.snapshot().unwrap().profile().to_pprof();
    assert_eq!(set(&before), 0);
    let seeing = Decoded::new(&profiler.snapshot().unwrap().profile().to_pprof());
    let found = seeing.at("s08_surroundings::of_blind_thread").live_objects;
    let total = Decoded::new(&blind).total();
    drop(block);
    Outcome::new()
        .with(total.live_bytes >= 56, format!("{} samples in a report without names", total.alloc_objects))
        .with(found == 1, format!("{found} found with names"))
        .with(
            is_kept || !is_kept_without,
            format!("errno kept {is_kept}, without a session {is_kept_without}"),
        )
}
