use std::collections::HashMap;
use std::time::Duration;

use crate::{Amount, Error, Estimate, LocationIndex, Metadata, Profile, Sample};

impl Profile {
    /// What happened from an earlier profile of the same session to this one: allocated in between, and, of that, live at
    /// the end. Both profiles say what was allocated since the same moment, such as the session's start; they can be
    /// files, with the live objects that files of this crate have.
    ///
    /// What was allocated is the difference of two sums of independent samples, of which the later one contains the
    /// earlier: so its variance is the difference of theirs.
    ///
    /// Slack is that of all live objects of a site: of a part of them it is not known.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`] if they are not of one session, or one of them has no session; [`Error::OtherStart`] if they
    /// count from different moments; [`Error::WrongOrder`] if `earlier` is the later one.
    pub fn since(&self, earlier: &Self) -> Result<Self, Error> {
        let (now, before) = (&self.metadata, &earlier.metadata);
        if now.session.is_none() || now.session != before.session {
            return Err(Error::OtherSession);
        }
        if now.elapsed < before.elapsed {
            return Err(Error::WrongOrder);
        }
        let counts_from = |metadata: &Metadata| metadata.elapsed.saturating_sub(metadata.duration);
        // Clocks of two kinds are read one after the other.
        if counts_from(now).abs_diff(counts_from(before)) > TOLERANCE {
            return Err(Error::OtherStart);
        }
        let allocated = allocated(earlier);
        let mut profile = self.clone();
        for (sample, now) in profile.samples.iter_mut().zip(&self.samples) {
            let earlier = allocated.get(&key(self, now)).copied().unwrap_or_default();
            sample.figures.alloc = difference(sample.figures.alloc, earlier);
            sample.live_objects.retain(|object| object.birth >= before.elapsed);
            if sample.live_objects.len() < now.live_objects.len() {
                sample.slack = None;
            }
            sample.figures.live =
                sample.live_objects.iter().fold(Amount::default(), |sum, object| sum + object.amount);
            sample.peak = Amount::default();
            sample.lifetimes = None;
        }
        profile.samples.retain(|sample| {
            sample.figures.alloc.objects.rounded() > 0 || sample.figures.live.objects.rounded() > 0
        });
        profile.leave_out_unused();
        let metadata = &mut profile.metadata;
        metadata.start = before.start.and_then(|start| start.checked_add(before.duration));
        metadata.duration = now.elapsed - before.elapsed;
        metadata.peak = None;
        metadata
            .sizes
            .iter_mut()
            .zip(&before.sizes)
            .for_each(|(now, before)| *now = (*now - before).max(0.0));
        metadata
            .comments
            .push("of what was allocated in the span, live is what is live at its end".to_owned());
        Ok(profile)
    }
}

/// How far the starts of two profiles that count from one moment may be apart.
const TOLERANCE: Duration = Duration::from_millis(1);

/// A stack as it is in any profile of its session: addresses, and names where there is none.
type Key<'profile> = (Vec<(u64, &'profile str)>, Option<&'profile str>);

fn key<'profile>(profile: &'profile Profile, sample: &'profile Sample) -> Key<'profile> {
    let frame = |&index: &LocationIndex| {
        let location = profile.location(index);
        let address = location.and_then(|location| location.address).map_or(0, |address| address.get());
        let line = location.and_then(|location| location.lines.last());
        let name =
            line.and_then(|line| profile.function(line.function)).map_or("", |function| &*function.name);
        (address, name)
    };
    (sample.stack.iter().map(frame).collect(), sample.tag.as_deref())
}

fn allocated(profile: &Profile) -> HashMap<Key<'_>, Amount> {
    let mut allocated = HashMap::<_, Amount>::new();
    for sample in &profile.samples {
        let sum = allocated.entry(key(profile, sample)).or_default();
        *sum = *sum + sample.figures.alloc;
    }
    allocated
}

fn difference(now: Amount, before: Amount) -> Amount {
    let of = |now: Estimate, before: Estimate| Estimate {
        value: (now.value - before.value).max(0.0),
        variance: (now.variance - before.variance).max(0.0),
    };
    Amount { objects: of(now.objects, before.objects), bytes: of(now.bytes, before.bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Figures, LiveObject, ProfileBuilder, RawFrame, Symbolizer};

    fn object(second: u64) -> LiveObject {
        let amount = amount(2.0);
        LiveObject { birth: Duration::from_secs(second), size: 512, amount }
    }

    fn amount(objects: f64) -> Amount {
        let of = |value: f64| Estimate { value, variance: value };
        Amount { objects: of(objects), bytes: of(objects * 512.0) }
    }

    /// Sites with what was allocated there and the seconds in which their live objects were born.
    fn profile(elapsed: u64, sites: &[(&'static str, f64, &[u64])]) -> Profile {
        let metadata = Metadata {
            session: Some(7),
            elapsed: Duration::from_secs(elapsed),
            duration: Duration::from_secs(elapsed),
            sizes: vec![0.0, elapsed as f64],
            live: true,
            ..Metadata::default()
        };
        let mut builder = ProfileBuilder::new(metadata);
        for &(name, allocated, births) in sites {
            let figures = Figures { alloc: amount(allocated), live: amount(2.0 * births.len() as f64) };
            let sample = builder.add([RawFrame::Marker(name)], figures);
            sample.live_objects = births.iter().copied().map(object).collect();
            sample.slack = Some(Estimate::exact(5.0));
        }
        builder.finish(&mut Symbolizer::new())
    }

    #[test]
    fn allocated_in_between_and_of_that_live() {
        let before = profile(10, &[("[cache]", 100.0, &[1, 2]), ("[idle]", 8.0, &[3])]);
        let after =
            profile(30, &[("[idle]", 8.0, &[3]), ("[cache]", 160.0, &[2, 11, 29]), ("[new]", 4.0, &[])]);
        let span = after.since(&before).unwrap();
        let rows: Vec<_> =
            span.samples.iter().map(|sample| (span.place(sample, 1), sample.figures)).collect();
        assert_eq!(
            rows,
            [
                ("[cache]".to_owned(), Figures { alloc: amount(60.0), live: amount(4.0) }),
                ("[new]".to_owned(), Figures { alloc: amount(4.0), live: Amount::default() }),
            ]
        );
        let slack: Vec<_> = span.samples.iter().map(|sample| sample.slack.is_some()).collect();
        assert_eq!(slack, [false, true]);
        assert_eq!(
            (span.metadata.duration, &*span.metadata.sizes),
            (Duration::from_secs(20), &[0.0, 20.0][..])
        );
        let through_files = |profile: &Profile| Profile::from_pprof(&profile.to_pprof()).unwrap();
        let read = through_files(&after).since(&through_files(&before)).unwrap();
        assert_eq!(read.total().live.objects.value, 4.0);
        assert_eq!(read.total().alloc.objects.value, 64.0);
    }

    #[test]
    fn what_has_no_span_is_refused() {
        let (before, after) = (profile(10, &[]), profile(30, &[]));
        let of = |before: &Profile, after: &Profile| after.since(before).unwrap_err().to_string();
        assert_eq!(of(&after, &before), "the earlier profile is of a later moment");
        let mut other = before.clone();
        other.metadata.session = Some(8);
        let expected = "the profiles are not of one session, or were written by another program";
        assert_eq!(of(&other, &after), expected);
        other.metadata.session = None;
        assert_eq!(of(&other, &other), expected);
        let mut fresh = after.clone();
        fresh.metadata.duration = Duration::from_secs(5);
        assert_eq!(
            of(&before, &fresh),
            "the profiles count from different moments: there was a fresh start in between"
        );
    }
}
