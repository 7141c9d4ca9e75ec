use crate::{Amount, Estimate, Figures, Loss, Metadata, SampleType};

/// The lines a profile carries for what the format has no field for.
///
/// They are written for people, and in a fixed form, so that a profile read back knows its provider and its
/// losses again.
pub(super) fn write(metadata: &Metadata, total: Figures) -> Vec<String> {
    let mut lines = Vec::new();
    if !metadata.comments.iter().any(|comment| comment.starts_with(VERSION)) {
        lines.push(format!("{VERSION}{}", env!("CARGO_PKG_VERSION")));
    }
    if let Some(provider) = &metadata.provider {
        lines.push(format!("{PROVIDER}{}", one_line(provider)));
    }
    match metadata.sample_interval {
        0 => {}
        1 => lines.push(format!("{INTERVAL}1 byte (every allocation)")),
        interval => lines.push(format!("{INTERVAL}{interval} bytes")),
    }
    if !metadata.live {
        lines.push(NO_LIVE.to_owned());
    }
    if SampleType::ALL.iter().any(|&sample_type| total.get(sample_type).variance > 0.0) {
        let figure = |sample_type: SampleType| {
            format!("{} {}", sample_type.name(), with_error(total.get(sample_type)))
        };
        lines.push(format!("{TOTAL}{}", SampleType::ALL.map(figure).join(", ")));
    }
    lines.extend(metadata.losses.iter().map(write_loss));
    lines.extend(metadata.comments.iter().cloned());
    lines
}

const VERSION: &str = "allometer ";
const PROVIDER: &str = "provider: ";
const INTERVAL: &str = "sample interval: ";
const NO_LIVE: &str = "live objects were not recorded";
/// What the line with the errors of the totals begins with.
pub(crate) const TOTAL: &str = "total, with standard errors: ";
const LOSS: &str = "not in the samples: ";

/// Takes the lines back apart: fills `metadata` and keeps, in order, the lines that say something else.
///
/// The line with the errors of the totals is such a one, unless the samples have errors from which they can be computed
/// again.
pub(super) fn read(lines: Vec<String>, samples_have_errors: bool, metadata: &mut Metadata) {
    for line in lines {
        if let Some(provider) = line.strip_prefix(PROVIDER) {
            metadata.provider = Some(provider.to_owned());
        } else if let Some(loss) = line.strip_prefix(LOSS).and_then(read_loss) {
            metadata.losses.push(loss);
        } else if line == NO_LIVE {
            metadata.live = false;
        } else if line.starts_with(INTERVAL) || (samples_have_errors && line.starts_with(TOTAL)) {
            // The interval is a field of the profile, and the totals follow from the samples.
        } else {
            // The version is among these: it stays that of the writer.
            metadata.comments.push(line);
        }
    }
}

/// `not in the samples: objects beyond the live bound: 12 events, 12 ± 3 objects, 4096 ± 200 bytes`
fn write_loss(loss: &Loss) -> String {
    let Amount { objects, bytes } = loss.amount;
    let (objects, bytes) = (with_error(objects), with_error(bytes));
    format!("{LOSS}{}: {} events, {objects} objects, {bytes} bytes", one_line(&loss.what), loss.events)
}

fn read_loss(text: &str) -> Option<Loss> {
    let (what, figures) = text.rsplit_once(": ")?;
    let (events, amount) = figures.split_once(" events, ")?;
    let (objects, bytes) = amount.strip_suffix(" bytes")?.split_once(" objects, ")?;
    Some(Loss {
        what: what.to_owned(),
        events: events.parse().ok()?,
        amount: Amount { objects: read_error(objects)?, bytes: read_error(bytes)? },
    })
}

fn with_error(estimate: Estimate) -> String {
    match Estimate::exact(estimate.standard_error()).rounded() {
        0 => estimate.rounded().to_string(),
        error => format!("{} ± {error}", estimate.rounded()),
    }
}

fn read_error(text: &str) -> Option<Estimate> {
    let (value, error) = text.split_once(" ± ").unwrap_or((text, "0"));
    let (value, error): (i64, i64) = (value.parse().ok()?, error.parse().ok()?);
    let error = error as f64;
    Some(Estimate { value: value as f64, variance: error * error })
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, error: f64) -> Estimate {
        Estimate { value, variance: error * error }
    }

    fn full() -> Metadata {
        let amount = Amount { objects: estimate(12.0, 3.0), bytes: estimate(4096.0, 200.0) };
        Metadata {
            sample_interval: 524_288,
            provider: Some("mimalloc".to_owned()),
            losses: vec![Loss { what: "beyond the bound: live".to_owned(), events: 4, amount }],
            comments: vec!["written by hand".to_owned()],
            ..Metadata::default()
        }
    }

    #[test]
    fn writes_a_line_for_each_remark() {
        let mut total = Figures::default();
        total.live.bytes = estimate(1000.4, 31.6);
        let version = format!("allometer {}", env!("CARGO_PKG_VERSION"));
        let expected = [
            &version,
            "provider: mimalloc",
            "sample interval: 524288 bytes",
            "live objects were not recorded",
            "total, with standard errors: alloc_objects 0, alloc_space 0, inuse_objects 0, inuse_space 1000 ± 32",
            "not in the samples: beyond the bound: live: 4 events, 12 ± 3 objects, 4096 ± 200 bytes",
            "written by hand",
        ];
        assert_eq!(write(&full(), total), expected);
    }

    #[test]
    fn reads_back_what_it_wrote_and_writes_it_again() {
        let lines = write(&full(), Figures::default());
        let mut read_back = Metadata { sample_interval: 524_288, live: true, ..Metadata::default() };
        read(lines.clone(), false, &mut read_back);
        assert_eq!(read_back.losses, full().losses);
        assert_eq!(read_back.provider, full().provider);
        assert!(!read_back.live);
        let mut again = write(&read_back, Figures::default());
        // The version is an ordinary line by now, and stands with the others of that kind.
        again.sort();
        let mut lines = lines;
        lines.sort();
        assert_eq!(again, lines);
    }

    #[test]
    fn keeps_lines_that_only_look_like_its_own() {
        let odd = "not in the samples: a: many events, 1 objects, 2 bytes";
        let mut metadata = Metadata::default();
        read(vec![odd.to_owned()], false, &mut metadata);
        assert!(metadata.losses.is_empty());
        assert_eq!(metadata.comments, [odd]);
    }
}
