//! The leak, found in the reports of the service: by a listing, by what grew, by name and tenant; and nobody else is blamed.

mod service;

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use allometer::{
    profile::Profile,
    runner::{ReportFile, ReportFormat, ReportReason},
    views::{Basis, DiffBy, diff_by, timeline},
};
use service::{Service, owner};

/// Far more than it takes: only what hangs is ended by it.
const PATIENCE: Duration = Duration::from_secs(120);

/// The service, and the directory of its reports.
struct Reporting {
    service: Service,
    reports: PathBuf,
}

impl Reporting {
    fn start(reports: &Path) -> Self {
        let words = format!(
            "dir:{},check:500ms,moved:30%,moved_floor:8MiB,interval:64KiB,period:off",
            reports.display()
        );
        Self { service: Service::start(&words), reports: reports.to_owned() }
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
        self.service.post("/report");
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

#[test]
fn the_reports_say_where_the_memory_went() {
    let reports = tempfile::tempdir().unwrap();
    let shop = Reporting::start(reports.path());
    // The cache fills, and then replaces what it holds.
    shop.service.load(3000);
    let warm = shop.report();
    shop.service.load(1500);
    let steady = shop.report();

    shop.service.post("/audit?on=true");
    // Some 47 MiB of it.
    shop.service.load(1500);
    let grew = shop.wait_for("report of what grew", |file| {
        file.name.reason == ReportReason::Grew
            && file.name.time > steady.name.time
            && file.format == ReportFormat::Pprof
    });
    let leaked = shop.report();

    // A listing says when.
    let listing = timeline(shop.files()).to_string();
    assert!(
        listing.contains("grew") && grew.name.live_bytes > steady.name.live_bytes + (8 << 20),
        "{listing}"
    );

    let [warm, steady, leaked] = [&warm, &steady, &leaked].map(|file| shop.read(file));
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
    let text = fs::read_to_string(shop.reports.join(grew.name.file(ReportFormat::Text).to_string())).unwrap();
    assert!(text.contains("shop::audit::copy"), "{text}");
}
