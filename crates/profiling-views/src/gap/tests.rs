//! Which rows there are by what is known, and that they add up.

use super::*;
use allometer_profile::ProviderFigure;

const LIVE: Estimate = Estimate { value: 500.0, variance: 900.0 };
const SLACK: Estimate = Estimate { value: 50.0, variance: 16.0 };

fn metadata(figures: &[(&str, u64)], resident: Option<u64>) -> Metadata {
    let figure = |&(name, bytes): &(&str, u64)| ProviderFigure { name: name.to_owned(), bytes };
    let provider_figures = figures.iter().map(figure).collect();
    Metadata { live: true, provider_figures, resident, ..Metadata::default() }
}

/// The rows, after a look at their sum.
fn rows(gap: &Gap) -> Vec<(&'static str, f64)> {
    let sum: f64 = gap.rows.iter().map(|row| row.bytes.value).sum();
    assert_eq!(sum, gap.total as f64);
    gap.rows.iter().map(|row| (row.part.name(), row.bytes.value)).collect()
}

const JEMALLOC: [(&str, u64); 5] =
    [("allocated", 600), ("active", 900), ("resident", 1400), ("retained", 4096), ("metadata", 200)];

#[test]
fn an_allocator_that_knows_all_has_a_row_for_each() {
    let gap = gap_of(&metadata(&JEMALLOC, Some(2000)), LIVE, Some(SLACK)).unwrap();
    let expected = [
        ("live", 500.0),
        ("slack", 50.0),
        ("unprofiled", 50.0),
        ("fragmentation", 300.0),
        ("free_pages", 300.0),
        ("records", 200.0),
        ("outside", 600.0),
    ];
    assert_eq!(rows(&gap), expected);
    assert_eq!((gap.fragmentation, gap.retained, gap.is_resident), (Some(1.5), Some(4096), true));
    let errors: Vec<f64> = gap.rows.iter().map(|row| row.bytes.standard_error()).collect();
    assert_eq!(errors, [30.0, 4.0, 34.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn what_is_not_known_is_with_its_neighbour() {
    let of = |figures: &[(&str, u64)], resident, slack| {
        gap_of(&metadata(figures, resident), LIVE, slack).map(|gap| rows(&gap))
    };
    let system = [("allocated", 600), ("committed", 1000)];
    let expected =
        [("live", 500.0), ("slack_and_unprofiled", 100.0), ("free_and_records", 400.0), ("outside", 500.0)];
    assert_eq!(of(&system, Some(1500), None).unwrap(), expected);
    let expected = [("live", 500.0), ("slack", 50.0), ("rest_of_allocator", 450.0), ("outside", 500.0)];
    assert_eq!(of(&[("committed", 1000)], Some(1500), Some(SLACK)).unwrap(), expected);
    let expected = [("live", 500.0), ("slack", 50.0), ("rest", 950.0)];
    assert_eq!(of(&[], Some(1500), Some(SLACK)).unwrap(), expected);
    // Records that are counted in pages in use, too.
    let overlapping = [("allocated", 600), ("active", 900), ("resident", 1000), ("metadata", 200)];
    let expected = [("blocks", 600.0), ("fragmentation", 300.0), ("free_pages_and_records", 100.0)];
    let without_live = Metadata { live: false, ..metadata(&overlapping, None) };
    assert_eq!(rows(&gap_of(&without_live, Estimate::default(), None).unwrap()), expected);
    // Without the system, what the allocator has is explained.
    let expected = [("live", 500.0), ("slack", 50.0), ("rest_of_allocator", 450.0)];
    assert_eq!(of(&[("committed", 1000)], None, Some(SLACK)).unwrap(), expected);
    assert_eq!(of(&[], None, Some(SLACK)), None);
    // Without live objects, blocks are.
    let metadata = Metadata { live: false, ..metadata(&JEMALLOC, None) };
    let gap = gap_of(&metadata, Estimate::default(), None).unwrap();
    assert_eq!(rows(&gap)[0], ("blocks", 600.0));
}

#[test]
fn less_than_nothing_is_shown_as_what_it_is() {
    let committed = [("committed", 4000)];
    let gap = gap_of(&metadata(&committed, Some(1000)), LIVE, Some(SLACK)).unwrap();
    let last = gap.rows.last().unwrap();
    assert_eq!((last.part, last.bytes.value), (GapPart::Absent, -3000.0));
    assert!(last.meaning().starts_with("Taken off"));
    assert_eq!(gap.total, 1000);
    let gap = gap_of(&metadata(&[("allocated", 510), ("committed", 600)], None), LIVE, Some(SLACK)).unwrap();
    let unprofiled = gap.rows[2];
    assert_eq!((unprofiled.part, unprofiled.bytes.value), (GapPart::Unprofiled, -40.0));
    assert!(unprofiled.meaning().starts_with("Less than nothing"));
    rows(&gap);
}

#[test]
fn as_text() {
    let gap = gap_of(&metadata(&JEMALLOC, Some(2000)), LIVE, Some(SLACK)).unwrap();
    let text = gap.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "  live, as requested                        500 B ± 30   25.0%");
    assert_eq!(lines[1], "    What the program holds. The profile says where it was allocated.");
    assert_eq!(lines[14], "  in memory                                    2.0 KiB");
    assert_eq!(lines[15], "  pages in use are 1.50 times what is in blocks");
    assert_eq!(lines[16], "  4.0 KiB more of addresses are kept, with no memory behind them");
    assert_eq!(lines.len(), 17);
}
