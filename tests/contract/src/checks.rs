//! The suite, a file for each subject.

mod bounds;
mod estimates;
mod exact;
mod figures;
mod files;
mod gap;
mod giants;
mod life_cycle;
mod measurements;
mod moments;
mod provider;
mod readers;
mod reallocs;
mod restarts;
mod slack;
mod tags;
mod threads;
mod unsampled;

use crate::Check;

/// Every check, in the order in which a reader would ask for them.
pub(crate) fn all() -> impl Iterator<Item = Check> {
    [
        provider::CHECKS,
        figures::CHECKS,
        slack::CHECKS,
        gap::CHECKS,
        life_cycle::CHECKS,
        exact::CHECKS,
        reallocs::CHECKS,
        threads::CHECKS,
        unsampled::CHECKS,
        restarts::CHECKS,
        readers::CHECKS,
        bounds::CHECKS,
        moments::CHECKS,
        files::CHECKS,
        giants::CHECKS,
        tags::CHECKS,
        measurements::CHECKS,
        estimates::CHECKS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
