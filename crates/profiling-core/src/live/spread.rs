//! An address, spread over 64 bits: where an object is looked for, in the filter and in the table.

use super::{cell::Tag, hints::Hint};
use crate::sync::sized;

/// The bits of an address, mixed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread(u64);

impl Spread {
    /// Bits of [`Spread::cell`].
    pub(super) const CELL_BITS: u32 = sized(29, 3) as u32;

    /// Squared after a multiplication, because by that alone addresses at equal distances, which a heap is
    /// full of, come to lie at equal distances again. An address below 64 KiB, where no heap is, is spread
    /// badly.
    #[inline(always)]
    pub(super) fn of(address: usize) -> Self {
        // The upper half of Knuth's multiplier for MMIX: what fits into an instruction. What is shifted out of
        // the product does not reach its middle; what is shifted out of the square later is the same there.
        let product = (address as u64).wrapping_mul(0x5851_f42d) >> 20;
        Self(product.wrapping_mul(product))
    }

    /// Which cell of the filter: the low bits, as many as it has.
    #[inline(always)]
    pub(super) fn cell(self) -> usize {
        (self.0 >> (u64::BITS - Self::CELL_BITS)) as usize
    }

    /// From the bits below.
    #[inline(always)]
    pub(super) fn tag(self) -> Tag {
        Tag::new(self.0 >> (u64::BITS - Self::CELL_BITS - Tag::BITS))
    }

    /// Two places in the table, as fractions of 2³².
    #[inline(always)]
    pub(super) fn choices(self) -> [u64; 2] {
        let again = self.again();
        [again >> 32, (again ^ again >> 32) & 0xffff_ffff]
    }

    /// From bits of the first place that tell buckets apart in no level of fewer than 2²⁵.
    #[inline(always)]
    pub(super) fn hint(self) -> Hint {
        Hint::new(self.again() >> 32)
    }

    /// Mixed once more, for the table: all its bits are used, and those of the square are not all alike.
    #[inline(always)]
    fn again(self) -> u64 {
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_addresses_spread_over_everything() {
        for stride in [8, 16, 48, 528, 4096, 4112, 1 << 16, (1 << 16) + 16, 1 << 21, 1 << 30] {
            for heap in [0x1d3_c000, 0x200_0800_0000, 0x5581_2a00_0010, 0x7f12_3440_0000] {
                let mut counts = [[0u32; 256]; 3];
                for n in 0..25_600 {
                    let spread = Spread::of(heap + n * stride);
                    let [one, other] = spread.choices().map(|half| half as usize >> 24);
                    counts[0][spread.cell() & 255] += 1;
                    counts[1][one] += 1;
                    counts[2][other] += 1;
                }
                // A hundred in each, ten either way; seven of these are beyond any chance.
                let all = counts.as_flattened();
                assert!(all.iter().all(|count| (30..=170).contains(count)), "{heap:x} {stride}: {all:?}");
            }
        }
    }
}
