//! Tags: what a thread requests while it holds one is told apart from everything else.

// unsafe: forks.
#![allow(unsafe_code)]

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::channel,
    thread,
};

use allometer_core::{Config, Error, Profiler, Tag, Tagged, measure_thread, tag};

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("tags::mark_to_the_byte", mark_to_the_byte),
    Check::new("tags::frees_give_back_to_the_tag_of_the_request", frees_give_back),
    Check::new(
        "tags::a_resized_object_has_the_tag_of_the_resize",
        a_resized_object_has_the_tag_of_the_resize,
    ),
    Check::new("tags::two_threads_at_one_stack_are_two_samples", two_threads_at_one_stack_are_two_samples),
    Check::new("tags::the_guard_made_last_marks", the_guard_made_last_marks),
    Check::new("tags::guards_may_end_in_any_order", guards_may_end_in_any_order),
    Check::new("tags::beyond_the_bound_are_counted_together", beyond_the_bound_are_counted_together),
    Check::new("tags::without_a_bound_above_zero_there_are_none", without_a_bound_there_are_none),
    Check::new("tags::each_session_admits_its_own", each_session_admits_its_own),
    Check::new("tags::threads_that_run_are_marked_from_the_start", threads_that_run_are_marked),
    Check::new("tags::end_with_their_thread", end_with_their_thread),
    Check::new("tags::a_forked_child_goes_on_with_them", a_forked_child_goes_on_with_them),
    Check::new("tags::the_first_use_of_a_name_requests_nothing", the_first_use_of_a_name_requests_nothing),
    Check::new("tags::do_not_change_what_is_measured", do_not_change_what_is_measured),
    Check::new("tags::names_are_harmless_to_show", names_are_harmless_to_show),
];

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn resized(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

/// So many blocks of this size were made, and are live.
fn kept(blocks: i64, size: i64) -> Values {
    Values::new((blocks, blocks * size), (blocks, blocks * size))
}

fn mark_to_the_byte(_: &Subject) {
    let recording = Recording::exact();
    let (blocks, span) = recording.during(|| {
        let before = made(10);
        let import = tag("import");
        let tagged = [made(100), made(100)];
        drop(import);
        let between = made(10);
        let export = Tag::new("export").enter();
        let other = made(1000);
        drop(export);
        (before, tagged, between, other, made(10))
    });
    assert_eq!(span.at_with_tag("tags::made", None), kept(3, 10));
    assert_eq!(span.at_with_tag("tags::made", Some("import")), kept(2, 100));
    assert_eq!(span.at_with_tag("tags::made", Some("export")), kept(1, 1000));
    assert_eq!(span.at("tags::made").alloc_objects, 6);
    assert_eq!(recording.stats().unwrap().tags, 2);
    drop(blocks);
}

fn frees_give_back(_: &Subject) {
    let recording = Recording::exact();
    let block = {
        let _one = tag("one");
        made(500)
    };
    let _other = tag("other");
    let ((), span) = recording.during(|| drop(block));
    assert_eq!(span.at("tags::made"), Values::default());
    let end = recording.so_far();
    assert_eq!(end.at_with_tag("tags::made", Some("one")), Values::new((1, 500), (0, 0)));
    assert_eq!(end.at_with_tag("tags::made", Some("other")), Values::default());
}

fn a_resized_object_has_the_tag_of_the_resize(_: &Subject) {
    let recording = Recording::exact();
    let block = {
        let _one = tag("one");
        made(500)
    };
    let block = {
        let _other = tag("other");
        resized(block, 700)
    };
    let block = resized(block, 900);
    let so_far = recording.so_far();
    assert_eq!(so_far.at_with_tag("tags::made", Some("one")), Values::new((1, 500), (0, 0)));
    assert_eq!(so_far.at_with_tag("tags::resized", Some("other")), Values::new((1, 700), (0, 0)));
    assert_eq!(so_far.at_with_tag("tags::resized", None), kept(1, 900));
    drop(block);
    assert_eq!(recording.so_far().at("tags::resized").live_objects, 0);
}

fn two_threads_at_one_stack_are_two_samples(_: &Subject) {
    fn work(name: &'static str, blocks: usize) -> Vec<Block> {
        let spawned = thread::spawn(move || {
            let _tagged = tag(name);
            (0..blocks).map(|_| made(64)).collect()
        });
        spawned.join().unwrap()
    }
    let recording = Recording::exact();
    let (blocks, span) = recording.during(|| [("a", 3), ("b", 5)].map(|(name, blocks)| work(name, blocks)));
    let stacks: Vec<_> = span.stacks("tags::made").collect();
    assert!(stacks.len() == 2 && stacks[0] == stacks[1], "{stacks:?}");
    assert_eq!(span.at_with_tag("tags::made", Some("a")), kept(3, 64));
    assert_eq!(span.at_with_tag("tags::made", Some("b")), kept(5, 64));
    drop(blocks);
}

/// What is requested now has this tag, or none.
fn assert_marked(recording: &Recording, expected: Option<&str>) {
    let (block, span) = recording.during(|| made(8));
    assert_eq!(span.at_with_tag("tags::made", expected).alloc_objects, 1, "not {expected:?}: {span:?}");
    drop(block);
}

fn the_guard_made_last_marks(_: &Subject) {
    let recording = Recording::exact();
    let _outer = tag("outer");
    assert_marked(&recording, Some("outer"));
    {
        let mut inner = tag("inner");
        assert_marked(&recording, Some("inner"));
        let without = Tagged::none();
        assert_marked(&recording, Some("inner"));
        inner.set(Some(Tag::new("another")));
        assert_marked(&recording, Some("another"));
        inner.set(None);
        assert_marked(&recording, Some("outer"));
        drop(without);
    }
    let panicked = catch_unwind(|| {
        let _inner = tag("inner");
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(panicked.is_err());
    assert_marked(&recording, Some("outer"));
}

fn guards_may_end_in_any_order(_: &Subject) {
    let recording = Recording::exact();
    let names = ["a", "b", "c"];
    // Every order in which three can end; after each end, the last of those that are left marks.
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut guards = names.map(|name| Some(tag(name)));
        for ends in order {
            guards[ends] = None;
            let last = guards.iter().zip(names).rev().find_map(|(guard, name)| guard.as_ref().map(|_| name));
            assert_marked(&recording, last);
        }
    }
}

fn beyond_the_bound_are_counted_together(_: &Subject) {
    let recording = Recording::start(Config::default().sample_interval(1).max_tags(2));
    let make = |name: &str| {
        let _tagged = tag(name);
        made(32)
    };
    let (blocks, span) = recording.during(|| {
        let mut blocks = Vec::with_capacity(12);
        for _ in 0..2 {
            blocks.extend(["a", "b", "c", "d", "e"].map(make));
        }
        blocks.extend([made(32), made(32)]);
        blocks
    });
    for (tag, blocks) in [(Some("a"), 2), (Some("b"), 2), (Some("[other tags]"), 6), (None, 2)] {
        assert_eq!(span.at_with_tag("tags::made", tag), kept(blocks, 32), "{tag:?}");
    }
    assert_eq!(span.at("tags::made"), kept(12, 32));
    let told = "3 tags beyond the bound of 2, counted together as [other tags]";
    assert!(span.comments().iter().any(|comment| comment == told), "{:?}", span.comments());
    let stats = recording.stats().unwrap();
    assert_eq!((stats.tags, stats.other_tags), (2, 3));
    drop(blocks);
    assert_eq!(recording.so_far().at("tags::made").live_objects, 0);
}

fn without_a_bound_there_are_none(_: &Subject) {
    let refusal = Profiler::start(Config::default().max_tags(5000)).expect_err("a refusal");
    assert!(matches!(refusal, Error::TagsOutOfRange { tags: 5000, max: 64.. }), "{refusal}");
    let recording = Recording::start(Config::default().sample_interval(1).max_tags(0));
    let _tagged = tag("a");
    assert_marked(&recording, None);
    let stats = recording.stats().unwrap();
    assert_eq!((stats.tags, stats.other_tags), (0, 0));
}

fn each_session_admits_its_own(_: &Subject) {
    let _outer = tag("outer");
    for name in ["one", "other"] {
        let recording = Recording::start(Config::default().sample_interval(1).max_tags(1));
        let inner = tag(name);
        assert_marked(&recording, Some(name));
        drop(inner);
        // A guard from before the session marks, but there is no room for its tag.
        assert_marked(&recording, Some("[other tags]"));
    }
}

fn threads_that_run_are_marked(_: &Subject) {
    let (orders, to_do) = channel::<()>();
    let (done, blocks) = channel();
    let worker = thread::spawn(move || {
        let _tagged = tag("worker");
        for () in to_do {
            done.send(made(48)).unwrap();
        }
    });
    let order = || {
        orders.send(()).unwrap();
        blocks.recv().unwrap()
    };
    drop(order());
    let recording = Recording::exact();
    let (block, span) = recording.during(order);
    assert_eq!(span.at_with_tag("tags::made", Some("worker")), kept(1, 48));
    drop(block);
    drop(orders);
    worker.join().unwrap();
}

thread_local! {
    static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
}

/// Holds a tag when its thread ends, and takes another one.
struct Late(Tagged);

impl Drop for Late {
    fn drop(&mut self) {
        let Self(held) = self;
        drop(made(20));
        held.set(None);
        let _tagged = tag("late");
        drop(made(30));
    }
}

fn end_with_their_thread(_: &Subject) {
    const THREADS: i64 = 50;
    let recording = Recording::exact();
    let ((), span) = recording.during(|| {
        for _ in 0..THREADS {
            let ending = thread::spawn(|| {
                // Nothing is left of the thread before, whose memory this one probably has.
                drop(made(10));
                LATE.with(|late| *late.borrow_mut() = Some(Late(tag("kept"))));
                std::mem::forget(tag("leaked"));
            });
            ending.join().unwrap();
        }
    });
    let gone = |size| Values::new((THREADS, THREADS * size), (0, 0));
    assert_eq!(span.at_with_tag("tags::made", None), gone(10));
    assert_eq!(span.at_with_tag("tags::made", Some("leaked")), gone(20));
    assert_eq!(span.at_with_tag("tags::made", Some("late")), gone(30));
}

fn a_forked_child_goes_on_with_them(_: &Subject) {
    let recording = Recording::exact();
    let held = tag("held");
    // SAFETY: this process has one thread (fork(2)).
    let child = unsafe { libc::fork() };
    assert_ne!(child, -1, "no process could be forked");
    if child == 0 {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let recording = Recording::exact();
            assert_marked(&recording, Some("held"));
            let new = tag("of the child");
            assert_marked(&recording, Some("of the child"));
            drop((new, held));
            assert_marked(&recording, None);
            assert_eq!(Tag::new("held").name(), "held");
        }));
        // SAFETY: ends this process, without the parent's exit handlers (_exit(2)).
        unsafe { libc::_exit(i32::from(outcome.is_err())) }
    }
    let mut status = 0;
    // SAFETY: a child of this process, and a writable word (waitpid(2)).
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0, "the child has failed");
    assert_marked(&recording, Some("held"));
    let _new = tag("of the parent");
    assert_marked(&recording, Some("of the parent"));
}

fn the_first_use_of_a_name_requests_nothing(_: &Subject) {
    let recording = Recording::exact();
    let ((), span) = recording.during(|| {
        for name in ["new", "newer", "new"] {
            drop(tag(name));
        }
        drop(Tag::format(format_args!("{} of {}", 1, "many")).enter());
    });
    assert_eq!(span.total().alloc_objects, 0, "{span:?}");
}

fn do_not_change_what_is_measured(_: &Subject) {
    let _around = tag("around");
    let (blocks, usage) = measure_thread(|| {
        let one = made(100);
        let _inside = tag("inside");
        (one, made(200))
    })
    .unwrap();
    assert_eq!((usage.allocations, usage.bytes, usage.live_bytes), (2, 300, 300));
    drop(blocks);
    assert_marked(&Recording::exact(), Some("around"));
}

fn names_are_harmless_to_show(_: &Subject) {
    let recording = Recording::exact();
    for (name, shown) in [("", "[no name]"), ("a\x1b[2J\nb", r"a\u{1b}[2J\nb"), ("naïve", "naïve")] {
        let _tagged = tag(name);
        assert_marked(&recording, Some(shown));
    }
    let _tagged = tag(&"x".repeat(1000));
    assert_marked(&recording, Some(&"x".repeat(240)));
}
