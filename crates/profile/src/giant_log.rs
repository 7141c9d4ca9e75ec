//! The log of requests above a limit, which outlives the process that made them.

pub mod layout;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use layout::{CODE, FRAMES, HEADER, MAGIC, RECORD_WORDS, RECORDS, WORDS};

use crate::function_table::FunctionTable;
use crate::{
    Amount, Error, Estimate, Figures, Location, LocationIndex, MappingIndex, Profile, ReturnAddress, Sample,
    SampleType,
};

/// The tag of a request that was refused.
const REFUSED: &str = "refused";

impl Profile {
    /// Reads the log of a session's giant requests, as its file holds it: one sample for each of the last ones, with what
    /// it asked for as allocated. Those that were refused have the tag `refused`; comments say when each of them was, and the
    /// span is from the session's start to the last one.
    ///
    /// Addresses have no names yet: [`Symbolizer::symbolize`](crate::Symbolizer::symbolize) gives them. Code that was loaded after
    /// the session's start has none.
    ///
    /// # Errors
    ///
    /// [`Error::GiantLog`] for anything else than such a file, and what reading a profile can say of the part of it that
    /// names the code which was loaded.
    pub fn from_giant_log(data: &[u8]) -> Result<Self, Error> {
        let words = words(data)?;
        if words[0] != MAGIC {
            return Err(Error::GiantLog { expected: "the mark of one in its first eight bytes" });
        }
        let [_, requests, refused, limit, code_bytes, ..] = words[..HEADER] else {
            return Err(Error::GiantLog { expected: "a header" });
        };
        let code = usize::try_from(code_bytes).ok().and_then(|bytes| data.get(CODE * 8..)?.get(..bytes));
        let code =
            code.ok_or(Error::GiantLog { expected: "code of no more bytes than there is room for" })?;
        let mut profile = if code.is_empty() { Self::default() } else { Self::from_pprof(code)? };
        profile.metadata.default_type = SampleType::AllocBytes;
        profile.metadata.live = false;
        profile.metadata.sample_interval = 1;
        profile
            .metadata
            .comments
            .push(format!("requests above {limit} bytes: {requests}, of them refused: {refused}"));
        let records = words[HEADER..].chunks_exact(RECORD_WORDS).take(RECORDS);
        let mut records: Vec<&[u64]> = records.filter(|record| record[0] != 0).collect();
        records.sort_by_key(|record| record[0]);
        let mut places = Places::default();
        let last = records.last().and_then(|record| since_start(&profile, record[1]));
        profile.metadata.duration = last.unwrap_or_default();
        for record in records {
            places.add(&mut profile, record)?;
        }
        profile.functions = places.functions.into_functions();
        Ok(profile)
    }

    /// Whether the data begins like a log of giant requests.
    pub fn is_giant_log(data: &[u8]) -> bool {
        data.starts_with(&MAGIC.to_le_bytes())
    }
}

fn words(data: &[u8]) -> Result<Vec<u64>, Error> {
    let (words, rest) = data.as_chunks::<8>();
    if words.len() != WORDS || !rest.is_empty() {
        return Err(Error::GiantLog { expected: "64 KiB" });
    }
    Ok(words.iter().copied().map(u64::from_le_bytes).collect())
}

/// How long after the session's start a time was, which is in nanoseconds since 1970.
fn since_start(profile: &Profile, time: u64) -> Option<Duration> {
    UNIX_EPOCH.checked_add(Duration::from_nanos(time))?.duration_since(profile.metadata.start?).ok()
}

/// The locations of the stacks.
#[derive(Default)]
struct Places {
    locations: BTreeMap<u64, LocationIndex>,
    functions: FunctionTable,
}

impl Places {
    fn add(&mut self, profile: &mut Profile, record: &[u64]) -> Result<(), Error> {
        let [number, time, size, flags, thread, depth, ..] = *record else { return Ok(()) };
        let depth = usize::try_from(depth).ok().filter(|&depth| depth <= FRAMES);
        let depth = depth.ok_or(Error::GiantLog { expected: "a stack of at most 122 frames" })?;
        let frames = &record[RECORD_WORDS - FRAMES..][..depth];
        let is_refused = flags & 1 != 0;
        let alloc = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(size as f64) };
        let stack = frames.iter().map(|&address| self.location(profile, address)).collect();
        profile.samples.push(Sample {
            stack,
            tag: is_refused.then(|| Arc::from(REFUSED)),
            figures: Figures { alloc, ..Figures::default() },
            ..Sample::default()
        });
        let since = since_start(profile, time);
        let since =
            since.map(|since| format!(" {:.3} s after the start", since.as_secs_f64())).unwrap_or_default();
        let what = if is_refused { "refused" } else { "granted" };
        profile
            .metadata
            .comments
            .push(format!("request {number}: {size} bytes, {what}{since}, thread {thread}"));
        Ok(())
    }

    fn location(&mut self, profile: &mut Profile, address: u64) -> LocationIndex {
        *self.locations.entry(address).or_insert_with(|| {
            profile.locations.push(match address {
                0 => Location {
                    lines: vec![self.functions.line_called("[truncated]".to_owned())],
                    ..Location::default()
                },
                _ => {
                    let address = ReturnAddress::new(address);
                    let inside = |mapping: &crate::Mapping| {
                        (mapping.start..mapping.limit).contains(&address.lookup().get())
                    };
                    let mapping = profile.mappings.iter().position(inside);
                    let mapping = mapping.map(|position| MappingIndex(position as u32));
                    Location { address: Some(address), mapping, lines: Vec::new() }
                }
            });
            LocationIndex(profile.locations.len() as u32 - 1)
        })
    }
}

#[cfg(test)]
mod tests;
