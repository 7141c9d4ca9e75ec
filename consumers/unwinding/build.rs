//! Compiles the C code that stacks go through, every piece with the flags that make it what its name says. For
//! x86-64 Linux, where rules are remembered; some of it is assembly.

use std::{
    env,
    path::{Path, PathBuf},
};

const TABLES: &[&str] = &["-fasynchronous-unwind-tables"];
const NO_TABLES: &[&str] = &["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-exceptions"];
const FRAME_POINTER: &str = "-fno-omit-frame-pointer";
const NO_FRAME_POINTER: &str = "-fomit-frame-pointer";

fn main() {
    println!("cargo::rerun-if-changed=native");
    println!("cargo::rustc-check-cfg=cfg(no_unwind_tables)");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if flags.contains("force-unwind-tables=no") {
        println!("cargo::rustc-cfg=no_unwind_tables");
    }
    compile("caller.c", "with_frame_pointer", &[TABLES, &[FRAME_POINTER]]);
    compile("caller.c", "without_frame_pointer", &[TABLES, &[NO_FRAME_POINTER]]);
    compile("caller.c", "roomy", &[TABLES, &[NO_FRAME_POINTER, "-DROOM=1048576"]]);
    compile("caller.c", "oversized", &[TABLES, &[NO_FRAME_POINTER, "-DROOM=3145728"]]);
    compile("caller.c", "no_table", &[NO_TABLES, &[FRAME_POINTER]]);
    compile("caller.c", "neither", &[NO_TABLES, &[NO_FRAME_POINTER]]);
    compile("realigned.c", "realigned", &[TABLES]);
    compile("registers.c", "registers", &[TABLES]);
    compile("stacks.c", "stacks", &[TABLES]);
    // Two libraries that differ in the size of a frame and in nothing else, so that one can take the place of
    // the other, instruction by instruction.
    library("late_first", &[TABLES, &[NO_FRAME_POINTER, "-DROOM=4096"]]);
    library("late_other", &[TABLES, &[NO_FRAME_POINTER, "-DROOM=8192"]]);
    // The same, for the names of what was unloaded: told apart by a build id, or by what else the file holds.
    for (build_id, kind) in [("-Wl,--build-id=sha1", "marked"), ("-Wl,--build-id=none", "unmarked")] {
        for (name, room) in [("first", "-DROOM=4096"), ("other", "-DROOM=8192")] {
            library(&format!("{kind}_{name}"), &[TABLES, &[NO_FRAME_POINTER, room, build_id]]);
        }
    }
    // Another build of a library, which nothing but the size of a frame tells from the first.
    let changed = &[NO_FRAME_POINTER, "-DROOM=8192", "-Wl,--build-id=none"];
    library_with("unmarked_first_again", "unmarked_first", &[TABLES, changed]);
    // Without the C library's start-up files, which bring tables of their own, these have none whatever.
    library("late_bare", &[NO_TABLES, &[FRAME_POINTER, "-nostdlib"]]);
    let directory = library("early_bare", &[NO_TABLES, &[FRAME_POINTER, "-nostdlib"]]);
    println!("cargo::rustc-link-search=native={}", directory.display());
    println!("cargo::rustc-link-lib=dylib=early_bare");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", directory.display());
}

/// The flags of the Rust code must not become those of the C code.
fn builder() -> cc::Build {
    let mut build = cc::Build::new();
    build.inherit_rustflags(false).opt_level(2).debug(false).warnings_into_errors(true).pic(true);
    build
}

fn compile(source: &str, name: &str, flags: &[&[&str]]) {
    let mut build = builder();
    build.file(Path::new("native").join(source)).define("NAME", name).flags(flags.concat()).compile(name);
}

/// A library that is loaded by its path, with a function of its name; answers the directory that it is in.
fn library(name: &str, flags: &[&[&str]]) -> PathBuf {
    library_with(name, name, flags)
}

/// The same, with a function of another name.
fn library_with(name: &str, function: &str, flags: &[&[&str]]) -> PathBuf {
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo tells where to put things"));
    let mut command = builder().get_compiler().to_command();
    command.arg("-shared").arg(format!("-DNAME={function}")).args(flags.concat());
    command.arg("native/caller.c").arg("-o").arg(directory.join(format!("lib{name}.so")));
    let status = command.status().expect("the C compiler starts");
    assert!(status.success(), "{command:?} ended with {status}");
    directory
}
