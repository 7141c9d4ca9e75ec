use super::counts::Counts;
use super::lines::{Line, Lines};
use crate::Error;

/// What the first line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) layout: Layout,
    /// Mean number of bytes between two samples; 1 where every allocation was recorded, 0 where it is not known.
    pub(super) interval: u64,
    /// Whether the second pair of figures is that of all allocations, and not the first pair once more.
    pub(super) has_allocated: bool,
    pub(super) provider: Option<&'static str>,
}

/// Where the figures of a stack stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// On lines of their own, below it.
    CountsBelow,
    /// In front of it.
    CountsBefore,
}

const JEMALLOC: &str = "heap_v2/";
const GPERFTOOLS: &str = "heap profile:";
const EXPECTED: &str = "`heap_v2/` and an interval, or `heap profile:`";

impl Header {
    pub(super) fn is_at_the_start_of(data: &[u8]) -> bool {
        let first = Lines::of(data).find(|line| !line.is_remark());
        first.is_some_and(|line| line.starts_with(JEMALLOC) || line.starts_with(GPERFTOOLS))
    }

    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Self, Error> {
        match lines.find(|line| !line.is_remark()) {
            Some(line) => Self::of(&line),
            None => Err(Error::Empty),
        }
    }

    pub(super) fn is_of_jemalloc(&self) -> bool {
        self.layout == Layout::CountsBelow
    }

    fn of(line: &Line<'_>) -> Result<Self, Error> {
        let text = line.text()?;
        if let Some(interval) = text.strip_prefix(JEMALLOC) {
            let interval =
                interval.parse().map_err(|_| line.refused("`heap_v2/` and an interval in bytes"))?;
            return Ok(Self {
                layout: Layout::CountsBelow,
                interval,
                has_allocated: true,
                provider: Some("jemalloc"),
            });
        }
        let totals = text.strip_prefix(GPERFTOOLS).ok_or_else(|| line.refused(EXPECTED))?;
        let refused = || line.refused("`heap profile: objects: bytes [objects: bytes] @` and its kind");
        let (totals, kind) = Counts::parse(totals).ok_or_else(refused)?;
        let kind = kind.strip_prefix('@').ok_or_else(refused)?.trim();
        let (kind, interval) = kind.split_once('/').unwrap_or((kind, "0"));
        let interval: u64 = interval.parse().map_err(|_| refused())?;
        let (interval, has_allocated, provider) = match kind {
            "heapprofile" => (1, true, Some("tcmalloc")),
            "heap_v2" | "heapz_v2" => (interval, !totals.says_twice(), Some("tcmalloc")),
            // Go has it, too.
            "heap" => (interval / 2, !totals.says_twice(), None),
            _ => return Err(line.refused("a profile of the kind heapprofile, heap_v2 or heap")),
        };
        Ok(Self { layout: Layout::CountsBefore, interval, has_allocated, provider })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Header, String> {
        Header::read(&mut Lines::of(text.as_bytes())).map_err(|error| error.to_string())
    }

    #[test]
    fn tells_the_interval_of_each_kind() {
        let interval = |text: &str| read(text).map(|header| (header.interval, header.has_allocated));
        assert_eq!(interval("# x\n\nheap_v2/524288\n"), Ok((524_288, true)));
        let kind = |kind: &str| interval(&format!("heap profile: 1: 64 [ 2: 128] @ {kind}"));
        assert_eq!(kind("heapprofile"), Ok((1, true)));
        assert_eq!(kind("heap_v2/4096"), Ok((4096, true)));
        assert_eq!(kind("heapz_v2"), Ok((0, true)));
        assert_eq!(kind("heap/1048576"), Ok((524_288, true)));
        assert_eq!(interval("heap profile: 1: 64 [ 1: 64] @ heap_v2/4096"), Ok((4096, false)));
        assert_eq!(interval("heap profile: 1: 64 [ 0: 0] @ heap/8"), Ok((4, false)));
        assert_eq!(interval("heap profile: 1: 64 [ 1: 64] @ heapprofile"), Ok((1, true)));
    }

    #[test]
    fn says_what_is_wrong_with_a_first_line() {
        for (text, expected) in [
            ("heap_v2/many", "line 1: expected `heap_v2/` and an interval in bytes, found \"heap_v2/many\""),
            ("\nheap", "line 2: expected `heap_v2/` and an interval, or `heap profile:`, found \"heap\""),
            (
                "heap profile: 1",
                "line 1: expected `heap profile: objects: bytes [objects: bytes] @` and its kind, found \"heap profile: 1\"",
            ),
            (
                "heap profile: 1: 2 [3: 4] @ growth/1",
                "line 1: expected a profile of the kind heapprofile, heap_v2 or heap, found \"heap profile: 1: 2 [3: 4] @ growth/1\"",
            ),
            ("#\n", "there is nothing in it"),
        ] {
            assert_eq!(read(text).unwrap_err(), expected);
        }
    }
}
