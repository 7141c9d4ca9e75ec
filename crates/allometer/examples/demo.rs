//! A real program under the profiler: parses every Rust source below a directory on several threads,
//! keeps two of three syntax trees, and shows where its heap comes from.
//!
//! `cargo demo [DIR]`, without DIR the current directory. It prints the functions that hold most, then
//! the allocator's own figures and where the memory is, and writes below `target/demo/`: `heap.pb.gz`, the heap at the end;
//! `before.pb.gz`, the heap half-way; `heap.svg`, the flamegraph of the end; `heap.html`, a page about the end and what
//! changed since half-way.

use std::{
    env,
    error::Error,
    fmt::{self, Write as _},
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    thread,
};

use allometer::{
    Config, MemoryUse, Profiler, SamplingAllocator, Snapshot,
    mimalloc::Mimalloc,
    profile::{Profile, ProviderFigure},
    views::{self, FlamegraphOptions, HtmlOptions},
};

#[global_allocator]
static ALLOC: SamplingAllocator<Mimalloc> = SamplingAllocator::new();

/// Mean requested bytes between two samples. The default is for services and much larger; this program may
/// be done in a moment and should still show details.
const SAMPLE_INTERVAL: u64 = 16 * 1024;
/// How many functions are printed.
const SHOWN: usize = 20;
/// Deeply nested sources need a deep stack.
const STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    let directory = env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let sources = match sources_below(&directory) {
        Ok(sources) => sources,
        Err(error) => {
            eprintln!("demo: {error}");
            return ExitCode::from(2);
        }
    };
    match profile(&sources) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why there is nothing to parse.
#[derive(Debug)]
enum Unusable {
    Unreadable(walkdir::Error),
    NoSource(PathBuf),
}

impl Error for Unusable {}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "{error}"),
            Self::NoSource(directory) => write!(f, "no Rust source below {}", directory.display()),
        }
    }
}

/// Every Rust source below `directory`, but not in hidden directories and build output.
fn sources_below(directory: &Path) -> Result<Vec<PathBuf>, Unusable> {
    let mut sources = Vec::new();
    let entries = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter();
    let is_wanted = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name.starts_with('.') || name == "target")
    };
    for entry in entries.filter_entry(is_wanted) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.depth() == 0 => return Err(Unusable::Unreadable(error)),
            Err(error) => {
                eprintln!("demo: skipped: {error}");
                continue;
            }
        };
        if entry.file_type().is_file() && entry.path().extension().is_some_and(|it| it == "rs") {
            sources.push(entry.into_path());
        }
    }
    if sources.is_empty() { Err(Unusable::NoSource(directory.to_owned())) } else { Ok(sources) }
}

/// Parses the sources under a session, prints what it saw and writes the profiles.
fn profile(sources: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let mut profiler = Profiler::start(Config::default().sample_interval(SAMPLE_INTERVAL).lifetimes(true))?;
    let work = parse_all(sources, &profiler)?;

    let before = work.before.profile();
    let mut after = work.after.profile();
    after.metadata.provider_figures = work.figures;
    after.metadata.resident = work.resident.map(|memory| memory.used);
    let mut report = format!("{}\n", views::top(&after, SHOWN));
    writeln!(report, "parsed {} of {} sources, kept {} trees\n", work.parsed, sources.len(), work.kept)?;
    report_provider(&mut report, &after)?;
    if let Some(gap) = views::gap(&after) {
        writeln!(report, "where the memory is:\n{gap}")?;
    }

    let directory = output_directory();
    fs::create_dir_all(&directory)?;
    let options = FlamegraphOptions { title: "Live heap of the demo".into(), ..Default::default() };
    let page = HtmlOptions { title: "Heap of the demo".into(), before: Some(&before) };
    let files = [
        ("heap.pb.gz", after.to_pprof_gzip()),
        ("before.pb.gz", before.to_pprof_gzip()),
        ("heap.svg", views::flamegraph(&after, &options)?.into_bytes()),
        ("heap.html", views::html(&after, &page).into_bytes()),
    ];
    for (name, bytes) in files {
        let path = directory.join(name);
        fs::write(&path, &bytes)?;
        writeln!(report, "wrote {} ({} bytes)", path.display(), bytes.len())?;
    }
    profiler.stop();
    match io::stdout().write_all(report.as_bytes()) {
        // Who reads only the first lines has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// What the threads did, and the heap while they did it.
struct Work {
    parsed: usize,
    kept: usize,
    before: Snapshot,
    after: Snapshot,
    /// What the allocator and the system said at the same moment.
    figures: Vec<ProviderFigure>,
    resident: Option<MemoryUse>,
}

/// What became of one source.
enum Outcome {
    Kept,
    Dropped,
    Unparsed,
}

/// Parses on as many threads as there are processors. The first snapshot is taken half-way, beside
/// them; the second when all have parsed and still hold their trees.
fn parse_all(sources: &[PathBuf], profiler: &Profiler) -> Result<Work, Box<dyn Error>> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let trees_are_needed = RwLock::new(());
    thread::scope(|scope| {
        // The threads wait for it, however this function ends.
        let needed = trees_are_needed.write().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..thread::available_parallelism()?.get().max(2) {
            let (sender, next, trees_are_needed) = (sender.clone(), &next, &trees_are_needed);
            thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || {
                let trees = parse_some(sources, next, &sender);
                drop(sender);
                let _released = trees_are_needed.read();
                drop(trees);
            })?;
        }
        drop(sender);

        let (mut parsed, mut kept, mut before) = (0, 0, None);
        for (done, outcome) in receiver.iter().enumerate() {
            parsed += usize::from(!matches!(outcome, Outcome::Unparsed));
            kept += usize::from(matches!(outcome, Outcome::Kept));
            if done >= sources.len() / 2 && before.is_none() {
                before = Some(profiler.snapshot()?);
            }
        }
        let after = profiler.snapshot()?;
        let (figures, resident) = (profiler.provider_figures()?, MemoryUse::resident());
        drop(needed);
        let before = before.ok_or("every thread ended before half of the sources were parsed")?;
        Ok(Work { parsed, kept, before, after, figures, resident })
    })
}

/// One thread's part: takes the next source until there is none, and keeps two trees of three.
fn parse_some(sources: &[PathBuf], next: &AtomicUsize, sender: &mpsc::Sender<Outcome>) -> Vec<syn::File> {
    let mut trees = Vec::new();
    loop {
        let index = next.fetch_add(1, Relaxed);
        let Some(path) = sources.get(index) else { return trees };
        let outcome = match parse(path) {
            Some(tree) if index % 3 != 2 => {
                trees.push(tree);
                Outcome::Kept
            }
            Some(_) => Outcome::Dropped,
            None => Outcome::Unparsed,
        };
        if sender.send(outcome).is_err() {
            return trees;
        }
    }
}

/// The syntax tree of a file; none when it is no Rust that `syn` knows, as templates and tests for
/// compilers may be.
fn parse(path: &Path) -> Option<syn::File> {
    syn::parse_file(&fs::read_to_string(path).ok()?).ok()
}

/// What the allocator knows about itself.
fn report_provider(report: &mut String, profile: &Profile) -> fmt::Result {
    writeln!(
        report,
        "{} says of the whole process:",
        profile.metadata.provider.as_deref().unwrap_or_default()
    )?;
    for ProviderFigure { name, bytes } in &profile.metadata.provider_figures {
        writeln!(report, "  {name:<12}{:>8.1} MiB", *bytes as f64 / f64::from(1 << 20))?;
    }
    writeln!(report)
}

/// `target/demo`, or the same below the directory that cargo was told to build in.
fn output_directory() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from).join("demo")
}
