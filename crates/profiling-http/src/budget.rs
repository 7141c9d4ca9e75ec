//! Something of which there is only so much.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use bytes::Bytes;

/// Something of which there is only so much: bytes of answers that nobody has read yet, or requests that wait.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    taken: Arc<AtomicUsize>,
    max: usize,
}

/// A share of a budget, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Budget,
    amount: usize,
}

impl Budget {
    pub(crate) fn new(max: usize) -> Self {
        Self { taken: Arc::default(), max }
    }

    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// None if less than `amount` is left.
    pub(crate) fn take(&self, amount: usize) -> Option<Share> {
        let more = |taken: usize| taken.checked_add(amount).filter(|sum| *sum <= self.max);
        self.taken.fetch_update(Relaxed, Relaxed, more).ok()?;
        Some(Share { budget: self.clone(), amount })
    }
}

impl Share {
    /// Bytes that hold the share as long as a part of them is anywhere.
    pub(crate) fn held_by(self, bytes: Vec<u8>) -> Bytes {
        Bytes::from_owner(Held { bytes, _share: self })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.taken.fetch_sub(self.amount, Relaxed);
    }
}

struct Held {
    bytes: Vec<u8>,
    _share: Share,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_given_back() {
        let budget = Budget::new(10);
        let bytes = budget.take(6).unwrap().held_by(b"answer".to_vec());
        assert!(budget.take(5).is_none());
        let part = bytes.slice(2..4);
        drop(bytes);
        assert!(budget.take(5).is_none(), "a part of it is still there");
        drop(part);
        let all = budget.take(10).unwrap();
        assert!(budget.take(1).is_none() && budget.take(usize::MAX).is_none());
        drop(all);
        assert!(budget.take(10).is_some());
    }
}
