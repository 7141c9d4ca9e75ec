use super::*;
use crate::sync::{Model, together};
use std::sync::Arc;

/// Rules that are told apart, of addresses in one bucket.
fn rule(address: usize) -> Rule {
    Rule::new(false, 8 * address as i64, None)
}

type Words = [AtomicU64; ENTRIES];

fn put(words: &Words, address: usize) {
    let cache = RuleCache::new(words).unwrap();
    cache.put(address, rule(address));
    assert!(cache.get(address).is_none_or(|found| found == rule(address)));
}

#[test]
fn an_address_gets_its_own_rule_or_none() {
    Model::check(|| {
        let words = Arc::new(Words::default());
        put(&words, 1);
        let read = |words: &Words| {
            let cache = RuleCache::new(words).unwrap();
            for address in 1..4 {
                assert!(cache.get(address).is_none_or(|found| found == rule(address)));
            }
            assert!(!cache.is_first(1, rule(2)));
        };
        together(&words, [|words| put(words, 2), |words| put(words, 3), read]);
        let cache = RuleCache::new(&*words).unwrap();
        assert!((1..4).any(|address| cache.get(address) == Some(rule(address))));
        assert_eq!(cache.get(4), None);
    });
}
