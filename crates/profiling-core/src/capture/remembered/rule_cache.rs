//! The rules of return addresses that were seen before: a hash table of single words, without locks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::rule::{RULE_BITS, Rule};

/// Rules by return address, in buckets of eight words, each a cache line.
///
/// An entry is one word, so it is never torn: below, the rule; above, what is left of the address when the
/// bits that chose the bucket are taken away. Addresses have 47 bits and are multiplied by an odd number
/// modulo 2⁴⁷, which can be undone: so a word belongs to exactly one address.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleCache<'a> {
    words: &'a [AtomicU64],
}

/// Entries: 512 KiB. The largest programs that were looked at have some ten thousand addresses.
pub(super) const ENTRIES: usize = 1 << (BUCKET_BITS + 3);
const BUCKET_BITS: u32 = 13;
const WAYS: usize = 8;
const ADDRESS_BITS: u32 = 47;
const ADDRESS_MASK: u64 = (1 << ADDRESS_BITS) - 1;
const _: () = assert!(ADDRESS_BITS - BUCKET_BITS + RULE_BITS < u64::BITS);
/// Tells an entry from an empty word.
const USED: u64 = 1 << 63;

impl<'a> RuleCache<'a> {
    /// Over [`ENTRIES`] words, which are zero or were used by a cache before.
    pub(super) fn new(words: &'a [AtomicU64]) -> Self {
        assert!(words.len() == ENTRIES);
        Self { words }
    }

    #[inline(always)]
    fn bucket(&self, address: usize) -> (&'a [AtomicU64], u64) {
        let hash = (address as u64).wrapping_mul(0x4f6c_dd1d_9e37_79b9) & ADDRESS_MASK;
        let bucket = (hash >> (ADDRESS_BITS - BUCKET_BITS)) as usize;
        let tag = hash & (ADDRESS_MASK >> BUCKET_BITS);
        (&self.words[bucket * WAYS..][..WAYS], USED | tag << RULE_BITS)
    }

    /// The rule of a return address, if it is here.
    #[inline(always)]
    pub(super) fn get(&self, address: usize) -> Option<Rule> {
        let (bucket, tag) = self.bucket(address);
        for word in bucket {
            let found = word.load(Relaxed);
            if found >> RULE_BITS == tag >> RULE_BITS {
                return Some(Rule::from_bits(found as u32 & ((1 << RULE_BITS) - 1)));
            }
        }
        None
    }

    /// Remembers a rule; in a full bucket it takes the place of another.
    pub(super) fn put(&self, address: usize, rule: Rule) {
        let (bucket, tag) = self.bucket(address);
        let new = tag | u64::from(rule.to_bits());
        for word in bucket {
            let old = word.load(Relaxed);
            if old >> RULE_BITS == tag >> RULE_BITS {
                return;
            }
            if old == 0 && word.compare_exchange(0, new, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
        bucket[(tag >> RULE_BITS) as usize % WAYS].store(new, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> RuleCache<'static> {
        let words: Vec<AtomicU64> = (0..ENTRIES).map(|_| AtomicU64::new(0)).collect();
        RuleCache::new(words.leak())
    }

    #[test]
    fn remembers_what_was_put() {
        let cache = cache();
        let address = |n: usize| 0x5555_0000_1000 + n * 5;
        let rule = |n: usize| Rule::new(n.is_multiple_of(2), 8 + 8 * (n as i64 % 1000), None);
        (0..20_000).for_each(|n| cache.put(address(n), rule(n)));
        let known = |n: &usize| match cache.get(address(*n)) {
            Some(found) => found == rule(*n) || panic!("address {n} has another's rule"),
            None => false,
        };
        let found = (0..20_000).filter(known).count();
        assert!(found > 19_500, "{found}");
        assert_eq!(cache.get(address(20_001)), None);
        assert_eq!(cache.get(0), None);
    }

    #[test]
    fn a_full_bucket_replaces() {
        let cache = cache();
        let rule = Rule::new(false, 16, None);
        (0..20 * ENTRIES).for_each(|n| cache.put(n, rule));
        assert_eq!(cache.get(20 * ENTRIES - 1), Some(rule));
        assert_eq!(cache.get(1 << 46), None);
    }
}
