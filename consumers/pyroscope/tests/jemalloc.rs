//! The backend over jemalloc's own profiler, as the agent calls it.

use std::hint::black_box;

use allometer::jemalloc::{Jemalloc, JemallocConfig, JemallocProfiler};
use allometer_contract::{Decoded, Values};
use pyroscope::backend::{BackendImpl, BackendReady, ReportData};

#[global_allocator]
static ALLOC: Jemalloc = Jemalloc;

/// Each request is sampled, so that figures are exact, but for sizes, which are those of size classes.
#[unsafe(export_name = "_rjem_malloc_conf")]
static CONF: &[u8; 61] = b"prof:true,prof_active:false,prof_accum:true,lg_prof_sample:0\0";

#[inline(never)]
fn block(size: usize) -> Vec<u8> {
    black_box(vec![1; size])
}

fn report(backend: &mut BackendImpl<BackendReady>) -> Decoded {
    let ReportData::RawPprof(pprof) = backend.report().unwrap().data else { panic!("no pprof") };
    Decoded::new(&pprof)
}

#[test]
fn reports_follow_each_other() {
    let mut profiler = JemallocProfiler::start(&JemallocConfig::default()).unwrap();
    let before = block(80);
    let mut backend = allometer_pyroscope::backend(profiler.reader()).initialize().unwrap();
    let during = block(8);
    assert_eq!(report(&mut backend).at("jemalloc::block"), Values::new((1, 8), (2, 88)));
    drop((before, during));
    assert_eq!(report(&mut backend).at("jemalloc::block"), Values::default());
    profiler.stop().unwrap();
    assert_eq!(report(&mut backend).total(), Values::default());
    backend.shutdown().unwrap();
}
