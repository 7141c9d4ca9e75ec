//! What a program's own requests have of clients that overload its profiler.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use crate::{
    error::Error,
    targets::{
        line::Figure,
        serve::{client::Client, overload::CLIENTS, shop::Shop},
    },
    workspace::Workspace,
};

/// Pairs of a time without and a time with it.
const PAIRS: usize = 7;
/// Requests whose median is a time.
const REQUESTS: usize = 400;

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let shop = Shop::start(workspace, "on", Duration::from_secs(10))?;
    for number in 0..3000 {
        Shop::buy(&shop.client, number)?;
    }
    let mut ratios = Vec::new();
    let mut alone = Vec::new();
    for _ in 0..PAIRS {
        let without = median(&shop)?;
        let with = overloaded(&shop.client, || median(&shop))?;
        ratios.push(with / without);
        alone.push(without * 1e6);
    }
    ratios.sort_by(f64::total_cmp);
    alone.sort_by(f64::total_cmp);
    Ok(Figure::of(
        true,
        format!(
            "median request {:.0} µs alone; {:.2} times that with {CLIENTS} clients of the profiler that come again each second ({:.2} to {:.2} in {PAIRS} pairs)",
            alone[PAIRS / 2],
            ratios[PAIRS / 2],
            ratios[0],
            ratios[PAIRS - 1],
        ),
    ))
}

/// The median time of a request, in seconds.
fn median(shop: &Shop) -> Result<f64, Error> {
    let mut times = Vec::with_capacity(REQUESTS);
    for number in 0..REQUESTS {
        let start = Instant::now();
        Shop::buy(&shop.client, number)?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[REQUESTS / 2])
}

/// Does `work` while clients ask for profiles, each of which comes again a second later, as it is told.
fn overloaded<T>(client: &Client, work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    // Refused or not: it is the load that counts.
                    let _ = client.get("/debug/pprof/heap");
                    thread::sleep(Duration::from_secs(1));
                }
            });
        }
        let done = work();
        is_over.store(true, Relaxed);
        done
    })
}
