//! The backend as the agent calls it, in this process: when its reports begin and end.

use std::{
    hint::black_box,
    sync::{Mutex, MutexGuard, PoisonError},
};

use allometer::{Config, Profiler, SamplingAllocator, system::System};
use allometer_contract::{Decoded, Values};
use pyroscope::{
    ThreadId,
    backend::{BackendImpl, BackendReady, ReportData, Tag, ThreadTag},
};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

/// A process has one session at a time.
static ONE: Mutex<()> = Mutex::new(());

fn session() -> (MutexGuard<'static, ()>, Profiler) {
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    (one, Profiler::start(Config::default().sample_interval(1)).unwrap())
}

#[inline(never)]
fn block(size: usize) -> Vec<u8> {
    black_box(vec![1; size])
}

fn report(backend: &mut BackendImpl<BackendReady>) -> Decoded {
    let batch = backend.report().unwrap();
    assert_eq!(batch.profile_type, "memory");
    let ReportData::RawPprof(pprof) = batch.data else { panic!("no pprof") };
    Decoded::new(&pprof)
}

#[test]
fn reports_begin_when_the_agent_is_built() {
    let (_one, profiler) = session();
    let before = block(70);
    let backend = allometer_pyroscope::backend(profiler.reader());
    let until = block(5);
    let mut backend = backend.initialize().unwrap();
    let during = block(7);
    assert_eq!(report(&mut backend).at("backend::block"), Values::new((1, 7), (3, 82)));
    drop((before, until, during));
    assert_eq!(report(&mut backend).at("backend::block"), Values::default());
    backend.shutdown().unwrap();
}

#[test]
fn a_session_that_is_over_has_no_agent() {
    let (_one, mut profiler) = session();
    profiler.stop();
    let error = allometer_pyroscope::backend(profiler.reader()).initialize().err().unwrap().to_string();
    assert_eq!(error, "the heap cannot be profiled: the session is not active: Inactive");
}

#[test]
fn a_later_session_is_not_that_of_the_agent() {
    let (_one, mut profiler) = session();
    let mut backend = allometer_pyroscope::backend(profiler.reader()).initialize().unwrap();
    profiler.stop();
    let later = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let _kept = block(9);
    assert_eq!(report(&mut backend).total(), Values::default());
    assert_eq!(report(&mut backend).total(), Values::default());
    drop(later);
}

#[test]
fn tags_of_the_agent_change_nothing() {
    let (_one, profiler) = session();
    let mut backend = allometer_pyroscope::backend(profiler.reader()).initialize().unwrap();
    let tag = || ThreadTag::new(ThreadId::pthread_self(), Tag::new("tenant".to_owned(), "acme".to_owned()));
    backend.add_tag(tag()).unwrap();
    let _kept = block(9);
    assert_eq!(report(&mut backend).at_with_tag("backend::block", None), Values::new((1, 9), (1, 9)));
    backend.remove_tag(tag()).unwrap();
}
