//! Writes what the fuzz targets start from, one directory each: `cargo run --example seeds DIRECTORY`, in this
//! directory. The object files are compiled from a few lines with `rustc`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};
use std::{env, fs};

use allometer_profile::{
    Amount, Estimate, Figures, Function, FunctionIndex, Lifetimes, Line, LiveObject, Location, LocationIndex,
    Loss, Mapping, MappingIndex, Metadata, Profile, ProviderFigure, ReturnAddress, Sample,
};

type Done<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Done {
    let root = PathBuf::from(env::args_os().nth(1).ok_or("usage: seeds DIRECTORY")?);
    let write = |target: &str, name: &str, bytes: &[u8]| -> Done {
        let directory = root.join(target);
        fs::create_dir_all(&directory)?;
        Ok(fs::write(directory.join(name), bytes)?)
    };
    let profile = profile();
    write("pprof_decode", "plain", &profile.to_pprof())?;
    write("pprof_decode", "packed", &profile.to_pprof_gzip())?;
    write("pprof_decode", "empty", &Profile::default().to_pprof())?;
    write("giant_log", "two", &giant_log(&profile.to_pprof_gzip()))?;
    write("heap_text", "jemalloc", JEMALLOC.as_bytes())?;
    write("heap_text", "gperftools", GPERFTOOLS.as_bytes())?;
    write("heap_text", "sampled", GPERFTOOLS.replace("heapprofile", "heap_v2/4096").as_bytes())?;
    write("heap_text", "go", GO.as_bytes())?;
    write("pprof_gzip", "plain", &profile.to_pprof())?;
    // The target itself writes the mark.
    write("pprof_gzip", "packed", &profile.to_pprof_gzip()[3..])?;
    for (name, offset) in [("first", 0x100u32), ("middle", 0x115), ("second", 0x205), ("behind", 0x400)] {
        let asked = [&offset.to_le_bytes()[..], &[0, 0], &unwind_table()].concat();
        write("unwind_rules", name, &asked)?;
    }
    write("elf_notes", "two", &notes())?;
    write("memory_map", "three", &[&0x7ffd_1235_0000u64.to_le_bytes()[..], &[7], MAP.as_bytes()].concat())?;
    write(
        "environment",
        "all",
        b"interval:64KiB, live:false,lifetimes:true,depth:32,unwinding:rules,sites:9",
    )?;
    write("environment", "rest", b"live_samples:7,seed:5,unwinding:frame_pointers,interval:2GiB")?;
    write("report_names", "listing", LISTING.as_bytes())?;
    for (name, compression) in [("plain", "none"), ("packed", "zlib")] {
        let file = object_file(&root, compression)?;
        write("object_file", name, &[&[0, 0x10, 0x10, 0x10, 0, 0, 0x20, 0x10][..], &file].concat())?;
    }
    Ok(())
}

const JEMALLOC: &str = "\
heap_v2/4096
  t*: 3: 3072 [5: 5120]
  t0: 1: 1024 [1: 1024]
@ 0x55d0c105 0x55d0d205 0x9005
  t*: 2: 2048 [4: 4096]
  t1: 2: 2048 [4: 4096] a name
@ 0x55d0d205 0x0
  t*: 1: 1024 [1: 1024]
  t0: 1: 1024 [1: 1024]

MAPPED_LIBRARIES:
55d0c000-55d0e000 r-xp 00001000 08:01 1234 /bin/cat
7f0000000000-7f0000021000 rw-p 00000000 00:00 0
";

const GPERFTOOLS: &str = "\
heap profile:  3:  3072 [ 5:  5120] @ heapprofile
  2:  2048 [ 4:  4096] @ 0x55d0c105 0x55d0d205 0x9005
  1:  1024 [ 1:  1024] @ 0x55d0d205

MAPPED_LIBRARIES:
55d0c000-55d0e000 r-xp 00001000 08:01 1234 /bin/cat (deleted)
";

const GO: &str = "\
heap profile: 2: 96 [4: 192] @ heap/8192
2: 96 [4: 192] @ 0x48e1e4 0x48e205
#\t0x48e1e3\tmain.f+0x1e3\t/a.go:7

# runtime.MemStats
";

const LISTING: &str = "\
shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz
shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.svg
shop-2026-12-01T02:06:13.000Z-0.0MiB-exit-4711.txt
shop-2026-12-01T02:06:13.000Z-0.0MiB-giant-4711.html
notes.txt
";

const MAP: &str = "\
55d0c000-55d0e000 r--p 00000000 08:01 1234 /bin/cat
7f0000000000-7f0000021000 rw-p 00000000 00:00 0
7ffd12340000-7ffd12361000 rw-p 00000000 00:00 0                          [stack]
";

/// A profile with something in each table.
fn profile() -> Profile {
    let amount = |objects: f64, bytes: f64| Amount {
        objects: Estimate::exact(objects),
        bytes: Estimate::exact(bytes),
    };
    let function =
        |name: &str| Function { name: name.into(), system_name: format!("_{name}"), file: "a.rs".into() };
    let location = |address, functions: &[u32]| Location {
        address: Some(ReturnAddress::new(address)),
        mapping: Some(MappingIndex(0)),
        lines: functions
            .iter()
            .map(|&function| Line { function: FunctionIndex(function), line: 7 })
            .collect(),
    };
    let sample = |stack: &[u32], bytes| Sample {
        stack: stack.iter().map(|&index| LocationIndex(index)).collect(),
        figures: Figures { alloc: amount(3.0, bytes), live: amount(1.0, bytes / 2.0) },
        peak: amount(2.0, bytes),
        slack: Some(Estimate { value: 48.0, variance: 9.0 }),
        live_objects: vec![LiveObject {
            birth: Duration::from_secs(2),
            size: 64,
            amount: amount(2.5, 160.0),
        }],
        lifetimes: Some(Box::new(Lifetimes { objects: [0.5; Lifetimes::CLASSES] })),
        ..Sample::default()
    };
    Profile {
        metadata: Metadata {
            start: UNIX_EPOCH.checked_add(Duration::from_secs(1_700_000_000)),
            duration: Duration::from_secs(9),
            sample_interval: 4096,
            provider: Some("system".into()),
            live: true,
            losses: vec![Loss { what: "beyond".into(), events: 2, amount: amount(2.0, 64.0) }],
            comments: vec!["a remark".into()],
            session: Some(7),
            elapsed: Duration::from_secs(10),
            peak: Some(Duration::from_secs(3)),
            sizes: vec![0.0, 1.0, 70.5],
            provider_figures: vec![ProviderFigure { name: "resident".into(), bytes: 1 << 20 }],
            resident: Some(1 << 21),
            ..Metadata::default()
        },
        mappings: vec![Mapping {
            start: 0x1000,
            limit: 0x9000,
            path: "/bin/shop".into(),
            build_id: Some("ab01".into()),
            ..Mapping::default()
        }],
        functions: ["main", "alloc::vec::push", "cart"].map(function).to_vec(),
        locations: vec![location(0x1100, &[1, 2]), location(0x1200, &[0]), location(0x1300, &[])],
        samples: vec![
            sample(&[0, 1], 4096.0),
            Sample { tag: Some("tenant 7".into()), ..sample(&[0, 1], 512.0) },
            sample(&[0, 2, 1], 640.0),
            sample(&[], 10.0),
        ],
    }
}

/// A log with two records, whose end, all zero, is cut off.
fn giant_log(code: &[u8]) -> Vec<u8> {
    let mut words = vec![0u64; 8 + 16 * 128];
    words[..6].copy_from_slice(&[u64::from_le_bytes(*b"allogia1"), 2, 1, 1 << 30, code.len() as u64, 77]);
    for (at, refused) in [0, 1].into_iter().enumerate() {
        let record = [at as u64 + 1, 1_700_000_000_000_000_000, 5 << 30, refused, 78, 3, 0x1101, 0x1201, 0];
        words[8 + at * 128..][..record.len()].copy_from_slice(&record);
    }
    words.into_iter().flat_map(u64::to_le_bytes).chain(code.iter().copied()).collect()
}

/// An index, `.eh_frame_hdr`, and behind it `.eh_frame` with the entries of two functions, 0x100 and 0x200 from the
/// index on: one that sets up a frame pointer, and a signal's trampoline.
fn unwind_table() -> Vec<u8> {
    const INDEX: i32 = 12 + 2 * 8;
    // Pointers: of .eh_frame and in it from where they stand, in the table from the index; four bytes, signed.
    let mut bytes = vec![1, 0x1b, 0x03, 0x3b];
    bytes.extend((INDEX - 4).to_le_bytes());
    bytes.extend(2u32.to_le_bytes());
    let mut frame = Vec::new();
    let mut entry = |contents: &[u8]| {
        let at = frame.len() as i32;
        let length = contents.len().next_multiple_of(4);
        frame.extend((length as u32).to_le_bytes());
        frame.extend(contents);
        frame.resize(at as usize + 4 + length, 0);
        at
    };
    // Code and data in units of 1 and -8, the return address is number 16; the CFA is the stack pointer and 8.
    let rules = [0x0c, 7, 8, 0x90, 1];
    let common = entry(&[&[0, 0, 0, 0, 1][..], b"zR\0", &[1, 0x78, 16, 1, 0x1b], &rules].concat());
    let signal = entry(&[&[0, 0, 0, 0, 1][..], b"zRS\0", &[1, 0x78, 16, 1, 0x1b], &rules].concat());
    // Advance 1, CFA +16, the frame pointer is saved at -16; advance 3, CFA from the frame pointer.
    let pushes = [0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6];
    let mut function = |common: i32, at: i32, start: i32, rules: &[u8]| {
        let from_entry = start - (INDEX + at + 8);
        entry(
            &[
                &(at + 4 - common).to_le_bytes()[..],
                &from_entry.to_le_bytes(),
                &0x80u32.to_le_bytes(),
                &[0],
                rules,
            ]
            .concat(),
        )
    };
    let at = [48, 76];
    let found = [function(common, at[0], 0x100, &pushes), function(signal, at[1], 0x200, &[])];
    assert_eq!(found, at, "where the entries are");
    entry(&[]);
    for (start, at) in [0x100, 0x200].into_iter().zip(at) {
        bytes.extend(i32::to_le_bytes(start));
        bytes.extend((INDEX + at).to_le_bytes());
    }
    bytes.extend(frame);
    bytes
}

/// Two notes, the second being a build id.
fn notes() -> Vec<u8> {
    let note = |kind: u32, contents: &[u8]| {
        let head = [4, contents.len() as u32, kind].map(u32::to_ne_bytes).concat();
        [&head[..], b"GNU\0", contents].concat()
    };
    [note(1, &[0; 16]), note(3, &[0xab; 20])].concat()
}

const SOURCE: &str = r#"
#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }
mod inner { #[inline(always)] pub fn twice(a: u32) -> u32 { a.wrapping_mul(2) } }
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn once(a: u32) -> u32 { inner::twice(a) ^ 1 }
#[unsafe(no_mangle)]
pub extern "C" fn both(a: u32) -> u32 { once(a).wrapping_add(inner::twice(a)) }
"#;

/// A library of two functions with its debug information.
fn object_file(root: &Path, compression: &str) -> Done<Vec<u8>> {
    let (source, library) = (root.join("seed.rs"), root.join("seed.so"));
    fs::write(&source, SOURCE)?;
    let linker = ["-nostdlib", "-Wl,-z,noseparate-code", "-Wl,--build-id", "-Wl,--gc-sections"];
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort", "-Copt-level=1", "-Cdebuginfo=2"]);
    rustc.args(linker.map(|argument| format!("-Clink-arg={argument}")));
    rustc.arg(format!("-Clink-arg=-Wl,--compress-debug-sections={compression}"));
    rustc.arg(format!("--remap-path-prefix={}=/seed", root.display()));
    let status = rustc.current_dir(root).arg("-o").arg(&library).arg(&source).status()?;
    if !status.success() {
        return Err(format!("rustc ended with {status}").into());
    }
    let file = fs::read(&library)?;
    fs::remove_file(source)?;
    fs::remove_file(library)?;
    Ok(file)
}
