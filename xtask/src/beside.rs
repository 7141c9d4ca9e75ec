//! Work on several things at a time.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use crate::error::Error;

/// Does `work` for each item, so many at a time; answers in their order. After an error nothing new is begun.
pub(crate) fn each<I: Sync, T: Send>(
    at_a_time: usize,
    items: &[I],
    work: impl Fn(&I) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let left = Mutex::new(items.iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || {
        let mut done = Vec::new();
        while let Some((position, item)) = next() {
            match work(item) {
                Ok(value) => done.push((position, value)),
                Err(error) => {
                    while next().is_some() {}
                    return Err(error);
                }
            }
        }
        Ok(done)
    };
    let mut done = Vec::new();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..at_a_time).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            done.extend(worker.join().unwrap_or(Err(Error::Interrupted))?);
        }
        Ok(())
    })?;
    done.sort_by_key(|(position, _)| *position);
    Ok(done.into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    fn items(count: usize) -> Vec<String> {
        (0..count).map(|number| number.to_string()).collect()
    }

    #[test]
    fn answers_are_in_order_whoever_is_faster() {
        let doubled = each(3, &items(20), |item| Ok(2 * item.parse::<usize>().unwrap())).unwrap();
        assert_eq!(doubled, (0..20).map(|number| 2 * number).collect::<Vec<_>>());
    }

    #[test]
    fn after_an_error_nothing_is_begun() {
        let begun = AtomicUsize::new(0);
        let result = each(1, &items(20), |item| {
            begun.fetch_add(1, SeqCst);
            if item == "3" { Err(Error::Interrupted) } else { Ok(()) }
        });
        assert!(result.is_err());
        assert_eq!(begun.load(SeqCst), 4);
    }
}
