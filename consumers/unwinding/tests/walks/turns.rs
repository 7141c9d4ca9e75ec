//! Two libraries that take turns at one address, with everything beside that there can be.

use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use allometer::{Config, Profiler, Reader, Unwinding};

use crate::{
    check::Check,
    plugin::{Plugin, Said},
};

pub const CHECKS: &[Check] = &[
    Check { name: "turns::of_libraries_with_build_ids", run: marked },
    Check { name: "turns::of_libraries_without_build_ids", run: unmarked },
];

/// How often a library is loaded and unloaded, as a number in this environment variable.
const CYCLES: &str = "ALLOMETER_TURNS";

fn cycles() -> usize {
    std::env::var(CYCLES).map_or(400, |cycles| cycles.parse().expect("a number of cycles"))
}

fn marked() {
    turns("marked_first", "marked_other", cycles());
}

fn unmarked() {
    turns("unmarked_first", "unmarked_other", cycles());
}

/// Loads and unloads the libraries in turn, and allocates through them, while threads allocate and a reader makes one
/// report after another: what a report says of a library is always of that library, and all of it is said.
pub fn turns(first: &'static str, other: &'static str, cycles: usize) {
    let plugins = [Plugin { name: first, size: 3001 }, Plugin { name: other, size: 5003 }];
    let counts = [3, 2];
    let config = Config::default().sample_interval(1).unwinding(Unwinding::FramePointers);
    let profiler = Profiler::start(config).expect("a session");
    let done = AtomicBool::new(false);
    let mut addresses = Vec::with_capacity(cycles);
    let reports = thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| work(&done));
        }
        let reports = scope.spawn(|| read(profiler.reader(), &plugins, &done));
        for cycle in 0..cycles {
            let turn = cycle % 2;
            let (address, blocks) = plugins[turn].run(counts[turn], || {});
            addresses.push(address);
            drop(blocks);
        }
        done.store(true, Relaxed);
        let (said, reports) = reports.join().expect("the reader");
        for (turn, plugin) in plugins.into_iter().enumerate() {
            let bytes = (cycles + 1 - turn) / 2 * counts[turn] * plugin.size;
            assert_eq!(said.allocated[&(plugin.name.to_owned(), plugin.size)], bytes as u64, "{said:?}");
        }
        reports
    });
    let at_one_address = addresses.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(at_one_address > 0 || cycles < 2, "none came to the place of another: {addresses:x?}");
    println!("{cycles} cycles, {at_one_address} at the address of the other, {reports} reports");
}

/// Another thread of the program.
fn work(done: &AtomicBool) {
    while !done.load(Relaxed) {
        let blocks: Vec<Box<[u8; 64]>> = (0..100).map(|_| black_box(Box::new([0; 64]))).collect();
        drop(blocks);
        // There are few cores, and the others are what this is about.
        thread::yield_now();
    }
}

/// What all reports have said, and how many there were.
fn read(mut reader: Reader, plugins: &[Plugin], done: &AtomicBool) -> (Said, usize) {
    let (mut said, mut reports) = (Said::default(), 0);
    loop {
        let is_last = done.load(Relaxed);
        said.add(&reader.report().expect("a report"), plugins);
        check(&said, plugins);
        reports += 1;
        if is_last {
            return (said, reports);
        }
    }
}

/// Blocks are those of the library that is named.
fn check(said: &Said, plugins: &[Plugin]) {
    for (name, size) in said.allocated.keys().chain(said.live.keys()) {
        let is_right = plugins.iter().any(|plugin| plugin.name == name && plugin.size == *size);
        assert!(is_right, "{size} bytes of {name:?}: {said:?}");
    }
}
