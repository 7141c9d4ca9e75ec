//! S7: two libraries that take turns at one address.

// unsafe: loads libraries and calls what is in them.
#![allow(unsafe_code)]

use std::{
    collections::BTreeMap,
    env,
    ffi::{CString, c_void},
    fs,
    hint::black_box,
    mem,
    path::{Path, PathBuf},
    process::{self, Command},
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
};

use allometer_contract::Block;
use allometer_core::{Config, Profiler, Reader, Unwinding};
use allometer_lines::{Form, Outcome};
use allometer_profile::{Location, Profile, SampleType};

use crate::{
    line::{Line, Part},
    load,
};

pub(crate) const LINE: Line = Line {
    number: "S7",
    target: "50 000 dlopen/dlclose cycles, two libraries in turn at one address, reports beside: 0 crashes, never a \
             name of another library",
    parts: |_| {
        const {
            &[
                Part::new("with build ids", |_, form| turns("sha1", Unwinding::Automatic, form)),
                Part::new("without", |_, form| turns("none", Unwinding::Automatic, form)),
                Part::new("by the platform", |_, form| turns("sha1", Unwinding::Portable, form)),
            ]
        }
    },
};

/// A library's function, which calls back; the other one's differs in its name and in the size of its frame.
const SOURCE: &str = "\
void NAME(void (*call)(void *), void *with)
{
    volatile char room[ROOM];
    room[0] = 1;
    call(with);
    room[1] = 1;
}
";

/// A library, and the size of the blocks that are requested through it, and nowhere else.
struct Library {
    name: &'static str,
    room: usize,
    block: usize,
}

const LIBRARIES: [Library; 2] = [
    Library { name: "taking_turns_one", room: 256, block: 30_011 },
    Library { name: "taking_turns_two", room: 512, block: 50_021 },
];
/// Blocks that each turn requests.
const BLOCKS: usize = 3;

type Function = unsafe extern "C" fn(extern "C" fn(*mut c_void), *mut c_void);

/// A directory that is removed when this is dropped.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = env::temp_dir().join(format!("allometer-turns-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What is left in a directory for temporary files does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Library {
    /// Compiles it; answers its path.
    fn build(&self, directory: &Path, build_id: &str) -> CString {
        let source = directory.join("library.c");
        fs::write(&source, SOURCE).unwrap();
        let library = directory.join(format!("lib{}.so", self.name));
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-fasynchronous-unwind-tables"]);
        compiler.args([format!("-DNAME={}", self.name), format!("-DROOM={}", self.room)]);
        compiler.arg(format!("-Wl,--build-id={build_id}")).arg(&source).arg("-o").arg(&library);
        assert!(compiler.status().unwrap().success(), "{compiler:?}");
        CString::new(library.into_os_string().into_encoded_bytes()).unwrap()
    }

    /// Loads it, requests blocks through it, unloads it; answers where its function was.
    fn run(&self, path: &CString) -> usize {
        let name = CString::new(self.name).unwrap();
        let mut size = self.block;
        // SAFETY: a library without constructors, whose function has this type, and whose code is left before it is
        // unloaded (dlopen(3), dlsym(3), dlclose(3)).
        unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
            assert!(!library.is_null());
            let function = libc::dlsym(library, name.as_ptr());
            assert!(!function.is_null());
            mem::transmute::<*mut c_void, Function>(function)(request, (&raw mut size).cast());
            assert_eq!(libc::dlclose(library), 0);
            function.addr()
        }
    }
}

/// Called by a library.
extern "C" fn request(size: *mut c_void) {
    // SAFETY: what `run` passes along, which lives during the call.
    let size = unsafe { *size.cast::<usize>() };
    (0..BLOCKS).for_each(|_| drop(through_library(size)));
}

#[inline(never)]
fn through_library(size: usize) -> Option<Block> {
    black_box("through_library");
    Block::new(size, 8)
}

fn turns(build_id: &str, unwinding: Unwinding, form: Form) -> Outcome {
    let cycles = form.pick(500, 50_000);
    let directory = Directory::new();
    let paths = LIBRARIES.map(|library| library.build(&directory.0, build_id));
    let config = Config::default().sample_interval(1).max_live_samples(1 << 20).unwinding(unwinding);
    let profiler = Profiler::start(config).unwrap();
    let is_over = AtomicBool::new(false);
    let (said, reports, in_place) = thread::scope(|scope| {
        let reader = scope.spawn(|| read(profiler.reader(), &is_over));
        let in_place = load::beside(2, |_| {
            let turns = (0..cycles).map(|turn| LIBRARIES[turn % 2].run(&paths[turn % 2]));
            let (mut before, mut in_place) = (0, 0);
            for address in turns {
                in_place += usize::from(mem::replace(&mut before, address) == address);
            }
            in_place
        });
        is_over.store(true, SeqCst);
        let (said, reports) = reader.join().unwrap();
        (said, reports, in_place)
    });
    let expected =
        |library: &Library| (library.name.to_owned(), (cycles / 2 * BLOCKS * library.block) as u64);
    let is_right = said.by_name == LIBRARIES.iter().map(expected).collect();
    Outcome::new()
        .with(said.wrong == 0, format!("{} wrong names in {reports} reports", said.wrong))
        .with(is_right, format!("{cycles} cycles, bytes {:?}", said.by_name))
        .with(in_place > cycles / 10, format!("{in_place} at the other's address"))
}

/// What reports have said of the libraries.
#[derive(Debug, Default)]
struct Said {
    /// Bytes requested, by the name of the function that called back.
    by_name: BTreeMap<String, u64>,
    /// How often a name was not that of the library whose blocks they are.
    wrong: u64,
}

/// One report after the other; each is of what has happened since the one before.
fn read(mut reader: Reader, is_over: &AtomicBool) -> (Said, usize) {
    let (mut said, mut reports) = (Said::default(), 0);
    loop {
        let is_last = is_over.load(SeqCst);
        said.add(&Profile::from_pprof(&reader.report().unwrap()).unwrap());
        reports += 1;
        if is_last {
            return (said, reports);
        }
    }
}

impl Said {
    fn add(&mut self, profile: &Profile) {
        for sample in &profile.samples {
            let bytes = sample.figures.get(SampleType::AllocBytes).value as u64;
            let mut locations = sample.stack.iter().filter_map(|location| profile.location(*location));
            let is_of = |location: &Location, function: &str| {
                names(profile, location).any(|name| name.rsplit("::").next() == Some(function))
            };
            if bytes == 0 || !locations.by_ref().any(|location| is_of(location, "through_library")) {
                continue;
            }
            // Behind it is what the library called, and then the library.
            let mut callers = locations.skip_while(|location| !is_of(location, "request")).skip(1);
            let name = callers.next().and_then(|caller| names(profile, caller).last()).unwrap_or("[nobody]");
            let library = LIBRARIES.iter().find(|library| library.name == name);
            let is_right = library.is_some_and(|library| bytes.is_multiple_of(library.block as u64));
            self.wrong += u64::from(!is_right);
            *self.by_name.entry(name.to_owned()).or_default() += bytes;
        }
    }
}

fn names<'a>(profile: &'a Profile, location: &'a Location) -> impl Iterator<Item = &'a str> {
    location.lines.iter().filter_map(|line| Some(&*profile.function(line.function)?.name))
}
