//! The text of jemalloc's and gperftools' heap profiles, and the second form written.

mod counts;
mod header;
mod lines;
mod mapped;
mod stacks;
mod write;

use crate::limit::Budget;
use crate::{Error, Limit, Metadata, Place, Profile, jemalloc};
use counts::Counts;
use header::{Header, Layout};
use lines::{Line, Lines};
use stacks::Stacks;

/// What the section of mappings begins with.
const MAPPED: [&str; 2] = ["MAPPED_LIBRARIES:", "--- Memory map: ---"];
const ADDRESSES: &str = "`@` and addresses such as 0x1a2b";

impl Profile {
    /// Reads a heap profile in the text form that jemalloc (`heap_v2/524288`) and gperftools (`heap profile: …`) dump.
    /// Go's `debug=1` has the second form, too.
    ///
    /// The text has addresses and no names: [`Symbolizer::symbolize`](crate::Symbolizer::symbolize) finds those. They are
    /// return addresses, the innermost one included; jemalloc's own functions are to be left out once there are names
    /// ([`Metadata::left_out_at_leaf`]). Mappings are the executable ones of the section
    /// `MAPPED_LIBRARIES:`, without build ids. Of jemalloc's threads only the sum of all, `t*:`, is read. Figures that the
    /// text does not have are zero: jemalloc has what was allocated with `prof_accum:true` alone, and a sample of
    /// gperftools' allocator never.
    ///
    /// Where the first line says that the figures are those of samples, they are scaled to what these stand for. With
    /// `R` for the interval, `n` objects of `S` bytes together become `n / (1 - exp(-(S/n) / R))` objects, and the
    /// bytes are multiplied by the same: so do `jeprof`, and `scaleHeapSample` of `github.com/google/pprof` in its
    /// `legacy_profile.go`. What is written as `heap/1048576` has an interval of half that. Variances are zero. Sizes
    /// are what the allocator says: jemalloc's are those of its size classes.
    ///
    /// The file may be a stranger's, and [`Limit`] bounds it as it does a pprof file.
    ///
    /// ```
    /// use allometer_profile::{Error, Profile};
    ///
    /// let text = "heap_v2/1024\n  t*: 1: 1024 [0: 0]\n@ 0x401000 0x402000\n  t*: 1: 1024 [0: 0]\n";
    /// let profile = Profile::from_heap_text(text.as_bytes())?;
    /// assert_eq!(profile.total().live.bytes.rounded(), 1620); // 1024 / (1 - 1/e)
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The line that is not as it should be, and what was expected there.
    pub fn from_heap_text(data: &[u8]) -> Result<Self, Error> {
        let limit = Limit::Unpacked;
        if data.len() as u64 > limit.max() {
            return Err(Error::TooLarge { place: Place::Byte(limit.max()), limit });
        }
        let memory = Budget::new(Limit::Memory);
        let mut lines = Lines::of(data);
        let header = Header::read(&mut lines)?;
        let mut stacks = Stacks::new(&memory);
        match header.layout {
            Layout::CountsBelow => counts_below(&mut lines, &header, &mut stacks)?,
            Layout::CountsBefore => counts_before(&mut lines, &header, &mut stacks)?,
        }
        let mappings = mapped::read(&mut lines, &memory)?;
        let metadata = Metadata {
            sample_interval: header.interval,
            provider: header.provider.map(str::to_owned),
            live: true,
            left_out_at_leaf: if header.is_of_jemalloc() { jemalloc::own_functions() } else { Vec::new() },
            ..Metadata::default()
        };
        stacks.into_profile(metadata, mappings)
    }

    /// Whether data begins as [`Profile::from_heap_text`] wants it.
    pub(crate) fn is_heap_text(data: &[u8]) -> bool {
        Header::is_at_the_start_of(data)
    }
}

/// Stacks as jemalloc has them: a line `@ 0x1 0x2`, below it one for the sum of all threads and one for each thread.
fn counts_below(lines: &mut Lines<'_>, header: &Header, stacks: &mut Stacks<'_>) -> Result<(), Error> {
    let mut stack: Option<(Line<'_>, Vec<u64>)> = None;
    while let Some(line) = next(lines) {
        let text = line.text()?;
        if text.starts_with('@') {
            if stack.is_some() {
                return Err(line.refused(SUM));
            }
            stack = Some((line, addresses(&line, text)?));
            continue;
        }
        let (who, counts) = text.split_once(':').ok_or_else(|| line.refused(ADDRESSES))?;
        if who == "t*" {
            let (counts, rest) = Counts::parse(counts).ok_or_else(|| line.refused(SUM))?;
            if !rest.is_empty() {
                return Err(line.refused(SUM));
            }
            // The first one, which belongs to no stack, is that of the whole heap.
            if let Some((line, addresses)) = stack.take() {
                stacks.add(line, &addresses, counts.figures(header))?;
            }
        } else if !is_thread(who) {
            return Err(line.refused(SUM));
        }
    }
    match stack {
        Some((line, _)) => Err(line.refused("a line of `t*:` below the stack")),
        None => Ok(()),
    }
}

const SUM: &str = "`t*: objects: bytes [objects: bytes]`";

/// Whether a line begins as that of one thread: `t7`.
fn is_thread(who: &str) -> bool {
    who.strip_prefix('t').is_some_and(|number| number.parse::<u64>().is_ok())
}

/// Stacks as gperftools has them: `1: 64 [2: 128] @ 0x1 0x2`.
fn counts_before(lines: &mut Lines<'_>, header: &Header, stacks: &mut Stacks<'_>) -> Result<(), Error> {
    while let Some(line) = next(lines) {
        let text = line.text()?;
        let (counts, rest) = Counts::parse(text)
            .ok_or_else(|| line.refused("`objects: bytes [objects: bytes] @` and addresses"))?;
        stacks.add(line, &addresses(&line, rest)?, counts.figures(header))?;
    }
    Ok(())
}

/// The next line that says something of a stack; none where the mappings begin.
fn next<'data>(lines: &mut Lines<'data>) -> Option<Line<'data>> {
    lines.find(|line| !line.is_remark()).filter(|line| !MAPPED.iter().any(|mapped| line.starts_with(mapped)))
}

fn addresses(line: &Line<'_>, text: &str) -> Result<Vec<u64>, Error> {
    let refused = || line.refused(ADDRESSES);
    let words = text.strip_prefix('@').ok_or_else(refused)?.split_ascii_whitespace();
    let address = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    words.map(|word| address(word).ok_or_else(refused)).collect()
}

#[cfg(test)]
mod tests;
