use std::time::Duration;

use allometer_profile::Metadata;
use allometer_views::printable;
use allometer_views::quantity::{bytes, bytes_with_error, count, objects, signed, time};
use jiff::fmt::friendly::SpanPrinter;
use ratatui::text::{Line, Span};

use super::Palette;
use crate::live::change::{Change, Elapsed, Rate};
use crate::live::feed::Reading;
use crate::live::state::State;

/// What stands at the top: what is followed, the heap now, what is allocated, what is missing.
pub(super) fn lines(state: &State, palette: Palette) -> Vec<Line<'static>> {
    let readings = if state.readings == 1 { "reading" } else { "readings" };
    let mut title = vec![
        Span::styled(state.source.clone(), palette.title()),
        Span::raw(format!(
            "  {} {readings}, every {}",
            count(state.readings as f64),
            SpanPrinter::new().unsigned_duration_to_string(&state.every)
        )),
    ];
    if state.is_paused {
        title.push(Span::styled("  paused", palette.trouble()));
    }
    let mut lines = vec![Line::from(title)];
    if let Some(reading) = &state.reading {
        lines.extend(of(state, reading).into_iter().map(Line::raw));
        if let Some(lost) = lost(&reading.profile.metadata) {
            lines.push(Line::styled(lost, palette.trouble()));
        }
    }
    lines
}

fn of(state: &State, reading: &Reading) -> Vec<String> {
    let total = reading.top.total;
    let mut lines = Vec::new();
    if reading.profile.metadata.live {
        let growth = growth(&reading.change).map_or(String::new(), |growth| format!("   {growth}"));
        let live = total.live;
        lines.push(format!(
            "live       {} in {}{growth}",
            bytes_with_error(live.bytes),
            objects(live.objects.value)
        ));
    }
    let alloc = total.alloc;
    lines.push(format!("allocated  {} in {}", bytes_with_error(alloc.bytes), objects(alloc.objects.value)));
    let lately = match reading.change.rate {
        Rate::Known(rate) => format!("{} a second", bytes_with_error(rate)),
        Rate::NotYet => "known after the next reading".to_owned(),
        Rate::Same => "the same profile as before".to_owned(),
        Rate::Unknown => "not known".to_owned(),
    };
    // One interval alone is its own mean.
    let is_mean =
        |seconds: f64| !matches!(reading.change.time, Elapsed::After(last) if last.as_secs_f64() >= seconds);
    let mean = state.history.rate().filter(|(_, seconds)| is_mean(*seconds)).and_then(|(rate, seconds)| {
        let seconds = Duration::try_from_secs_f64(seconds).ok()?;
        Some(format!("; mean of {}: {}", time(seconds), bytes_with_error(rate)))
    });
    lines.push(format!("rate       {lately}{}", mean.unwrap_or_default()));
    lines.push(made(&reading.profile.metadata));
    lines
}

/// `+1.2 MiB ± 0.1 in 2.0 s`.
fn growth(change: &Change) -> Option<String> {
    let within = match change.time {
        Elapsed::Begin | Elapsed::Same => return None,
        Elapsed::After(elapsed) => format!("in {}", time(elapsed)),
        Elapsed::Unknown => "since the last reading".to_owned(),
    };
    let growth = change.growth.bytes;
    Some(format!("{} {within}", signed(growth.value, &bytes_with_error(growth))))
}

/// How the profile was made, as far as it says so.
fn made(metadata: &Metadata) -> String {
    let interval = match metadata.sample_interval {
        0 => "interval not known".to_owned(),
        1 => "every allocation".to_owned(),
        interval => format!("± one standard error, one sample in {}", bytes(interval as f64)),
    };
    let provider = metadata.provider.as_deref().map(|name| format!(", {}", printable(name)));
    let age = if metadata.session.is_some() { metadata.elapsed } else { metadata.duration };
    let age = (age > Duration::ZERO).then(|| format!(", after {}", time(age)));
    format!("{interval}{}{}", provider.unwrap_or_default(), age.unwrap_or_default())
}

fn lost(metadata: &Metadata) -> Option<String> {
    let what: Vec<String> = metadata
        .losses
        .iter()
        .map(|loss| format!("{} ({})", printable(&loss.what), bytes(loss.amount.bytes.value)))
        .collect();
    (!what.is_empty()).then(|| format!("not in the samples: {}", what.join(", ")))
}
