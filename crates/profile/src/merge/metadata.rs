use std::collections::BTreeSet;

use crate::{Loss, Metadata, pprof::TOTAL};

/// What a merged profile says about itself.
pub(super) fn merge(all: Vec<Metadata>) -> Metadata {
    let Some(first) = all.first() else { return Metadata::default() };
    let intervals: BTreeSet<u64> = all.iter().map(|each| each.sample_interval).collect();
    let providers: BTreeSet<Option<&str>> = all.iter().map(|each| each.provider.as_deref()).collect();
    let without_live = all.iter().filter(|each| !each.live).count();

    let mut comments = Vec::new();
    if intervals.len() > 1 {
        comments.push(format!(
            "merged from profiles of different sample intervals: {}",
            listed(intervals.iter().map(interval))
        ));
    }
    if providers.len() > 1 {
        let providers = providers.iter().map(|provider| provider.unwrap_or("unknown").to_owned());
        comments.push(format!("merged from profiles of different allocators: {}", listed(providers)));
    }
    if without_live > 0 && without_live < all.len() {
        comments.push(format!(
            "merged: live objects were not recorded in {without_live} of {} profiles",
            all.len()
        ));
    }
    let mut merged = Metadata {
        start: all.iter().filter_map(|each| each.start).min(),
        duration: all
            .iter()
            .fold(Default::default(), |sum: std::time::Duration, each| sum.saturating_add(each.duration)),
        sample_interval: if intervals.len() == 1 { first.sample_interval } else { 0 },
        provider: first.provider.clone().filter(|_| providers.len() == 1),
        default_type: first.default_type,
        live: without_live < all.len(),
        comments,
        ..Metadata::default()
    };
    for each in all {
        add_sizes(&mut merged.sizes, &each.sizes);
        each.losses.into_iter().for_each(|loss| add_loss(&mut merged.losses, loss));
        add_new(&mut merged.left_out_at_leaf, each.left_out_at_leaf);
        // The errors of one profile's totals are not those of the sum.
        let comments = each.comments.into_iter().filter(|comment| !comment.starts_with(TOTAL));
        add_new(&mut merged.comments, comments);
    }
    merged
}

fn interval(interval: &u64) -> String {
    match interval {
        0 => "unknown".to_owned(),
        interval => format!("{interval} bytes"),
    }
}

fn listed(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

fn add_sizes(sizes: &mut Vec<f64>, more: &[f64]) {
    sizes.resize(sizes.len().max(more.len()), 0.0);
    sizes.iter_mut().zip(more).for_each(|(objects, more)| *objects += more);
}

fn add_loss(losses: &mut Vec<Loss>, loss: Loss) {
    match losses.iter_mut().find(|other| other.what == loss.what) {
        Some(other) => {
            other.events = other.events.saturating_add(loss.events);
            other.amount = other.amount + loss.amount;
        }
        None => losses.push(loss),
    }
}

/// Adds the lines that are not there yet. A stranger's profile can have any number of them.
fn add_new(lines: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    let mut known: BTreeSet<String> = lines.iter().cloned().collect();
    lines.extend(more.into_iter().filter(|line| known.insert(line.clone())));
}
