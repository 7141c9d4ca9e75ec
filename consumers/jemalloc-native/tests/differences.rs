//! Where jemalloc's own profiler and the sampler agree, on one run of one program, and where they differ: each difference is shown.

use std::{cell::RefCell, hint::black_box, path::Path, process::Command, thread, time::Duration};

use allometer::{
    Config, Profiler,
    jemalloc::{JemallocConfig, JemallocProfiler},
    profile::{Amount, Figures, Profile, Source, Symbolizer},
};
use allometer_contract::{Block, Scenario, output, run_scenarios_with, scenario};
use consumer_jemalloc_native as _;

static SCENARIOS: [Scenario; 8] = [
    scenario("sites_agree_within_their_errors", agreement),
    scenario("resized_objects_agree_too", resized),
    scenario("sizes_are_those_of_size_classes", size_classes),
    scenario("sizes_that_differ_at_one_stack_come_out_right", mixed_sizes),
    scenario("a_stack_of_few_samples_is_rounded_to_whole_ones", rounding),
    scenario("objects_as_large_as_the_interval_are_some_percent_off", eighths),
    scenario("threads_that_follow_each_other_draw_the_same_numbers", same_numbers),
    scenario("another_interval_comes_with_the_next_sample", next_sample),
];
static CHILDREN: [Scenario; 1] = [scenario("with_a_long_interval", with_a_long_interval)];

fn main() {
    run_scenarios_with(&SCENARIOS, &CHILDREN);
}

/// Of both: see the consumer's configuration of jemalloc.
const INTERVAL: u64 = 4096;
/// Standard errors that two estimates may be apart: 1 in 1 700 000 is further. jemalloc takes no seed.
const ERRORS: f64 = 5.0;

/// Both samplers, over what this process does from now on.
struct Both {
    sampler: Profiler,
    native: JemallocProfiler,
    symbolizer: RefCell<Symbolizer>,
}

impl Both {
    fn start() -> Self {
        Self::start_with(&JemallocConfig::default())
    }

    fn start_with(config: &JemallocConfig) -> Self {
        let native = JemallocProfiler::start(config).unwrap();
        let sampler = Profiler::start(Config::default().sample_interval(INTERVAL)).unwrap();
        Self { sampler, native, symbolizer: RefCell::default() }
    }

    /// The profile of each.
    fn profiles(&self) -> [Profile; 2] {
        [self.profile_of(&self.sampler.reader()), self.native_profile()]
    }

    fn native_profile(&self) -> Profile {
        self.profile_of(&self.native.reader())
    }

    fn profile_of(&self, source: &dyn Source) -> Profile {
        let profile = source.moment().unwrap().profile(&mut self.symbolizer.borrow_mut());
        profile.with_assumed_errors().into_owned()
    }
}

/// What a profile says of the stacks through a function.
fn at(profile: &Profile, function: &str) -> Figures {
    let names = |sample: &allometer::profile::Sample| {
        let lines = sample.stack.iter().filter_map(|&index| profile.location(index)).flat_map(|at| &at.lines);
        lines.filter_map(|line| profile.function(line.function)).any(|found| found.name.ends_with(function))
    };
    profile.samples.iter().filter(|sample| names(sample)).map(|sample| sample.figures).sum()
}

#[track_caller]
fn agree(name: &str, of_sampler: Amount, of_native: Amount) {
    for (one, other) in [(of_sampler.objects, of_native.objects), (of_sampler.bytes, of_native.bytes)] {
        let error = ERRORS * (one.variance + other.variance).sqrt();
        assert!((one.value - other.value).abs() <= error, "{name}: {of_sampler:?} {of_native:?}");
    }
}

/// A few functions that make so many objects of a size, and keep every other one.
macro_rules! sites {
    ($($name:ident: $size:literal),+) => {
        $(#[inline(never)]
        fn $name(kept: &mut Vec<Block>) {
            for turn in 0..(16 << 20) / $size {
                let block = black_box(Block::new($size, 8).unwrap());
                if turn % 2 == 0 {
                    kept.push(block);
                }
            }
        })+
        const SITES: &[(&str, fn(&mut Vec<Block>))] = &[$((concat!("differences::", stringify!($name)), $name)),+];
    };
}

// All below a sixteenth of the interval, or far above it.
sites!(of_8: 8, of_16: 16, of_32: 32, of_48: 48, of_64: 64, of_128: 128, of_160: 160, of_256: 256, of_65536: 65_536, of_262144: 262_144);

fn agreement(_: &Path) {
    let mut kept = Vec::with_capacity(8 << 20);
    let both = Both::start();
    for (_, make) in SITES {
        make(&mut kept);
    }
    let [sampler, native] = both.profiles();
    for (name, _) in SITES {
        let (of_sampler, of_native) = (at(&sampler, name), at(&native, name));
        assert!(of_sampler.alloc.bytes.value > 14e6 && of_native.live.bytes.value > 6e6, "{name}");
        agree(name, of_sampler.alloc, of_native.alloc);
        agree(name, of_sampler.live, of_native.live);
    }
    agree("all", sampler.total().live, native.total().live);
    println!("{:?}\n{:?}", sampler.total().live, native.total().live);
}

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn grown(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

/// A `realloc` is a free and a request where it is, for both.
fn resized(_: &Path) {
    let mut kept = Vec::with_capacity(20_000);
    let both = Both::start();
    for _ in 0..20_000 {
        // From one size class to another.
        kept.push(grown(made(64), 256));
    }
    let [sampler, native] = both.profiles();
    for name in ["differences::made", "differences::grown"] {
        agree(name, at(&sampler, name).alloc, at(&native, name).alloc);
        agree(name, at(&sampler, name).live, at(&native, name).live);
    }
    assert_eq!(at(&native, "differences::made").live.bytes.value, 0.0);
}

fn size_classes(_: &Path) {
    let mut kept = Vec::with_capacity(200_000);
    let both = Both::start();
    kept.extend((0..200_000).map(|_| made(100)));
    let [sampler, native] = both.profiles().map(|profile| at(&profile, "differences::made").live);
    assert_eq!((sampler.bytes.value / sampler.objects.value).round(), 100.0);
    assert_eq!((native.bytes.value / native.objects.value).round(), 112.0);
    let errors = ERRORS * (sampler.objects.variance + native.objects.variance).sqrt();
    assert!((sampler.objects.value - native.objects.value).abs() <= errors, "{sampler:?} {native:?}");
}

/// jemalloc weighs each sample by its own size, and prepares its sums so that who takes their mean size gets that.
fn mixed_sizes(_: &Path) {
    let mut kept = Vec::with_capacity(200_000);
    let both = Both::start();
    // Of the bytes nearly all are in the large ones, of the objects in the small ones.
    kept.extend((0..100_000).map(|turn| made(if turn % 100 == 0 { 1 << 16 } else { 64 })));
    let [sampler, native] = both.profiles().map(|profile| at(&profile, "differences::made").live);
    // The dump tells no errors of such a mixture: those of the sampler stand for both.
    let error = |estimate: fn(&Amount) -> allometer::profile::Estimate| {
        let (of_sampler, of_native) = (estimate(&sampler), estimate(&native));
        (of_sampler.value - of_native.value).abs() / (2.0 * of_sampler.variance).sqrt()
    };
    assert!(
        error(|amount| amount.objects) < ERRORS && error(|amount| amount.bytes) < ERRORS,
        "{sampler:?} {native:?}"
    );
    assert!((native.objects.value / 100_000.0 - 1.0).abs() < 0.2, "{native:?}");
    drop(kept);
}

#[inline(never)]
fn few(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

/// The dump has whole numbers, of what was sampled: one sample of 64 bytes and one of 2 KiB at a stack are 2 there, and not 2.24.
fn rounding(_: &Path) {
    let mut both = Both::start();
    // What it picks goes another way to jemalloc, of which stacks show a part.
    both.sampler.stop();
    let (mut kept, mut seen) = (Vec::with_capacity(10_000), Vec::new());
    // Small ones, until one of them was sampled, and then large ones, all from one place.
    while seen.len() < 2 {
        let size = if black_box(seen.is_empty()) { 64 } else { 2048 };
        kept.push(few(black_box(size)));
        let live = at(&both.native_profile(), "differences::few").live;
        seen.extend(
            Some(live)
                .filter(|live| live.bytes.value > seen.last().map_or(0.0, |last: &Amount| last.bytes.value)),
        );
    }
    let p = |size: f64| -(-size / INTERVAL as f64).exp_m1();
    let exact = 1.0 / p(64.0) + 1.0 / p(2048.0);
    assert!((seen[0].objects.value * p(64.0) - 1.0).abs() < 1e-3, "one sample: {seen:?}");
    assert!((seen[1].objects.value / exact - 0.80).abs() < 0.01, "{seen:?}, and not {exact}");
    let bytes = 64.0 / p(64.0) + 2048.0 / p(2048.0);
    assert!((seen[1].bytes.value / bytes - 0.89).abs() < 0.01, "{seen:?}, and not {bytes}");
}

/// jemalloc keeps how many objects a sample stands for in eighths: 1.625 instead of 1.582. Their bytes are right.
fn eighths(_: &Path) {
    const OBJECTS: usize = 400_000;
    let both = Both::start();
    for _ in 0..OBJECTS {
        drop(made(INTERVAL as usize));
    }
    let [sampler, native] = both.profiles().map(|profile| at(&profile, "differences::made").alloc);
    let error = ERRORS * sampler.objects.variance.sqrt() / OBJECTS as f64;
    let p = 1.0 - (-1.0f64).exp();
    let share = |value: f64| value / OBJECTS as f64;
    println!("{} and {} of {OBJECTS}, {error} of it", sampler.objects.value, native.objects.value);
    assert!((share(sampler.objects.value) - 1.0).abs() < error, "{sampler:?}");
    assert!((share(native.bytes.value) / INTERVAL as f64 - 1.0).abs() < error, "{native:?}");
    assert!(
        error < 0.01 && (share(native.objects.value) - (8.0 / p).round() / 8.0 * p).abs() < error,
        "{native:?}"
    );
}

/// A thread's numbers follow from where its state is, which is where that of the one before was.
fn same_numbers(_: &Path) {
    const THREADS: usize = 200;
    let mut kept = Vec::with_capacity(THREADS);
    let both = Both::start();
    for _ in 0..THREADS {
        kept.push(thread::spawn(|| (0..64).map(|_| made(1024)).collect::<Vec<_>>()).join().unwrap());
    }
    let [sampler, native] = both.profiles().map(|profile| at(&profile, "differences::made").alloc.bytes);
    let samples = native.value / 1024.0 * -(-1024.0 / INTERVAL as f64).exp_m1() / THREADS as f64;
    println!("{} and {} bytes, {samples} samples a thread", sampler.value, native.value);
    assert!((samples - samples.round()).abs() < 0.02, "each thread has as many: {samples}");
    let error = (sampler.value - 65_536.0 * THREADS as f64).abs() / sampler.variance.sqrt();
    assert!(error < ERRORS, "{sampler:?}");
}

fn next_sample(_: &Path) {
    let mut command: Command = Scenario::command("with_a_long_interval", Path::new("."));
    // A gibibyte.
    command.env("_RJEM_MALLOC_CONF", "lg_prof_sample:30");
    output(command, Duration::from_secs(60)).unwrap();
}

fn with_a_long_interval(_: &Path) {
    let both = Both::start_with(&JemallocConfig::default().sample_interval(INTERVAL));
    let made = || (0..1000).map(|_| made(1024)).collect::<Vec<_>>();
    let here = made();
    let [sampler, native] = both.profiles().map(|profile| at(&profile, "differences::made").live.objects);
    assert!((sampler.value - 1000.0).abs() < ERRORS * sampler.variance.sqrt(), "{sampler:?}");
    assert_eq!(native.value, 0.0, "this thread waits for a sample that was drawn before");
    let there = thread::spawn(made).join().unwrap();
    let [_, native] = both.profiles().map(|profile| at(&profile, "differences::made").live.objects);
    assert!((native.value - 1000.0).abs() < ERRORS * native.variance.sqrt(), "{native:?}");
    drop((here, there));
}
