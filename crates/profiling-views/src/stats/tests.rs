use std::time::Duration;

use super::*;
use allometer_profile::{Estimate, LiveObject, Loss, ProfileBuilder, ProviderFigure, RawFrame, Symbolizer};

fn amount(objects: f64, bytes: f64) -> Amount {
    Amount { objects: Estimate::exact(objects), bytes: Estimate::exact(bytes) }
}

fn figures(alloc: Amount, live: Amount) -> Figures {
    Figures { alloc, live }
}

/// A shop that counts every allocation: a cache that stays, and baskets of two tenants that go.
fn shop() -> Profile {
    let mut sizes = vec![0.0; 13];
    (sizes[7], sizes[8], sizes[12]) = (6000.0, 14.0, 2000.0);
    let metadata = Metadata {
        live: true,
        sample_interval: 1,
        duration: Duration::from_secs(20),
        elapsed: Duration::from_secs(20),
        peak: Some(Duration::from_millis(12_300)),
        sizes,
        provider_figures: vec![ProviderFigure { name: "resident".to_owned(), bytes: 48 << 20 }],
        losses: vec![Loss { what: "beyond\u{7} the bound".to_owned(), events: 1, amount: amount(2.0, 64.0) }],
        ..Metadata::default()
    };
    let mut builder = ProfileBuilder::new(metadata);
    let [main, cache, basket] = ["shop::main", "shop::cache", "shop::basket"].map(RawFrame::Marker);
    let sample =
        builder.add([cache, main], figures(amount(2000.0, 4_096_000.0), amount(1000.0, 2_048_000.0)));
    sample.peak = amount(2000.0, 4_096_000.0);
    sample.live_objects.push(LiveObject {
        birth: Duration::from_secs(19),
        size: 2048,
        amount: amount(1000.0, 2_048_000.0),
    });
    for (tag, objects) in [("tenant a", 4000.0), ("tenant b", 2000.0)] {
        let sample = builder.add([basket, main], figures(amount(objects, 64.0 * objects), Amount::default()));
        let lifetimes: &mut Lifetimes = sample.lifetimes.get_or_insert_default();
        lifetimes.add(Duration::from_micros(1500), objects - 1.0);
        lifetimes.add(Duration::from_secs(3), 1.0);
        sample.tag = Some(tag.into());
    }
    builder.finish(&mut Symbolizer::new())
}

#[test]
fn everything_is_told() {
    let expected = include_str!("expected.txt");
    let text = stats(&shop(), 1).to_string();
    assert_eq!(text, expected, "{text}");
}

#[test]
fn tags_are_no_places_of_their_own() {
    let stats = stats(&shop(), 9);
    let of = |sample_type| {
        let ranking = stats.rankings.iter().find(|ranking| ranking.sample_type == sample_type).unwrap();
        let rows = ranking.rows.iter().map(|row| (&*row.place, row.figures.get(sample_type).value));
        (rows.collect::<Vec<_>>(), ranking.hidden)
    };
    let (cache, basket) = ("shop::cache < shop::main", "shop::basket < shop::main");
    assert_eq!(of(SampleType::AllocObjects), (vec![(basket, 6000.0), (cache, 2000.0)], 0));
    assert_eq!(of(SampleType::AllocBytes), (vec![(cache, 4_096_000.0), (basket, 384_000.0)], 0));
    assert_eq!(of(SampleType::LiveBytes), (vec![(cache, 2_048_000.0)], 0));
    let tags: Vec<Option<&str>> = stats.tags.iter().map(|(tag, _)| tag.as_deref()).collect();
    assert_eq!(tags, [None, Some("tenant a"), Some("tenant b")]);
}

#[test]
fn what_is_not_known_is_left_out() {
    let mut builder = ProfileBuilder::new(Metadata::default());
    builder.add([RawFrame::Marker("[root]")], figures(amount(2.0, 64.0), Amount::default()));
    let text = stats(&builder.finish(&mut Symbolizer::new()), 5).to_string();
    assert_eq!(
        text,
        "\
allocated  64 B in 2 objects, mean 32 B
sampled    at an interval that is not known

places by allocated bytes
  64 B  100.0%  [root]

places by allocated objects
  2 objects  100.0%  [root]
"
    );
    let nothing = stats(&Profile::default(), 5);
    assert!(nothing.rankings.is_empty() && nothing.tags.is_empty());
}

#[test]
fn without_names_a_place_is_an_address() {
    let address = Some(allometer_profile::ReturnAddress::new(0x2001));
    let location = allometer_profile::Location { address, ..Default::default() };
    let stack = vec![allometer_profile::LocationIndex(0)];
    let sample = Sample { stack, figures: figures(amount(1.0, 8.0), Amount::default()), ..Sample::default() };
    let profile = Profile { locations: vec![location], samples: vec![sample], ..Profile::default() };
    assert_eq!(stats(&profile, 1).rankings[0].rows[0].place, "0x2000");
}
