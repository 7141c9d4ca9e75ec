/// What is known of a source that is not as with the sampler, and has tests of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// By how much of itself a figure can be off beyond its errors.
    pub bias: f64,
    /// The names of checks that do not hold.
    pub leaves_out: &'static [&'static str],
}
