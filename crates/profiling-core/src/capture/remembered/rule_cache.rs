//! The rules of return addresses that were seen before: a hash table of single words, without locks.

use super::rule::{RULE_BITS, Rule};
use crate::sync::{AtomicU64, Ordering::Relaxed, sized};

/// Rules by return address, in buckets of eight words, each a cache line.
///
/// An entry is one word, so it is never torn: its address, moved up, and the rule, added without carry to the
/// lower bits. These hold the bits of the address that choose the bucket, which all entries of it share, so that
/// an address takes just its own rule out of its entry, and nothing that looks like a rule out of another's.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleCache<'a> {
    words: &'a [AtomicU64; ENTRIES],
}

/// Entries: 512 KiB. The largest programs that were looked at have some ten thousand addresses.
pub(super) const ENTRIES: usize = BUCKETS * WAYS;
const BUCKETS: usize = sized(1 << 13, 1);
const WAYS: usize = sized(8, 2);
/// How far up an address of 47 bits can be moved.
const SHIFT: u32 = sized(17, 30) as u32;
const _: () = assert!(1 << RULE_BITS <= BUCKETS << SHIFT, "a rule fits below the address");

impl<'a> RuleCache<'a> {
    /// Over [`ENTRIES`] words, which are zero or were used by a cache before.
    pub(super) fn new(words: &'a [AtomicU64]) -> Option<Self> {
        Some(Self { words: words.try_into().ok()? })
    }

    #[inline(always)]
    fn bucket(&self, address: usize) -> &'a [AtomicU64] {
        &self.words[address % BUCKETS * WAYS..][..WAYS]
    }

    /// Whether `rule` is that of a return address and stands first in its bucket, as nearly all do.
    #[inline(always)]
    pub(super) fn is_first(&self, address: usize, rule: Rule) -> bool {
        self.bucket(address)[0].load(Relaxed) == entry(address, rule)
    }

    /// The rule of a return address, if it is here.
    #[inline(always)]
    pub(super) fn get(&self, address: usize) -> Option<Rule> {
        self.bucket(address).iter().find_map(|word| in_entry(word.load(Relaxed), address))
    }

    /// Remembers a rule; in a full bucket it takes the place of another.
    pub(super) fn put(&self, address: usize, rule: Rule) {
        let new = entry(address, rule);
        let bucket = self.bucket(address);
        for word in bucket {
            let old = word.load(Relaxed);
            if in_entry(old, address).is_some() {
                return;
            }
            if old == 0 && word.compare_exchange(0, new, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
        bucket[address / BUCKETS % WAYS].store(new, Relaxed);
    }
}

#[inline(always)]
fn entry(address: usize, rule: Rule) -> u64 {
    (address as u64) << SHIFT ^ u64::from(rule.to_bits())
}

/// The rule of `address` in a word of its bucket, if the word is its entry.
#[inline(always)]
fn in_entry(word: u64, address: usize) -> Option<Rule> {
    Rule::from_bits(word ^ (address as u64) << SHIFT)
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> RuleCache<'static> {
        let words: Vec<AtomicU64> = (0..ENTRIES).map(|_| AtomicU64::new(0)).collect();
        RuleCache::new(words.leak()).unwrap()
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
