//! Which tag marks, where spans are entered and left in all kinds of order, on one thread and on several.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    sync::{Mutex, PoisonError, mpsc::channel},
    thread,
};

use allometer_core::{Config, Profiler, SamplingAllocator, Tag, tag};
use allometer_system::System;
use allometer_tracing::TagLayer;
use tracing::{Span, field::Empty, info_span, subscriber::with_default};
use tracing_subscriber::{Layer, Registry, filter::filter_fn, layer::SubscriberExt, registry};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

/// There is one session in a process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A session that counts every request.
fn session() -> Profiler {
    Profiler::start(Config::default().sample_interval(1)).unwrap()
}

/// What a request of this thread is marked with now.
fn mark(session: &Profiler) -> Option<&'static str> {
    // A size that nothing else asks for.
    const SIZE: usize = 123_457;
    let block = std::hint::black_box(vec![7_u8; SIZE]);
    let snapshot = session.snapshot().unwrap();
    drop(block);
    let mut samples = snapshot.live_samples().iter().filter(|sample| sample.size == SIZE);
    let (sample, None) = (samples.next().unwrap(), samples.next()) else { panic!("more than one block") };
    let site = snapshot.since_start().sites().find(|site| site.id == sample.site).unwrap();
    site.tag.map(Tag::name)
}

/// Runs `body` under a layer; what it is given asserts what a request is marked with at that moment.
fn under(layer: impl Layer<Registry> + Send + Sync, body: impl FnOnce(&dyn Fn(Option<&str>))) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let session = session();
    let assert_marked = |expected: Option<&str>| assert_eq!(mark(&session), expected);
    with_default(registry().with(layer), || body(&assert_marked));
    assert_marked(None);
}

#[test]
fn a_span_marks_from_entry_to_exit() {
    under(TagLayer::by_name(), |assert_marked| {
        let outer = info_span!("outer");
        assert_marked(None);
        outer.in_scope(|| {
            assert_marked(Some("outer"));
            info_span!("inner").in_scope(|| assert_marked(Some("inner")));
            assert_marked(Some("outer"));
        });
    });
}

#[test]
fn a_field_is_a_tag_whatever_its_type() {
    under(TagLayer::by_field("tenant"), |assert_marked| {
        info_span!("request", tenant = "acme").in_scope(|| assert_marked(Some("acme")));
        info_span!("request", tenant = 17_u64).in_scope(|| assert_marked(Some("17")));
        info_span!("request", tenant = -1).in_scope(|| assert_marked(Some("-1")));
        info_span!("request", tenant = true).in_scope(|| assert_marked(Some("true")));
        info_span!("request", tenant = ?Some(3)).in_scope(|| assert_marked(Some("Some(3)")));
        info_span!("request", tenant = %"displayed").in_scope(|| assert_marked(Some("displayed")));
        info_span!("request", tenant = "two\nlines").in_scope(|| assert_marked(Some(r"two\nlines")));
        info_span!("request", user = "acme").in_scope(|| assert_marked(None));
        info_span!("request", tenant = Empty).in_scope(|| assert_marked(None));
    });
}

#[test]
fn a_span_without_a_tag_has_that_around_it() {
    under(TagLayer::by_field("tenant"), |assert_marked| {
        let request = info_span!("request", tenant = "acme");
        let query = info_span!(parent: &request, "query");
        let row = info_span!(parent: &query, "row");
        // Entered without those around it, as a task of its own is.
        row.in_scope(|| assert_marked(Some("acme")));
        let other = info_span!(parent: &query, "other", tenant = "globex");
        request.in_scope(|| other.in_scope(|| row.in_scope(|| assert_marked(Some("acme")))));
        info_span!(parent: &other, "leaf").in_scope(|| assert_marked(Some("globex")));
        info_span!(parent: None, "root").in_scope(|| assert_marked(None));
    });
}

#[test]
fn a_field_that_is_recorded_later_counts_from_then_on() {
    under(TagLayer::by_field("tenant"), |assert_marked| {
        let request = info_span!("request", tenant = Empty);
        let query = info_span!(parent: &request, "query");
        let entered = request.enter();
        assert_marked(None);
        Span::current().record("tenant", "acme");
        assert_marked(Some("acme"));
        query.in_scope(|| {
            assert_marked(Some("acme"));
            request.record("tenant", "globex");
            assert_marked(Some("globex"));
        });
        let manual = tag("by hand");
        request.record("tenant", "initech");
        assert_marked(Some("by hand"));
        drop(manual);
        assert_marked(Some("initech"));
        drop(entered);
        query.in_scope(|| assert_marked(Some("initech")));
    });
}

#[test]
fn what_is_recorded_outside_stays_outside() {
    under(TagLayer::by_field("tenant"), |assert_marked| {
        let request = info_span!("request", tenant = Empty);
        let inner = info_span!(parent: &request, "inner", tenant = "inner");
        let _request = request.enter();
        let _inner = inner.enter();
        request.record("tenant", "outer");
        assert_marked(Some("inner"));
    });
}

#[test]
fn spans_may_be_left_in_any_order() {
    under(TagLayer::by_name(), |assert_marked| {
        let spans = [info_span!("a"), info_span!("b"), info_span!("c")];
        let names = ["a", "b", "c"];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut entered = spans.each_ref().map(|span| Some(span.enter()));
            for left in order {
                entered[left] = None;
                let last =
                    entered.iter().zip(names).rev().find_map(|(span, name)| span.as_ref().map(|_| name));
                assert_marked(last);
            }
        }
    });
}

#[test]
fn one_span_can_be_entered_again() {
    under(TagLayer::by_name(), |assert_marked| {
        let (one, other) = (info_span!("one"), info_span!("other"));
        one.in_scope(|| {
            other.in_scope(|| {
                one.in_scope(|| assert_marked(Some("one")));
                assert_marked(Some("other"));
            });
            assert_marked(Some("one"));
        });
    });
}

#[test]
fn guards_around_and_inside_spans_are_right() {
    under(TagLayer::by_field("tenant"), |assert_marked| {
        let _around = tag("around");
        info_span!("without").in_scope(|| assert_marked(Some("around")));
        let span = info_span!("request", tenant = "acme");
        let entered = span.enter();
        assert_marked(Some("acme"));
        let inside = tag("inside");
        assert_marked(Some("inside"));
        // The span is left while a guard of inside it is still held.
        drop(entered);
        assert_marked(Some("inside"));
        let entered = span.enter();
        assert_marked(Some("acme"));
        drop(inside);
        assert_marked(Some("acme"));
        drop(entered);
        assert_marked(Some("around"));
        drop(_around);
        assert_marked(None);
    });
}

#[test]
fn a_span_marks_on_each_thread_that_is_in_it() {
    under(TagLayer::by_name(), |assert_marked| {
        let span = info_span!("shared");
        let _here = span.enter();
        let (go_on, order) = channel::<()>();
        let (is_in, there) = channel();
        let dispatch = tracing::dispatcher::get_default(Clone::clone);
        let entered = span.clone();
        let thread = thread::spawn(move || {
            tracing::dispatcher::with_default(&dispatch, || {
                entered.in_scope(|| {
                    is_in.send(()).unwrap();
                    order.recv().unwrap();
                });
                is_in.send(()).unwrap();
                order.recv().unwrap();
            });
        });
        there.recv().unwrap();
        assert_marked(Some("shared"));
        go_on.send(()).unwrap();
        there.recv().unwrap();
        assert_marked(Some("shared"));
        go_on.send(()).unwrap();
        thread.join().unwrap();
    });
}

#[test]
fn a_filter_chooses_spans() {
    let layer = TagLayer::by_name().with_filter(filter_fn(|metadata| metadata.name() != "noise"));
    under(layer, |assert_marked| {
        info_span!("request").in_scope(|| info_span!("noise").in_scope(|| assert_marked(Some("request"))));
        info_span!("noise").in_scope(|| assert_marked(None));
    });
}

#[test]
fn a_thread_that_ends_inside_spans_leaves_nothing() {
    under(TagLayer::by_name(), |assert_marked| {
        let span = info_span!("left open");
        let dispatch = tracing::dispatcher::get_default(Clone::clone);
        let ends = span.clone();
        let ends_inside =
            move || tracing::dispatcher::with_default(&dispatch, || std::mem::forget(ends.entered()));
        thread::spawn(ends_inside).join().unwrap();
        assert_marked(None);
        span.in_scope(|| assert_marked(Some("left open")));
    });
}
