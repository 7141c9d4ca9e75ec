//! Figures as the text that Prometheus reads.

use std::fmt::{Display, Write};

use allometer_core::MemoryUse;
use allometer_profile::{Amount, BoundLoss};

use crate::figures::{Figures, SessionFigures};

/// The figures in the exposition format of Prometheus, version 0.0.4.
pub(crate) fn text(figures: &Figures) -> String {
    let mut text = Metrics::default();
    text.gauge(
        "allometer_session_active",
        "Whether a session runs: 0 or 1",
        u8::from(figures.session.is_some()),
    );
    if let Some(session) = &figures.session {
        of_session(&mut text, session);
    }
    let memory = [
        ("resident", "What of the process is in memory, and of how much", figures.resident),
        (
            "control_group",
            "What the control group that is nearest to its limit uses, and its limit",
            figures.control_group,
        ),
    ];
    for (name, help, memory) in memory {
        let Some(MemoryUse { used, limit }) = memory else { continue };
        text.gauge(&format!("allometer_{name}_bytes"), help, used);
        text.gauge(&format!("allometer_{name}_limit_bytes"), help, limit);
    }
    text.0
}

fn of_session(text: &mut Metrics, SessionFigures { stats, amounts, metadata, .. }: &SessionFigures) {
    text.gauge("allometer_session_seconds", "Time since the session's start", metadata.elapsed.as_secs_f64());
    text.gauge(
        "allometer_sample_interval_bytes",
        "Mean number of requested bytes between two samples",
        metadata.sample_interval,
    );
    text.known("allometer_samples_total", "counter", "Requests that were sampled", stats.samples);
    text.known("allometer_sites", "gauge", "Distinct call stacks", stats.sites);
    text.known("allometer_tags", "gauge", "Distinct tags", stats.tags);
    text.known("allometer_live_samples", "gauge", "Sampled objects that are followed", stats.live_samples);
    text.known(
        "allometer_portable_stacks_total",
        "counter",
        "Samples whose stack was walked by the platform's unwinder",
        stats.portable_stacks,
    );
    text.known(
        "allometer_lost_frames_total",
        "counter",
        "Frames in libraries beyond the bound",
        stats.lost_frames,
    );
    text.counter("allometer_giant_requests_total", "Requests above the limit", stats.giants);
    text.counter(
        "allometer_refused_giant_requests_total",
        "Requests above the limit that were refused",
        stats.refused_giants,
    );
    text.counter(
        "allometer_allocated_objects_total",
        "Objects allocated since the session's start: an estimate",
        amounts.alloc.objects.value.max(0.0),
    );
    text.counter(
        "allometer_allocated_bytes_total",
        "Bytes requested since the session's start: an estimate",
        amounts.alloc.bytes.value.max(0.0),
    );
    if metadata.live {
        let Amount { objects, bytes } = amounts.live;
        text.gauge(
            "allometer_live_objects",
            "Objects allocated in the session and not freed yet: an estimate",
            objects.value.max(0.0),
        );
        text.gauge("allometer_live_bytes", "Their requested bytes: an estimate", bytes.value.max(0.0));
        text.gauge(
            "allometer_live_bytes_standard_error",
            "The standard error of allometer_live_bytes",
            bytes.standard_error(),
        );
    }
    if !stats.losses.is_empty() {
        of_losses(text, &stats.losses);
    }
    if let Some(provider) = &metadata.provider {
        text.labelled(
            "allometer_provider_info",
            "gauge",
            "The allocator that is sampled",
            "provider",
            [(&**provider, 1)],
        );
    }
    if !metadata.provider_figures.is_empty() {
        let figures = metadata.provider_figures.iter().map(|figure| (&*figure.name, figure.bytes));
        text.labelled(
            "allometer_provider_bytes",
            "gauge",
            "What the allocator says of itself, of the whole process",
            "figure",
            figures,
        );
    }
}

fn of_losses(text: &mut Metrics, losses: &[BoundLoss]) {
    text.labelled(
        "allometer_lost_samples_total",
        "counter",
        "Samples that a bound cost something of",
        "bound",
        losses.iter().map(|loss| (loss.bound, loss.samples)),
    );
    text.labelled(
        "allometer_lost_bytes_total",
        "counter",
        "What these samples stand for: an estimate",
        "bound",
        losses.iter().map(|loss| (loss.bound, loss.bytes)),
    );
}

#[derive(Default)]
struct Metrics(String);

impl Metrics {
    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.known(name, "gauge", help, Some(value));
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.known(name, "counter", help, Some(value));
    }

    /// Nothing, where the value is not known.
    fn known(&mut self, name: &str, kind: &str, help: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.head(name, kind, help);
            let _ = writeln!(self.0, "{name} {value}");
        }
    }

    /// A line for each value of a label.
    fn labelled<'a, V: Display>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (&'a str, V)>,
    ) {
        self.head(name, kind, help);
        for (text, value) in values {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = writeln!(self.0, "{name}{{{label}=\"{text}\"}} {value}");
        }
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_numbers_plain() {
        let mut metrics = Metrics::default();
        metrics.labelled("a_bytes", "gauge", "Help", "figure", [("x\"\\\n", 1.5), ("y", 3e15)]);
        let expected = "# HELP a_bytes Help\n# TYPE a_bytes gauge\na_bytes{figure=\"x\\\"\\\\\\n\"} 1.5\na_bytes{figure=\"y\"} 3000000000000000\n";
        assert_eq!(metrics.0, expected);
    }

    #[test]
    fn without_a_session_there_are_the_figures_of_the_process() {
        let memory = Some(MemoryUse { used: 7, limit: 9 });
        let text = text(&Figures { session: None, resident: memory, control_group: None });
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let expected =
            ["allometer_session_active 0", "allometer_resident_bytes 7", "allometer_resident_limit_bytes 9"];
        assert_eq!(lines, expected);
    }
}
