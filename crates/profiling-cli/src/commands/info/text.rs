use std::time::SystemTime;

use allometer_profile::{Estimate, Mapping, Profile, SampleType};
use allometer_views::quantity::{bytes, bytes_with_error, count, objects, time as length};
use allometer_views::{gap, printable};
use jiff::Timestamp;

use super::{Counted, Recorded};

/// What a profile is, in lines.
pub(super) fn of(profile: &Profile, name: &str, counted: &Counted, recorded: &Recorded) -> String {
    let mut lines = vec![printable(name).into_owned()];
    let mut row = |title: &str, text: String| lines.push(format!("  {title:<14}{text}"));
    let metadata = &profile.metadata;
    row(
        "kind",
        if metadata.live { "live heap" } else { "allocations; live objects were not recorded" }.to_owned(),
    );
    row("interval", interval(metadata.sample_interval));
    row("allocator", metadata.provider.as_deref().map_or("not known".into(), printable).into_owned());
    row("start", metadata.start.map_or("not known".to_owned(), time));
    if !metadata.duration.is_zero() {
        row("duration", format!("{:.1} s", metadata.duration.as_secs_f64()));
    }
    if metadata.session.is_some() && metadata.elapsed != metadata.duration {
        row("session", format!("{} old at the end", length(metadata.elapsed)));
    }
    let number = |number: usize| count(number as f64);
    row("samples", format!("{} of {} stacks", number(counted.samples), number(counted.stacks)));
    if counted.tags > 0 {
        row("tags", number(counted.tags));
    }
    let nameless = if counted.without_name > 0 {
        format!(" ({} without a name)", number(counted.without_name))
    } else {
        String::new()
    };
    row(
        "functions",
        format!("{} at {} locations{nameless}", number(counted.functions), number(counted.locations)),
    );

    if metadata.live {
        let objects = if recorded.live_objects > 0 {
            format!("{} of them in the file, each with its age", samples(recorded.live_objects))
        } else {
            "their samples are not in the file".to_owned()
        };
        row("live objects", objects);
    }
    if let Some((at, amount)) = recorded.peak {
        row("peak", format!("{}, {} after the start", bytes_with_error(amount.bytes), length(at)));
    }
    if let Some(median) = recorded.lifetimes.quantile(0.5) {
        let freed = objects(recorded.lifetimes.total());
        row("lifetimes", format!("of {freed} that were freed, median {}", length(median)));
    }

    lines.push("totals".to_owned());
    let total = profile.with_assumed_errors().total();
    for sample_type in SampleType::ALL {
        lines.push(format!("  {:<14}{}", sample_type.name(), figure(sample_type, total.get(sample_type))));
    }
    // Some writers list each segment of a file, and not the one alone that is code.
    let mut mappings: Vec<String> = profile.mappings.iter().map(mapping).collect();
    mappings.dedup();
    section(&mut lines, "mappings", mappings.into_iter());
    let figures = metadata.provider_figures.iter();
    section(
        &mut lines,
        "what the allocator says of itself, in usable sizes",
        figures.map(|figure| format!("  {:<14}{}", printable(&figure.name), bytes(figure.bytes as f64))),
    );
    if let Some(gap) = gap(profile) {
        lines.push("where the memory is".to_owned());
        lines.extend(gap.to_string().lines().map(str::to_owned));
    }
    let lost = metadata.losses.iter().map(|loss| {
        let (events, amount) = (count(loss.events as f64), loss.amount);
        let (lost_objects, lost_bytes) = (objects(amount.objects.value), bytes_with_error(amount.bytes));
        format!("  {}: {events} events, {lost_objects}, {lost_bytes}", printable(&loss.what))
    });
    section(&mut lines, "not in the samples", lost);
    section(
        &mut lines,
        "comments",
        metadata.comments.iter().map(|comment| format!("  {}", printable(comment))),
    );
    lines.push(String::new());
    lines.join("\n")
}

/// `1 sample`, `2 samples`.
fn samples(number: usize) -> String {
    format!("{} {}", count(number as f64), if number == 1 { "sample" } else { "samples" })
}

fn section(lines: &mut Vec<String>, title: &str, more: impl Iterator<Item = String>) {
    let mut more = more.peekable();
    if more.peek().is_some() {
        lines.push(title.to_owned());
        lines.extend(more);
    }
}

fn interval(interval: u64) -> String {
    match interval {
        0 => "not known".to_owned(),
        1 => "every allocation".to_owned(),
        interval => format!("one sample in {}", bytes(interval as f64)),
    }
}

/// In the form of RFC 3339. A profile's time is between 1970 and 2262.
pub(super) fn time(time: SystemTime) -> String {
    Timestamp::try_from(time).map(|time| format!("{time:.0}")).unwrap_or_default()
}

fn figure(sample_type: SampleType, estimate: Estimate) -> String {
    match sample_type {
        SampleType::AllocBytes | SampleType::LiveBytes => bytes_with_error(estimate),
        SampleType::AllocObjects | SampleType::LiveObjects => {
            let error = estimate.standard_error();
            let error = if error > 0.0 { format!(" ± {}", count(error)) } else { String::new() };
            format!("{}{error}", count(estimate.value))
        }
    }
}

/// `/usr/bin/shop  1234abcd  functions, files, lines`.
fn mapping(mapping: &Mapping) -> String {
    let symbols = mapping.symbols;
    let found = [
        (symbols.functions, "functions"),
        (symbols.files, "files"),
        (symbols.lines, "lines"),
        (symbols.inlines, "inlined functions"),
    ];
    let found: Vec<&str> =
        found.into_iter().filter(|(is_found, _)| *is_found).map(|(_, what)| what).collect();
    let found = if found.is_empty() { "no names".to_owned() } else { found.join(", ") };
    let build_id = mapping.build_id.as_deref().map_or("no build id".into(), printable);
    let path = if mapping.path.is_empty() { "[no file]".into() } else { printable(&mapping.path) };
    format!("  {path}  {build_id}  {found}")
}
