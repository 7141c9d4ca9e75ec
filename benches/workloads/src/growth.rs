//! Vectors that grow by pushes.

use std::hint::black_box;

/// Grows `n` vectors of eight-byte numbers to 1 MiB by pushes: 32 bytes at first, then 15 growth steps each.
pub(crate) fn growth(n: u64) {
    for _ in 0..n {
        let mut numbers: Vec<u64> = Vec::new();
        for number in 0..(1 << 20) / size_of::<u64>() as u64 {
            black_box(&mut numbers).push(number);
        }
    }
}
