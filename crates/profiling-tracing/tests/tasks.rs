//! Memory goes to the tenant whose task asked for it, while the tasks of all tenants move between threads.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used)]

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread::{self, ThreadId},
};

use allometer_core::{Config, Profiler, SamplingAllocator};
use allometer_profile::{Profile, Sample};
use allometer_system::System;
use allometer_tracing::TagLayer;
use tokio::runtime::{Builder, Runtime};
use tracing::{Instrument, info_span};
use tracing_subscriber::layer::SubscriberExt;

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const WORKERS: usize = 4;
const TASKS: usize = 20;
const STEPS: usize = 40;
/// Each tenant, and how many bytes its tasks request at each step.
const TENANTS: [(&str, usize); 3] = [("acme", 100), ("globex", 1000), ("initech", 7)];

/// `size` bytes.
#[inline(never)]
fn made(size: usize) -> Vec<u8> {
    std::hint::black_box(vec![7; size])
}

/// Bytes that [`made`] requested while `body` ran, by tag.
fn made_during(session: &Profiler, body: impl FnOnce()) -> BTreeMap<Option<String>, u64> {
    let before = session.snapshot().unwrap();
    body();
    let after = session.snapshot().unwrap();
    let profile = after.since(&before).unwrap().profile();
    let mut bytes = BTreeMap::new();
    for sample in profile.samples.iter().filter(|sample| is_through(&profile, sample, "made")) {
        let tag = sample.tag.as_deref().map(str::to_owned);
        *bytes.entry(tag).or_default() += sample.figures.alloc.bytes.value as u64;
    }
    bytes
}

fn is_through(profile: &Profile, sample: &Sample, function: &str) -> bool {
    let lines = sample.stack.iter().filter_map(|index| profile.location(*index)).flat_map(|at| &at.lines);
    let mut names = lines.filter_map(|line| profile.function(line.function)).map(|line| &line.name);
    names.any(|name| name.rsplit("::").next() == Some(function))
}

/// A runtime whose workers request memory when they have nothing to do and when they end: nobody's.
fn runtime() -> Runtime {
    let nobody_s = || drop(made(13));
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(WORKERS).on_thread_park(nobody_s).on_thread_stop(nobody_s).build().unwrap()
}

/// One request of a tenant: it waits after each step, and does half of its work in a span without a tag.
async fn request(size: usize) -> HashSet<ThreadId> {
    let mut threads = HashSet::new();
    let mut kept = Vec::new();
    for _ in 0..STEPS {
        kept.push(made(size));
        tokio::task::yield_now().await;
        let query = async {
            kept.push(made(size));
            tokio::task::yield_now().await;
            kept.push(made(size));
        };
        query.instrument(info_span!("query", rows = 3)).await;
        threads.insert(thread::current().id());
    }
    threads
}

/// Runs all requests; answers on how many threads the one that moved most was.
fn run() -> usize {
    let runtime = runtime();
    let most = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..TASKS {
        for (tenant, size) in TENANTS {
            let most = Arc::clone(&most);
            let task = async move {
                most.fetch_max(request(size).await.len(), Relaxed);
            };
            tasks.push(runtime.spawn(task.instrument(info_span!("request", tenant))));
        }
        tasks.push(runtime.spawn(async { drop(made(13)) }));
    }
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    drop(runtime);
    most.load(Relaxed)
}

#[test]
fn each_tenant_has_what_it_asked_for() {
    let subscriber = tracing_subscriber::registry().with(TagLayer::by_field("tenant"));
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let session = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let mut moved = 1;
    // That a task moves is likely in each run, and not certain.
    for _ in 0..50 {
        let mut requested = made_during(&session, || moved = run());
        let nobody_s = requested.remove(&None).unwrap();
        assert!(nobody_s >= 13 * (TASKS + WORKERS) as u64 && nobody_s.is_multiple_of(13), "{nobody_s}");
        let of_tenant =
            |(tenant, size): (&str, usize)| (Some(tenant.to_owned()), (TASKS * STEPS * 3 * size) as u64);
        assert_eq!(requested, BTreeMap::from(TENANTS.map(of_tenant)));
        if moved > 1 {
            break;
        }
    }
    assert!(moved > 1, "no task has moved");
}
