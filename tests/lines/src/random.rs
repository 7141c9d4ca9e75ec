//! The choices of a measurement: the same ones each time.

/// A stream of random numbers: xorshift with a multiplication (Vigna, "An experimental exploration of
/// Marsaglia's xorshift generators, scrambled", 2016).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream with this number.
    #[must_use]
    pub fn new(stream: u64) -> Self {
        // Streams with neighbouring numbers start far apart, and none at zero, which would stay there.
        Self(stream.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, each as likely as the others.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
