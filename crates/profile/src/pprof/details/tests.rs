//! What is written and read back, and what is refused.

use super::*;
use crate::Symbolizer;
use crate::{
    Limit, ProfileBuilder, RawFrame,
    pprof::{fields::Fields, messages::LiveObjects},
};
use prost::Message;

/// A figure that a file has exactly: the value is whole, and the variance one of 32 bits.
fn estimate(value: f64) -> Estimate {
    Estimate { value, variance: f64::from((value * 2.5) as f32) }
}

fn amount(objects: f64) -> Amount {
    Amount { objects: estimate(objects), bytes: estimate(objects * 512.0) }
}

fn object(birth: u64, size: u64, weight: f64) -> LiveObject {
    LiveObject { birth: Duration::from_nanos(birth), size, amount: weighted(size, weight) }
}

/// With everything that a profile can have.
fn full() -> Profile {
    let figure = |name: &str, bytes| ProviderFigure { name: name.to_owned(), bytes };
    let metadata = Metadata {
        session: Some(u64::MAX - 1),
        elapsed: Duration::from_nanos(9_000_000_001),
        peak: Some(Duration::from_nanos(77)),
        sizes: vec![0.0, 1.5, 1024.0],
        provider_figures: vec![figure("resident", 1 << 33), figure("metadata", 7)],
        resident: Some(3 << 33),
        sample_interval: 1024,
        live: true,
        ..Metadata::default()
    };
    let mut builder = ProfileBuilder::new(metadata);
    let figures = crate::Figures { alloc: amount(4000.0), live: amount(1000.0) };
    let sample = builder.add([RawFrame::Marker("[cache]"), RawFrame::Marker("[main]")], figures);
    sample.peak = amount(1500.0);
    sample.slack = Some(estimate(3000.0));
    sample.live_objects = vec![object(1, 512, 2.5), object(1, 600, 2.25), object(900, 8, 131.0)];
    let lifetimes: &mut Lifetimes = sample.lifetimes.get_or_insert_default();
    (lifetimes.objects[0], lifetimes.objects[39]) = (3.0, 0.5);
    // Nothing of the span, and yet a part of the peak.
    builder.add([RawFrame::Marker("[gone]")], crate::Figures::default()).peak = amount(2.0);
    builder.add([RawFrame::Marker("[exact]")], crate::Figures::default()).figures.live.bytes =
        Estimate::exact(64.0);
    builder.finish(&mut Symbolizer::new())
}

#[test]
fn everything_is_read_back() {
    let written = full();
    let read = Profile::from_pprof(&written.to_pprof_gzip()).unwrap();
    assert_eq!(read.samples.len(), 3);
    for (read, written) in read.samples.iter().zip(&written.samples) {
        let of = |sample: &Sample| {
            (sample.figures, sample.peak, sample.slack, sample.live_objects.clone(), sample.lifetimes.clone())
        };
        assert_eq!(of(read), of(written));
    }
    let of = |profile: &Profile| {
        let Metadata { session, elapsed, peak, sizes, provider_figures, resident, .. } =
            profile.metadata.clone();
        (session, elapsed, peak, sizes, provider_figures, resident)
    };
    assert_eq!(of(&read), of(&written));
    assert_eq!(Profile::from_pprof(&read.to_pprof()).unwrap(), read, "and written again");
}

#[test]
fn without_details_there_is_what_every_reader_knows() {
    let plain = full().without_details();
    let message = crate::pprof::encode::message(&plain);
    let elapsed_nanos = message.session().unwrap().elapsed_nanos;
    assert_eq!(message.session(), Some(&messages::Session { elapsed_nanos, ..Default::default() }));
    assert_eq!((message.live_objects().len(), message.sample.len()), (0, 2));
    let details = message.sample[0].details.as_ref().unwrap();
    assert!(details.peak.is_empty() && details.slack.is_none());
    assert_eq!(plain.total(), full().total());
}

#[test]
fn the_peak_is_a_profile_of_its_own() {
    let peak = Profile::from_pprof(&full().at_peak().unwrap().to_pprof()).unwrap();
    assert_eq!(peak.total().live.objects.value, 1502.0);
    assert_eq!(peak.samples[0].figures.alloc, amount(4000.0));
    let comment = peak.metadata.comments.iter().find(|comment| comment.contains("peak"));
    assert_eq!(comment.unwrap(), "live figures are those of the peak, 77.000ns after the start");
}

#[test]
fn many_objects_are_in_several_fields() {
    let mut profile = full();
    profile.samples[0].live_objects = (0..200_000).map(|at| object(at * 1000, u64::MAX, 1.0)).collect();
    let message = crate::pprof::encode::message(&profile);
    let lengths: Vec<usize> = message.live_objects().iter().map(|each| each.births.len()).collect();
    assert_eq!(lengths, [CHUNK, CHUNK, CHUNK, 200_000 - 3 * CHUNK]);
    assert!(message.live_objects().iter().all(|each| each.encoded_len() < 4 << 20));
    let read = Profile::from_pprof(&profile.to_pprof()).unwrap();
    assert_eq!(read.samples[0].live_objects, profile.samples[0].live_objects);
}

#[test]
fn what_is_written_can_be_read_whatever_it_is() {
    let mut profile = full();
    for number in [f64::NAN, f64::INFINITY, -1.0, f64::MAX] {
        let sample = &mut profile.samples[0];
        sample.figures.live.bytes.variance = number;
        sample.peak.objects.variance = number;
        sample.slack = Some(Estimate { value: number, variance: number });
        sample.lifetimes.as_mut().unwrap().objects[3] = number;
        let amount = Amount { objects: Estimate::exact(number), ..Amount::default() };
        sample.live_objects.push(LiveObject { birth: Duration::MAX, size: 0, amount });
        profile.metadata.sizes.resize(100, number);
    }
    let read = Profile::from_pprof(&profile.to_pprof()).unwrap();
    assert_eq!(read.metadata.sizes.len(), 64);
    assert_eq!(Profile::from_pprof(&read.to_pprof()).unwrap(), read);
}

/// What reading says about the message of [`full`] after `change`.
fn complaint(change: impl FnOnce(&mut messages::Profile)) -> String {
    let profile = full();
    let mut message = crate::pprof::encode::message(&profile);
    change(&mut message);
    Profile::from_pprof(&message.into_bytes()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let details = |change: fn(&mut messages::Details)| {
        complaint(|message| change(message.sample[0].details.as_mut().unwrap()))
    };
    let of = "sample 0: not a pprof message: ";
    assert_eq!(details(|it| it.variances.truncate(3)), format!("{of}there are four variances, or none"));
    let peak = format!("{of}a peak is two figures and two variances, or none");
    assert_eq!(details(|it| it.peak.clear()), peak);
    assert_eq!(details(|it| it.peak_variances.push(1.0)), peak);
    let slack = format!("{of}the variance of a slack is a number from 0 on");
    assert_eq!(details(|it| it.slack_variance = -1.0), slack);
    let negative = format!("{of}a variance or a number of objects is a number from 0 on");
    assert_eq!(details(|it| it.variances[3] = -1.0), negative);
    assert_eq!(details(|it| it.lifetime_objects[1] = f32::NAN), negative);
    assert_eq!(details(|it| it.peak_variances[0] = f32::INFINITY), negative);
    let classes = format!("{of}there are 40 classes of lifetimes");
    assert_eq!(details(|it| it.lifetime_classes[0] = 40), classes);
    let each = format!("{of}each class of lifetimes has a number of objects");
    assert_eq!(details(|it| it.lifetime_classes.push(1)), each);

    let objects = |change: fn(&mut LiveObjects)| {
        complaint(|message| change(&mut message.period_type.as_mut().unwrap().live_objects[0]))
    };
    let of = "live objects 0: not a pprof message: ";
    assert_eq!(objects(|it| it.sample = 3), format!("{of}there is no such sample"));
    assert_eq!(objects(|it| it.births[0] = -1), format!("{of}a birth is after the session's start"));
    assert_eq!(
        objects(|it| it.births = vec![i64::MAX; 3]),
        format!("{of}a birth is after the session's start")
    );
    assert_eq!(objects(|it| it.weights[2] = 0.5), format!("{of}a weight is a number from 1 to 2^62"));
    assert_eq!(objects(|it| it.weights[2] = f64::NAN), format!("{of}a weight is a number from 1 to 2^62"));
    let three = format!("{of}each live object has a birth, a size and a weight");
    assert_eq!(objects(|it| it.sizes.truncate(2)), three);
    assert_eq!(objects(|it| it.weights.truncate(2)), three);

    let session = |change: fn(&mut messages::Session)| {
        complaint(|message| change(message.period_type.as_mut().unwrap().session.as_mut().unwrap()))
    };
    let of = "profile header: not a pprof message: sizes are at most 64 numbers from 0 on";
    assert_eq!(session(|it| it.sizes.resize(65, 0.0)), of);
    assert_eq!(session(|it| it.sizes[0] = -0.5), of);
    assert!(session(|it| it.provider_figures[0].name = 900).starts_with("profile header: string 900"));
}

#[test]
fn readers_that_take_a_key_for_one_byte_can_skip_what_they_do_not_know() {
    let bytes = full().to_pprof();
    let mut fields = Fields::new(&*bytes, u64::MAX, Limit::Unpacked);
    let mut period_types = Vec::new();
    while let Some(field) = fields.next().unwrap() {
        assert!(field.number < 16, "{}", field.number);
        if field.number == 11 {
            period_types.push(messages::Profile::decode(field.bytes).unwrap().period_type.unwrap());
        }
    }
    // Who does not put them together has the whole one, which is the last.
    assert!(period_types.len() > 1);
    assert_ne!(period_types.last().unwrap().unit, 0);
}
