//! Functions whose blocks a profile tells apart, and what each of them makes.

use allometer_contract::Block;

use crate::expected::probability;

/// A function that makes blocks of some sizes, one after the other.
pub(crate) struct Site {
    pub(crate) make: fn(usize) -> Block,
    /// Its name, as [`allometer_contract::Decoded::at`] takes it.
    pub(crate) name: &'static str,
    /// Sizes in bytes.
    pub(crate) sizes: &'static [usize],
    /// How many blocks it makes at a time.
    pub(crate) count: usize,
}

/// Declares functions that make a block of a size each.
macro_rules! functions {
    ($($name:ident),*) => {$(
        #[inline(never)]
        fn $name(size: usize) -> allometer_contract::Block {
            // Something of its own, or the compiler would make one function of all.
            std::hint::black_box(stringify!($name));
            allometer_contract::Block::new(size, 8).unwrap()
        }
    )*};
}

/// The site of a function of this module, which is called by another one, or by nobody in between.
macro_rules! site {
    ($name:ident by $make:ident, $sizes:expr, $count:expr) => {
        crate::sites::Site {
            make: $make,
            name: concat!(module_path!(), "::", stringify!($name)),
            sizes: &$sizes,
            count: $count,
        }
    };
    ($name:ident, $sizes:expr, $count:expr) => {
        site!($name by $name, $sizes, $count)
    };
}

pub(crate) use {functions, site};

impl Site {
    /// So many blocks.
    pub(crate) fn blocks(&self, count: usize) -> impl Iterator<Item = Block> {
        self.sizes.iter().cycle().take(count).map(|&size| (self.make)(size))
    }

    /// Frees every second one, of each size as many.
    pub(crate) fn free_half(&self, blocks: &mut Vec<Block>) {
        let mut number = 0;
        blocks.retain(|_| {
            number += 1;
            ((number - 1) / self.sizes.len()).is_multiple_of(2)
        });
    }

    /// Samples expected of `count` blocks.
    pub(crate) fn expected_samples(&self, interval: u64) -> f64 {
        let each = self.sizes.iter().map(|&size| probability(size, interval)).sum::<f64>();
        each * self.count as f64 / self.sizes.len() as f64
    }
}
