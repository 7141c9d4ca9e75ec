//! The leak, found in the reports of the service: by a listing, by what grew, by name and tenant; and nobody else is blamed.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use allometer::{
    profile::{Profile, is_of_std},
    runner::{ReportFile, ReportFormat, ReportReason},
    views::{Basis, DiffBy, diff_by, timeline},
};

/// Far more than it takes: only what hangs is ended by it.
const PATIENCE: Duration = Duration::from_secs(120);

/// The service, and what is asked of it.
struct Service {
    child: Child,
    address: String,
    reports: PathBuf,
    agent: ureq::Agent,
}

impl Service {
    fn start(reports: &Path) -> Self {
        let words = format!(
            "dir:{},check:500ms,moved:30%,moved_floor:8MiB,interval:64KiB,period:off",
            reports.display()
        );
        let mut child = Command::new(env!("CARGO_BIN_EXE_shop"))
            .env("ALLOMETER", words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, address, reports: reports.to_owned(), agent: ureq::Agent::new_with_defaults() }
    }

    fn post(&self, path: &str) {
        self.agent.post(format!("http://{}{path}", self.address)).send_empty().unwrap();
    }

    /// So many requests of three tenants, for products that are mostly not in the cache.
    fn load(&self, requests: u64) {
        for number in 0..requests {
            let tenant = ["acme", "bolt", "cord"][(number % 3) as usize];
            let product = number * 7919 % 4096;
            let asked = self
                .agent
                .get(format!("http://{}/products/{product}", self.address))
                .header("x-tenant", tenant);
            let page = asked.call().unwrap().body_mut().read_to_string().unwrap();
            assert!(page.starts_with(&format!("{product}: ")), "{page}");
        }
    }

    /// The files of the reports that are there.
    fn files(&self) -> Vec<ReportFile> {
        let entries = fs::read_dir(&self.reports).unwrap().map(Result::unwrap);
        let parse = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
        let mut files: Vec<ReportFile> = entries.filter_map(parse).collect();
        files.sort_by_key(|file| file.name.time);
        files
    }

    /// Waits until the directory has what is looked for.
    fn wait_for(&self, what: &str, is_it: impl Fn(&ReportFile) -> bool) -> ReportFile {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(file) = self.files().into_iter().rfind(&is_it) {
                return file;
            }
            assert!(Instant::now() < end, "no {what}: {:?}", self.files());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// A report of now.
    fn report(&self) -> ReportFile {
        let before = self.files().last().map(|file| file.name.time);
        self.post("/report");
        self.wait_for("report that was asked for", |file| {
            file.format == ReportFormat::Pprof
                && file.name.reason == ReportReason::Request
                && Some(file.name.time) > before
        })
    }

    fn read(&self, file: &ReportFile) -> Profile {
        Profile::from_pprof(&fs::read(self.reports.join(file.to_string())).unwrap()).unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_reports_say_where_the_memory_went() {
    let reports = tempfile::tempdir().unwrap();
    let service = Service::start(reports.path());
    // The cache fills, and then replaces what it holds.
    service.load(3000);
    let warm = service.report();
    service.load(1500);
    let steady = service.report();

    service.post("/audit?on=true");
    // Some 47 MiB of it.
    service.load(1500);
    let grew = service.wait_for("report of what grew", |file| {
        file.name.reason == ReportReason::Grew
            && file.name.time > steady.name.time
            && file.format == ReportFormat::Pprof
    });
    let leaked = service.report();

    // A listing says when.
    let listing = timeline(service.files()).to_string();
    assert!(
        listing.contains("grew") && grew.name.live_bytes > steady.name.live_bytes + (8 << 20),
        "{listing}"
    );

    let [warm, steady, leaked] = [&warm, &steady, &leaked].map(|file| service.read(file));
    // Nothing is blamed while nothing leaks, though half of the cache was replaced.
    let calm = diff_by(&warm, &steady, DiffBy::Function);
    assert_eq!((calm.basis, &*calm.rows), (Basis::SharedSamples, &[][..]), "{calm}");

    // Where: one function, and how much.
    let by_function = diff_by(&steady, &leaked, DiffBy::Function);
    let [row] = &*by_function.rows else { panic!("{by_function}") };
    assert_eq!(row.place, "shop::audit::copy", "{by_function}");
    let leak = (1500 * (32 << 10)) as f64;
    let growth = row.growth.amount.bytes;
    assert!((growth.value - leak).abs() < 4.0 * growth.standard_error(), "{growth:?}");

    // On whose behalf: a third each.
    for tenant in ["acme", "bolt", "cord"] {
        let of_tenant = |profile: &Profile| -> f64 {
            let is_leak = |sample: &&allometer::profile::Sample| {
                sample.tag.as_deref() == Some(tenant) && owner(profile, sample) == "shop::audit::copy"
            };
            profile.samples.iter().filter(is_leak).map(|sample| sample.figures.live.bytes.value).sum()
        };
        let held = of_tenant(&leaked) - of_tenant(&steady);
        assert!((held / leak - 1.0 / 3.0).abs() < 0.1, "{tenant}: {held}");
    }

    // What the runner itself wrote down says the same.
    let text =
        fs::read_to_string(service.reports.join(grew.name.file(ReportFormat::Text).to_string())).unwrap();
    assert!(text.contains("shop::audit::copy"), "{text}");
}

/// The innermost function that is not of the standard library.
fn owner<'profile>(profile: &'profile Profile, sample: &allometer::profile::Sample) -> &'profile str {
    let locations = sample.stack.iter().filter_map(|&index| profile.location(index));
    let lines = locations.flat_map(|location| &location.lines);
    let mut names = lines.filter_map(|line| profile.function(line.function)).map(|function| &*function.name);
    names.find(|name| !is_of_std(name)).unwrap_or_default()
}
