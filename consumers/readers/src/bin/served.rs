//! A program that serves its profile. What it shall do it is told in lines on its standard input, with whose end it ends; each line is
//! answered by one:
//!
//! | line | what |
//! |---|---|
//! | `keep N` | keeps a block at each of N call stacks |
//! | `leak N` | keeps N blocks of 32 KiB at one |
//! | `evil` | keeps a block in a function whose name is markup, under a tag that is |
//! | `work` | from now on a thread allocates blocks and frees them |
//! | `count` | answers how many of these blocks there have been |
//!
//! Words on its command line say what it offers: `control`, `purge`, `cmdline`, `token:TOKEN`, `history:MILLISECONDS`; the variable `ALLOMETER`
//! has the session's.

use std::{
    env,
    hint::black_box,
    io::{BufRead, Write, stdin, stdout},
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    thread,
    time::Duration,
};

use allometer::{
    Config, Profiler, SamplingAllocator,
    http::{Endpoints, Server},
    system::System,
    tag,
};
use consumer_readers::Answer;

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

/// Blocks that `work` has made.
static WORKED: AtomicU64 = AtomicU64::new(0);

const LEAKED_BYTES: usize = 32 << 10;
const WORK_BYTES: usize = 1000;
/// More than all blocks that are kept.
const EVIL_BYTES: usize = 8 << 20;
const EVIL: &str = "</script><img src=x onerror=alert(1)>";

fn main() -> Answer<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let value = |key: &str| words.iter().find_map(|word| word.strip_prefix(key));
    let config = Config::from_env()?;
    let mut profiler = None;
    let mut endpoints = match has("control") {
        true => Endpoints::controlling(config),
        false => Endpoints::reading(profiler.insert(Profiler::start(config)?).reader()),
    };
    if let Some(token) = value("token:") {
        endpoints = endpoints.token(token)?;
    }
    if let Some(milliseconds) = value("history:") {
        endpoints = endpoints.history(Some(Duration::from_millis(milliseconds.parse()?)));
    }
    let endpoints = endpoints.purge(has("purge")).cmdline(has("cmdline")).build()?;
    if has("control") {
        endpoints.start()?;
    }
    let server = Server::start("127.0.0.1:0", endpoints)?;
    println!("{}", server.address());
    let mut kept = Vec::new();
    for line in stdin().lock().lines() {
        println!("{}", obey(&line?, &mut kept)?);
        stdout().flush()?;
    }
    Ok(())
}

fn obey(line: &str, kept: &mut Vec<Vec<u8>>) -> Answer<String> {
    let (word, number) = line.split_once(' ').unwrap_or((line, "0"));
    let number: usize = number.parse()?;
    match word {
        "keep" => (0..number).for_each(|stack| kept.push(keep(stack))),
        "leak" => (0..number).for_each(|_| kept.push(leak())),
        "evil" => {
            let _tag = tag(EVIL);
            kept.push(evil());
        }
        "work" => drop(thread::spawn(work)),
        "count" => return Ok(WORKED.load(SeqCst).to_string()),
        _ => return Err(format!("{line:?}: expected keep N, leak N, evil, work or count").into()),
    }
    Ok("done".to_owned())
}

#[inline(never)]
fn leak() -> Vec<u8> {
    black_box(vec![1; LEAKED_BYTES])
}

/// As a plug-in may call its function.
#[unsafe(export_name = "</script><img src=x onerror=alert(1)>")]
#[inline(never)]
extern "Rust" fn evil() -> Vec<u8> {
    black_box(vec![1; EVIL_BYTES])
}

fn work() {
    loop {
        for _ in 0..100 {
            drop(block());
            // Never more than were made.
            WORKED.fetch_add(1, SeqCst);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[inline(never)]
fn block() -> Vec<u8> {
    black_box(vec![1; WORK_BYTES])
}

/// Functions, so that there are as many names. Each looks at its number: what is the same code may become one.
macro_rules! numbered {
    ($function:ident: $($number:literal)*) => {
        [$($function::<$number>),*]
    };
}

type Function = fn(usize) -> Vec<u8>;

const CALLERS: [Function; 32] =
    numbered!(caller: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
const BETWEEN: [Function; 32] =
    numbered!(between: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
const HOLDERS: [Function; 32] =
    numbered!(holder: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

/// A block at the call stack of this number: there are 32768.
fn keep(stack: usize) -> Vec<u8> {
    CALLERS[stack % 32](stack)
}

#[inline(never)]
fn caller<const N: usize>(stack: usize) -> Vec<u8> {
    black_box(N);
    black_box(BETWEEN[stack / 32 % 32](stack))
}

#[inline(never)]
fn between<const N: usize>(stack: usize) -> Vec<u8> {
    black_box(N);
    black_box(HOLDERS[stack / 1024 % 32](stack))
}

#[inline(never)]
fn holder<const N: usize>(stack: usize) -> Vec<u8> {
    black_box(N);
    black_box(vec![1; 64 + stack % 97])
}
