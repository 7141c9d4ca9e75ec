use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::{Amount, Estimate, Figures, LiveObject, Loss, Metadata};

/// A program that is loaded at `base`, with two functions.
fn profile(base: u64, samples: &[(&[u32], Option<&str>, f64)]) -> Profile {
    let function = |name: &str| Function { name: name.to_owned(), ..Function::default() };
    let location = |at, function| Location {
        address: Some(ReturnAddress::new(base + at)),
        mapping: Some(MappingIndex(0)),
        lines: vec![Line { function: FunctionIndex(function), line: 7 }],
    };
    let sample = |&(stack, tag, bytes): &(&[u32], Option<&str>, f64)| {
        let estimate = |value| Estimate { value, variance: value };
        let live = Amount { objects: estimate(1.0), bytes: estimate(bytes) };
        Sample {
            stack: stack.iter().copied().map(LocationIndex).collect(),
            tag: tag.map(Into::into),
            figures: Figures { alloc: live + live, live },
            live_objects: vec![LiveObject { birth: Duration::ZERO, size: 1, amount: live }],
            slack: Some(estimate(4.0)),
            ..Sample::default()
        }
    };
    Profile {
        metadata: Metadata {
            start: UNIX_EPOCH.checked_add(Duration::from_secs(base)),
            duration: Duration::from_secs(5),
            session: Some(3),
            sample_interval: 4096,
            provider: Some("system".to_owned()),
            live: true,
            losses: vec![Loss { what: "full".to_owned(), events: 2, amount: Amount::default() }],
            comments: vec!["a remark".to_owned(), format!("{}inuse_space 9 ± 3", crate::pprof::TOTAL)],
            ..Metadata::default()
        },
        mappings: vec![Mapping {
            start: base,
            limit: base + 0x1000,
            path: format!("/srv/{base}/shop"),
            build_id: Some("ab01".to_owned()),
            ..Mapping::default()
        }],
        functions: ["main", "cart"].map(function).to_vec(),
        locations: vec![location(0x10, 0), location(0x20, 1)],
        samples: samples.iter().map(sample).collect(),
    }
}

fn shown(profile: &Profile) -> Vec<(Vec<u32>, Option<&str>, f64)> {
    let sample = |sample: &'_ Sample| sample.stack.iter().map(|index| index.0).collect();
    profile
        .samples
        .iter()
        .map(|each| (sample(each), each.tag.as_deref(), each.figures.live.bytes.value))
        .collect()
}

#[test]
fn the_same_code_elsewhere_is_the_same_stack() {
    let one = profile(0x1000, &[(&[1, 0], None, 8.0), (&[0], Some("a"), 1.0)]);
    let other = profile(0x7000, &[(&[1, 0], None, 16.0), (&[1, 0], Some("a"), 32.0), (&[0], Some("a"), 2.0)]);
    let merged = Profile::merge([one.clone(), other]);
    assert_eq!(
        shown(&merged),
        [(vec![1, 0], None, 24.0), (vec![0], Some("a"), 3.0), (vec![1, 0], Some("a"), 32.0)]
    );
    assert_eq!((&merged.mappings, &merged.functions), (&one.mappings, &one.functions));
    assert_eq!(merged.locations, one.locations);
    assert_eq!(merged.samples[0].figures.live.bytes, Estimate { value: 24.0, variance: 24.0 });
    assert_eq!(merged.samples[0].slack, Some(Estimate { value: 8.0, variance: 8.0 }));
    assert_eq!(merged.total().alloc.bytes.value, 2.0 * 59.0);
    assert!(merged.samples.iter().all(|sample| sample.live_objects.is_empty()));
}

#[test]
fn other_code_is_another_stack() {
    let one = profile(0x1000, &[(&[1, 0], None, 8.0)]);
    let mut other = profile(0x7000, &[(&[1, 0], None, 16.0)]);
    other.mappings[0].build_id = Some("cd02".to_owned());
    let merged = Profile::merge([one.clone(), other.clone()]);
    assert_eq!(shown(&merged), [(vec![1, 0], None, 8.0), (vec![3, 2], None, 16.0)]);
    assert_eq!((merged.mappings.len(), merged.functions.len()), (2, 2));

    // Without build ids the paths count, and without those the addresses.
    let mut both = [one, other];
    both.iter_mut().for_each(|profile| profile.mappings[0].build_id = None);
    assert_eq!(Profile::merge(both.clone()).mappings.len(), 2);
    both.iter_mut().for_each(|profile| profile.mappings[0].path = "/srv/shop".to_owned());
    assert_eq!(shown(&Profile::merge(both.clone())), [(vec![1, 0], None, 24.0)]);
    both.iter_mut().for_each(|profile| profile.mappings[0].path = String::new());
    assert_eq!(Profile::merge(both).mappings.len(), 2);
}

#[test]
fn a_name_that_only_one_has_makes_another_place() {
    let named = profile(0x1000, &[(&[0], None, 8.0)]);
    let mut nameless = named.clone();
    nameless.locations.iter_mut().for_each(|location| location.lines.clear());
    let merged = Profile::merge([named, nameless]);
    assert_eq!(shown(&merged), [(vec![0], None, 8.0), (vec![2], None, 8.0)]);
}

#[test]
fn metadata_says_what_they_have_in_common() {
    let merged = Profile::merge([profile(0x7000, &[]), profile(0x1000, &[])]).metadata;
    let first = profile(0x1000, &[]).metadata;
    let expected = Metadata {
        duration: Duration::from_secs(10),
        session: None,
        losses: vec![Loss { what: "full".to_owned(), events: 4, amount: Amount::default() }],
        comments: vec!["a remark".to_owned()],
        ..first
    };
    assert_eq!(merged, expected);
}

#[test]
fn metadata_says_where_they_differ() {
    let one = profile(0x1000, &[]);
    let mut other = profile(0x7000, &[]);
    other.metadata = Metadata { sample_interval: 0, provider: None, live: false, ..other.metadata };
    let merged = Profile::merge([one, other]).metadata;
    assert_eq!((merged.sample_interval, merged.provider, merged.live), (0, None, true));
    let expected = [
        "merged from profiles of different sample intervals: unknown, 4096 bytes",
        "merged from profiles of different allocators: unknown, system",
        "merged: live objects were not recorded in 1 of 2 profiles",
        "a remark",
    ];
    assert_eq!(merged.comments, expected);
}

#[test]
fn indexes_outside_their_table_are_left_out() {
    let mut odd = profile(0x1000, &[(&[1, 9, 0], None, 8.0)]);
    odd.locations[0].lines[0].function = FunctionIndex(9);
    odd.locations[1].mapping = Some(MappingIndex(9));
    let merged = Profile::merge([odd.clone(), odd]);
    assert_eq!(shown(&merged), [(vec![1, 0], None, 16.0)]);
    assert_eq!((merged.locations[0].lines.len(), merged.locations[1].mapping), (0, None));
    assert_eq!(Profile::merge([]), Profile::default());
}
