use object::{Object, ObjectSegment, ReadRef, SegmentFlags, elf};

use crate::Mapping;
use crate::mappings::PAGE;

/// The segments of a file that are loaded, and where a mapping of a profile is in them.
///
/// A profile says at which offset of the file a mapping begins, and not how far the program was moved when it was loaded.
/// Linkers give an address and its offset different distances in each segment, so the headers have to be asked.
#[derive(Debug, Default)]
pub(crate) struct Segments(Vec<Segment>);

/// A program header of type `PT_LOAD`.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Virtual address in the file.
    address: u64,
    memory_size: u64,
    offset: u64,
    file_size: u64,
    /// The size of page that it is linked for.
    align: u64,
    is_code: bool,
}

/// Most segments, and most addresses of a mapping, that are looked at.
const MOST_SEGMENTS: usize = 64;
const MOST_ADDRESSES: usize = 1024;

impl Segments {
    pub(crate) fn of<'data, R: ReadRef<'data>>(object: &object::File<'data, R>) -> Self {
        let is_code =
            |flags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.contains(elf::PF_X));
        let segment = |segment: object::Segment<'data, '_, R>| {
            let (offset, file_size) = segment.file_range();
            Segment {
                address: segment.address(),
                memory_size: segment.size(),
                offset,
                file_size,
                align: segment.align(),
                is_code: is_code(segment.flags()),
            }
        };
        Self(object.segments().take(MOST_SEGMENTS).map(segment).collect())
    }

    /// The difference between an address in `mapping` and the virtual address in the file, to judge by where code is in
    /// the file and by these addresses; `None` where they fit in no way.
    ///
    /// Writers begin a mapping where the segment begins, at the page below, whatever size that has, at a later page (the kernel splits a segment
    /// whose rights were changed), or at the beginning of the whole file.
    pub(crate) fn bias(&self, mapping: &Mapping, addresses: &[u64]) -> Option<u64> {
        let code = || self.0.iter().filter(|segment| segment.is_code);
        let other = self.0.iter().filter(|segment| !segment.is_code);
        let exact = code().filter(|segment| segment.offset == mapping.offset);
        let by_offset = |segment: &Segment| segment.bias_by_offset(mapping);
        let own = code().filter_map(|segment| segment.bias_by_alignment(mapping));
        let by_size = code().filter_map(|segment| segment.bias_by_size(mapping));
        // One that covers everything from zero on is that of a writer who has done away with the bias.
        let unmoved = (mapping.start == 0 && mapping.offset == 0).then_some(0);
        let fitting = |bias: u64| {
            let is_code = |address: &&u64| code().any(|segment| segment.contains(address.wrapping_sub(bias)));
            (addresses.iter().take(MOST_ADDRESSES).filter(is_code).count(), bias)
        };
        let mut best = (0, None);
        let of_code = own.chain(exact.chain(code()).filter_map(by_offset)).chain(by_size);
        for (count, bias) in of_code.chain(other.filter_map(by_offset)).chain(unmoved).map(fitting) {
            if count > best.0 {
                best = (count, Some(bias));
            }
        }
        best.1
    }
}

impl Segment {
    fn contains(&self, address: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|offset| offset < self.memory_size)
    }

    /// By the offset of the mapping, if that is in this segment or in its first page.
    fn bias_by_offset(&self, mapping: &Mapping) -> Option<u64> {
        let first = self.offset & !(PAGE - 1);
        let is_inside = (first..self.offset.saturating_add(self.file_size)).contains(&mapping.offset);
        // An address has the same distance from its offset in the whole segment.
        let address = self.address.wrapping_add(mapping.offset).wrapping_sub(self.offset);
        (self.file_size != 0 && is_inside).then(|| mapping.start.wrapping_sub(address))
    }

    /// By the page in which the segment begins, if that is larger than the system's: the mapping ends with the segment,
    /// and has what is before it in the file, too.
    fn bias_by_alignment(&self, mapping: &Mapping) -> Option<u64> {
        let begin = self.large_page()?;
        let is_there = self.offset.checked_sub(self.address - begin) == Some(mapping.offset);
        let bias = mapping.start.wrapping_sub(begin);
        (is_there && mapping.limit.wrapping_sub(bias) == self.end()?).then_some(bias)
    }

    /// By its size, in a file that has no contents of the segment: one of debug information alone, in which offsets mean
    /// nothing.
    fn bias_by_size(&self, mapping: &Mapping) -> Option<u64> {
        if self.file_size != 0 {
            return None;
        }
        let size = mapping.limit.checked_sub(mapping.start)?;
        let bias = mapping.start.wrapping_sub(self.address);
        if size == self.memory_size && bias.is_multiple_of(PAGE) {
            return Some(bias);
        }
        let end = self.end()?;
        let begins = [Some(self.address & !(PAGE - 1)), self.large_page()];
        let mut rounded = begins.into_iter().flatten().filter(|begin| size == end - begin);
        rounded
            .next()
            .filter(|_| mapping.start.is_multiple_of(PAGE))
            .map(|begin| mapping.start.wrapping_sub(begin))
    }

    /// Where the page begins, of the size that the segment is linked for, in which it begins.
    fn large_page(&self) -> Option<u64> {
        self.align.is_power_of_two().then(|| self.address & !(self.align - 1))
    }

    /// The end of the last page.
    fn end(&self) -> Option<u64> {
        self.address.checked_add(self.memory_size)?.checked_next_multiple_of(PAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 0x5500_0000_0000;

    fn segment(address: u64, offset: u64, size: u64, is_code: bool) -> Segment {
        Segment { address, memory_size: size, offset, file_size: size, align: PAGE, is_code }
    }

    /// As rust-lld lays a file out: each segment begins in the page of the file in which the last one ended, at the
    /// next page of memory.
    fn lld() -> Segments {
        Segments(vec![
            segment(0, 0, 0x1_2345, false),
            segment(0x1_3348, 0x1_2348, 0x4_0000, true),
            segment(0x5_4350, 0x5_2350, 0x2000, false),
        ])
    }

    fn mapping(start: u64, limit: u64, offset: u64) -> Mapping {
        Mapping { start: BASE + start, limit: BASE + limit, offset, ..Mapping::default() }
    }

    /// An address at the beginning of the code, and one near its end.
    const CODE: [u64; 2] = [BASE + 0x1_3350, BASE + 0x5_3000];

    #[test]
    fn mappings_of_every_kind_of_writer_lead_to_the_file() {
        let exact = mapping(0x1_3348, 0x5_3348, 0x1_2348);
        let page_below = mapping(0x1_3000, 0x5_4000, 0x1_2000);
        let whole_file = mapping(0, 0x5_6350, 0);
        for mapping in [&exact, &page_below, &whole_file] {
            assert_eq!(lld().bias(mapping, &CODE), Some(BASE), "{mapping:?}");
        }
        let from_the_middle = mapping(0x2_3000, 0x5_4000, 0x2_2000);
        assert_eq!(lld().bias(&from_the_middle, &CODE[1..]), Some(BASE));
    }

    #[test]
    fn a_fixed_program_was_not_moved() {
        let fixed =
            Segments(vec![segment(0x20_0000, 0, 0x500, false), segment(0x20_1500, 0x500, 0x900, true)]);
        let code = Mapping { start: 0x20_1500, limit: 0x20_1e00, offset: 0x500, ..Mapping::default() };
        assert_eq!(fixed.bias(&code, &[0x20_1600]), Some(0));
        let everything = Mapping { limit: u64::MAX, ..Mapping::default() };
        assert_eq!(fixed.bias(&everything, &[0x20_1600]), Some(0));
    }

    #[test]
    fn a_page_that_two_segments_share_is_that_of_the_code() {
        let shared = Segments(vec![segment(0, 0, 0x1800, false), segment(0x2800, 0x1800, 0x300, true)]);
        let page = mapping(0x2000, 0x3000, 0x1000);
        assert_eq!(shared.bias(&page, &[BASE + 0x2900]), Some(BASE));
    }

    /// As rust-lld lays a file out for pages of a mebibyte.
    #[test]
    fn a_large_page_begins_in_the_segment_before() {
        let mut segments = Segments(vec![
            segment(0, 0, 0x1_2345, false),
            segment(0x11_2348, 0x1_2348, 0x20_0000, true),
            segment(0x41_2350, 0x21_2350, 0x2000, false),
        ]);
        segments.0[1].align = 0x10_0000;
        let large_page = mapping(0x10_0000, 0x31_3000, 0);
        let page = mapping(0x11_2000, 0x31_3000, 0x1_2000);
        let whole_file = mapping(0, 0x41_5000, 0);
        for mapping in [&large_page, &page, &whole_file] {
            assert_eq!(segments.bias(mapping, &[BASE + 0x15_0000]), Some(BASE), "{mapping:?}");
        }
        (segments.0[1].offset, segments.0[1].file_size) = (0x348, 0);
        for mapping in [&large_page, &page] {
            assert_eq!(segments.bias(mapping, &[BASE + 0x15_0000]), Some(BASE), "{mapping:?}");
        }
    }

    #[test]
    fn a_file_of_debug_information_is_known_by_sizes() {
        let mut segments = lld();
        segments.0[1].offset = 0;
        segments.0[1].file_size = 0;
        for mapping in [mapping(0x1_3348, 0x5_3348, 0x1_2348), mapping(0x1_3000, 0x5_4000, 0x1_2000)] {
            assert_eq!(segments.bias(&mapping, &CODE), Some(BASE), "{mapping:?}");
        }
        // Its beginning was all that is known.
        assert_eq!(segments.bias(&mapping(0x2_3000, 0x5_4000, 0x2_2000), &CODE), None);
    }

    #[test]
    fn what_fits_nowhere_has_no_bias() {
        let elsewhere = mapping(0x1_3348, 0x5_3348, 0x9_0000);
        assert_eq!(lld().bias(&elsewhere, &CODE), None);
        let exact = mapping(0x1_3348, 0x5_3348, 0x1_2348);
        assert_eq!(lld().bias(&exact, &[BASE + 0x6_0000]), None);
        assert_eq!(Segments::default().bias(&exact, &CODE), None);
        let extreme = Segments(vec![segment(u64::MAX, u64::MAX - 1, u64::MAX, true)]);
        assert_eq!(extreme.bias(&exact, &CODE), None);
    }
}
