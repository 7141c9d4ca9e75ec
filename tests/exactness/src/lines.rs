//! All lines, in their order.

use crate::{
    line::Line, x01_layouts, x02_running_threads, x03_poisson, x04_sizes, x05_mixed, x06_vectors,
    x07_go_vectors, x08_coverage, x09_leak, x10_lossless, x11_first_sample, x12_thinning, x13_handed_on,
    x14_same_program,
};

/// All lines, in their order.
pub(crate) const ALL: &[Line] = &[
    x01_layouts::LINE,
    x02_running_threads::LINE,
    x03_poisson::LINE,
    x04_sizes::LINE,
    x05_mixed::LINE,
    x06_vectors::LINE,
    x07_go_vectors::LINE,
    x08_coverage::LINE,
    x09_leak::LINE,
    x10_lossless::LINE,
    x11_first_sample::LINE,
    x12_thinning::LINE,
    x13_handed_on::LINE,
    x14_same_program::LINE,
];
