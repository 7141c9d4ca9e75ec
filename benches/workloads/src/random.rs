//! Numbers that are the same in each run.

/// A generator that costs the program little: a multiplication and an addition a number.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(spread(seed))
    }

    /// 32 random bits.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> u32 {
        // Knuth's constants for MMIX; its low bits are poor.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}

/// The bits of `number`, spread over all 64 (the last step of `SplitMix64`); distinct numbers stay distinct.
pub(crate) fn spread(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
