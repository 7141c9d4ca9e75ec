//! What a profile has that the format has no field for: as fields of numbers that other readers skip.

use std::time::Duration;

use super::messages;
use super::strings::Strings;
use crate::limit::Budget;
use crate::{
    Amount, Error, Estimate, Lifetimes, LiveObject, Metadata, Place, Profile, ProviderFigure, Sample,
    SampleType,
};

/// Live objects in one message, so that none of them comes near the bound on a field's length.
const CHUNK: usize = 1 << 16;

/// Classes of sizes: as many as a size has bits.
const SIZES: usize = 64;

/// The most that one object stands for: more bytes than there are of addresses.
const MAX_WEIGHT: f64 = (1u64 << 62) as f64;

/// Of the profile itself, if there is anything.
pub(super) fn session<'text>(
    metadata: &'text Metadata,
    strings: &mut Strings<'text>,
) -> Option<messages::Session> {
    let figure = |figure: &'text ProviderFigure| messages::ProviderFigure {
        name: strings.add(&figure.name),
        bytes: figure.bytes,
    };
    let session = messages::Session {
        identity: metadata.session.unwrap_or_default(),
        elapsed_nanos: nanos(metadata.elapsed),
        peak_nanos: metadata.peak.map(nanos),
        sizes: metadata.sizes.iter().take(SIZES).map(|&objects| short(objects)).collect(),
        provider_figures: metadata.provider_figures.iter().map(figure).collect(),
        resident: metadata.resident,
    };
    (session != messages::Session::default()).then_some(session)
}

/// Of a sample, if there is anything.
pub(super) fn sample(sample: &Sample) -> Option<messages::Details> {
    let mut details = messages::Details::default();
    let variances = SampleType::ALL.map(|each| short(sample.figures.get(each).variance));
    if variances != [0.0; 4] {
        details.variances = variances.to_vec();
    }
    if has_peak(sample) {
        let Amount { objects, bytes } = sample.peak;
        details.peak = [objects, bytes].map(|figure| figure.rounded().unsigned_abs()).to_vec();
        details.peak_variances = [objects, bytes].map(|figure| short(figure.variance)).to_vec();
    }
    let lifetimes = sample.lifetimes.iter().flat_map(|lifetimes| (0..).zip(lifetimes.objects));
    for (class, objects) in lifetimes.filter(|&(_, objects)| objects > 0.0) {
        details.lifetime_classes.push(class);
        details.lifetime_objects.push(short(objects));
    }
    if let Some(slack) = sample.slack {
        details.slack = Some(slack.rounded().unsigned_abs());
        details.slack_variance = short(slack.variance);
    }
    (details != messages::Details::default()).then_some(details)
}

/// Whether anything of the sample was live at the peak, once it is rounded.
pub(super) fn has_peak(sample: &Sample) -> bool {
    sample.peak.objects.rounded() != 0 || sample.peak.bytes.rounded() != 0
}

/// The live objects of the samples that are written.
pub(super) fn live_objects(samples: &[&Sample]) -> Vec<messages::LiveObjects> {
    let mut all = Vec::new();
    for (position, sample) in (0..).zip(samples) {
        let mut objects = sample.live_objects.clone();
        objects.sort_by_key(|object| (object.birth, object.size));
        all.extend(objects.chunks(CHUNK).map(|chunk| chunk_of(position, chunk)));
    }
    all
}

fn chunk_of(sample: u64, objects: &[LiveObject]) -> messages::LiveObjects {
    let mut last = 0;
    let birth = |object: &LiveObject| {
        let birth = i64::try_from(nanos(object.birth)).unwrap_or(i64::MAX);
        let difference = birth.wrapping_sub(last);
        last = birth;
        difference
    };
    messages::LiveObjects {
        sample,
        births: objects.iter().map(birth).collect(),
        sizes: objects.iter().map(|object| object.size).collect(),
        weights: objects.iter().map(weight).collect(),
    }
}

/// As reading takes it back.
fn weight(object: &LiveObject) -> f64 {
    let weight = object.amount.objects.value;
    if weight.is_nan() { 1.0 } else { weight.clamp(1.0, MAX_WEIGHT) }
}

/// As reading takes it back: not negative, not infinite.
fn short(number: f64) -> f32 {
    (number.max(0.0) as f32).min(f32::MAX)
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Reads what [`session`] wrote.
pub(super) fn read_session(
    session: &messages::Session,
    metadata: &mut Metadata,
    text: impl Fn(i64) -> Result<String, Error>,
) -> Result<(), Error> {
    let wrong = |reason| wrong(Place::Header, reason);
    if session.sizes.len() > SIZES || !session.sizes.iter().all(is_amount) {
        return Err(wrong("sizes are at most 64 numbers from 0 on"));
    }
    metadata.session = Some(session.identity).filter(|&identity| identity != 0);
    metadata.elapsed = Duration::from_nanos(session.elapsed_nanos);
    metadata.peak = session.peak_nanos.map(Duration::from_nanos);
    metadata.resident = session.resident;
    metadata.sizes = session.sizes.iter().copied().map(f64::from).collect();
    for figure in &session.provider_figures {
        metadata.provider_figures.push(ProviderFigure { name: text(figure.name)?, bytes: figure.bytes });
    }
    Ok(())
}

/// Reads what [`sample`] wrote.
pub(super) fn read_sample(
    details: &messages::Details,
    sample: &mut Sample,
    place: Place,
) -> Result<(), Error> {
    let variances = [&details.variances, &details.peak_variances, &details.lifetime_objects];
    if !variances.into_iter().flatten().all(is_amount) {
        return Err(wrong(place, "a variance or a number of objects is a number from 0 on"));
    }
    match *details.variances {
        [] => {}
        [..] if details.variances.len() == SampleType::ALL.len() => {
            for (sample_type, &variance) in SampleType::ALL.into_iter().zip(&details.variances) {
                sample.figures.get_mut(sample_type).variance = variance.into();
            }
        }
        _ => return Err(wrong(place, "there are four variances, or none")),
    }
    sample.peak = match (&*details.peak, &*details.peak_variances) {
        ([], []) => Amount::default(),
        (&[objects, bytes], &[of_objects, of_bytes]) => Amount {
            objects: Estimate { value: objects as f64, variance: of_objects.into() },
            bytes: Estimate { value: bytes as f64, variance: of_bytes.into() },
        },
        _ => return Err(wrong(place, "a peak is two figures and two variances, or none")),
    };
    if !is_amount(&details.slack_variance) {
        return Err(wrong(place, "the variance of a slack is a number from 0 on"));
    }
    let variance = f64::from(details.slack_variance);
    sample.slack = details.slack.map(|slack| Estimate { value: slack as f64, variance });
    if details.lifetime_classes.len() != details.lifetime_objects.len() {
        return Err(wrong(place, "each class of lifetimes has a number of objects"));
    }
    for (&class, &objects) in details.lifetime_classes.iter().zip(&details.lifetime_objects) {
        let lifetimes: &mut Lifetimes = sample.lifetimes.get_or_insert_default();
        let class = lifetimes.objects.get_mut(class as usize);
        *class.ok_or_else(|| wrong(place, "there are 40 classes of lifetimes"))? = objects.into();
    }
    Ok(())
}

/// Reads what [`live_objects`] wrote.
pub(super) fn read_live_objects(
    messages: &[messages::LiveObjects],
    profile: &mut Profile,
    memory: &Budget,
) -> Result<(), Error> {
    for (position, message) in messages.iter().enumerate() {
        let place = Place::LiveObjects(position);
        let (births, count) = (&message.births, message.births.len());
        if message.sizes.len() != count || message.weights.len() != count {
            return Err(wrong(place, "each live object has a birth, a size and a weight"));
        }
        let sample = usize::try_from(message.sample).ok().and_then(|at| profile.samples.get_mut(at));
        let sample = sample.ok_or_else(|| wrong(place, "there is no such sample"))?;
        memory.take((count * size_of::<LiveObject>()) as u64, place)?;
        sample.live_objects.reserve_exact(count);
        let mut birth = 0i64;
        for ((difference, &size), &weight) in births.iter().zip(&message.sizes).zip(&message.weights) {
            let next = birth.checked_add(*difference).filter(|&next| next >= 0);
            birth = next.ok_or_else(|| wrong(place, "a birth is after the session's start"))?;
            if !(1.0..=MAX_WEIGHT).contains(&weight) {
                return Err(wrong(place, "a weight is a number from 1 to 2^62"));
            }
            let birth = Duration::from_nanos(birth.unsigned_abs());
            sample.live_objects.push(LiveObject { birth, size, amount: weighted(size, weight) });
        }
    }
    Ok(())
}

/// What a sampled object of `size` bytes stands for, if it was picked with the probability `1 / weight`: with `p` for that,
/// the variance of the objects is `(1 - p) / p²`.
fn weighted(size: u64, weight: f64) -> Amount {
    let (size, variance) = (size as f64, weight * (weight - 1.0));
    Amount {
        objects: Estimate { value: weight, variance },
        bytes: Estimate { value: weight * size, variance: variance * size * size },
    }
}

fn is_amount(number: &f32) -> bool {
    number.is_finite() && *number >= 0.0
}

fn wrong(place: Place, reason: &str) -> Error {
    Error::Message { place, reason: reason.to_owned() }
}

#[cfg(test)]
mod tests;
