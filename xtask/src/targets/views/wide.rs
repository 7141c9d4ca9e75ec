//! A profile of ten thousand sites, made up: as much as a page has to bear, with names that no program should have.

use std::time::{Duration, SystemTime};

use allometer_profile::{
    Amount, Estimate, Figures, Function, FunctionIndex, Lifetimes, Line, Location, LocationIndex, Loss,
    Metadata, Profile, ReturnAddress, Sample,
};

pub(super) const SITES: u32 = 10_000;
/// A name that ends a script where it is not written as text, and what it would do then.
pub(super) const EVIL: &str = "</script><img src=x onerror=\"document.title='taken'\">";
/// The first site that is not there half-way.
const NEW: u32 = SITES / 2;
/// The functions that call each other, and those that are called from them.
const CALLERS: u32 = 100;
/// How large an object is that lives, in bytes.
const SIZE: u64 = 64;
/// How deep the deepest stack is.
const DEEP: u32 = 60;

/// The profile, and an earlier one in which half of it is not there yet.
pub(super) fn profiles() -> [Profile; 2] {
    [NEW, SITES].map(profile)
}

fn profile(sites: u32) -> Profile {
    let loss = Loss { what: format!("stacks that did not fit {EVIL}"), events: 7, amount: amount(7, 4096) };
    let mut profile = Profile {
        metadata: Metadata {
            sample_interval: 1,
            live: true,
            start: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000)),
            duration: Duration::from_secs(60),
            elapsed: Duration::from_secs(60),
            provider: Some(format!("made up {EVIL}")),
            losses: vec![loss],
            comments: vec![format!("a remark {EVIL}")],
            ..Metadata::default()
        },
        ..Profile::default()
    };
    let main = place(&mut profile, "wide::main".to_owned());
    let callers: Vec<_> = (0..CALLERS)
        .map(|number| place(&mut profile, format!("caller{}::run", number % 7 * 100 + number)))
        .collect();
    let deep: Vec<_> = (0..DEEP).map(|number| place(&mut profile, format!("deep::level{number}"))).collect();
    let evil = place(&mut profile, EVIL.to_owned());
    for number in 0..sites {
        // Every site has its own size and nearly every one its own function: what the table shows first has one answer.
        // The odd name is the first one of all, and of those that are new.
        let leaf = match number {
            0 | NEW => evil,
            _ => place(
                &mut profile,
                format!("site{number}::{}", if number % 3 == 0 { "grow" } else { "fill" }),
            ),
        };
        let mut stack = vec![leaf];
        if number % 500 == 0 {
            stack.extend(deep.iter().rev());
        }
        stack.extend([callers[(number % CALLERS) as usize], main]);
        profile.samples.push(sample(number, stack));
    }
    profile
}

/// Objects that live: more, the smaller the number. As many again were freed at once, and the larger numbers'
/// objects are large while they last.
fn sample(number: u32, stack: Vec<LocationIndex>) -> Sample {
    let objects = live_objects(number);
    let live = amount(objects, SIZE * objects);
    let freed = u64::from(number) + 1;
    let alloc = amount(objects + freed, SIZE * objects + 160 * freed);
    let mut lifetimes = Lifetimes::default();
    lifetimes.add(Duration::from_micros(100), freed as f64);
    Sample {
        stack,
        figures: Figures { alloc, live },
        lifetimes: Some(Box::new(lifetimes)),
        ..Sample::default()
    }
}

fn live_objects(number: u32) -> u64 {
    u64::from(SITES - number)
}

/// What the site with a number holds when all of them are there.
pub(super) fn live_bytes(number: u32) -> f64 {
    (SIZE * live_objects(number)) as f64
}

fn amount(objects: u64, bytes: u64) -> Amount {
    Amount { objects: Estimate::exact(objects as f64), bytes: Estimate::exact(bytes as f64) }
}

/// A function at an address of its own.
fn place(profile: &mut Profile, name: String) -> LocationIndex {
    let number = profile.locations.len() as u32;
    profile.functions.push(Function { system_name: format!("_{name}"), name, file: "wide.rs".to_owned() });
    profile.locations.push(Location {
        address: Some(ReturnAddress::new((1 << 20) + 16 * u64::from(number) + 1)),
        mapping: None,
        lines: vec![Line { function: FunctionIndex(number), line: number + 1 }],
    });
    LocationIndex(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_ten_thousand_sites_and_grew() {
        let [before, after] = profiles();
        assert_eq!(after.samples.len(), SITES as usize);
        let live = |profile: &Profile| profile.total().live.bytes.value;
        assert!(live(&after) > live(&before));
        let read = Profile::from_pprof(&after.to_pprof_gzip()).unwrap();
        assert_eq!((read.metadata.losses.len(), live(&read)), (1, live(&after)));
    }
}
