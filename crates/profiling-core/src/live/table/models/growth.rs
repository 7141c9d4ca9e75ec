//! The filter grows, and nobody is lost.

use super::*;

#[test]
fn what_is_made_while_the_filter_grows_is_found() {
    Model::check(|| {
        // It starts to grow at the first.
        let heap = Shared::new(4, 1);
        together(&heap, [|heap| heap.allocate(1), Shared::grow]);
        (0..2).for_each(|n| heap.free_own(n));
        heap.check_empty();
    });
}

#[test]
fn two_that_are_made_while_the_filter_grows_are_found() {
    Model::check(|| {
        let heap = Shared::new(4, 1);
        (0..2).for_each(|_| assert!(heap.take_room()));
        together(&heap, [|heap| heap.insert_behind(1), |heap| heap.insert_behind(2)]);
        heap.filter.switch(&heap.word);
        (0..3).for_each(|n| heap.free_own(n));
        heap.check_empty();
    });
}

#[test]
fn what_is_made_when_the_filter_begins_to_grow_is_found() {
    Model::check(|| {
        let heap = Shared::new(4, 0);
        let grow = |heap: &Shared| {
            heap.filter.start_to_grow(heap.filter.growth());
            heap.carry_over(heap.filter.growth());
            heap.filter.switch(&heap.word);
        };
        let insert = |heap: &Shared| {
            assert!(heap.live.insert(at(0), entry(0)));
            assert!(may_hold(heap.word(), at(0)));
        };
        heap.take_room();
        together(&heap, [grow, insert]);
        heap.free_own(0);
        heap.check_empty();
    });
}

#[test]
fn who_reads_a_word_finds_what_was_carried_over() {
    Model::check(|| {
        let heap = Shared::new(4, 1);
        together(&heap, [Shared::grow, |heap| heap.free_own(0)]);
        heap.check_empty();
    });
}

#[test]
fn two_that_grow_the_filter_leave_nobody_out() {
    Model::check(|| {
        let heap = Shared::new(4, 1);
        let grow_and_look = |heap: &Shared| {
            heap.grow();
            assert!(may_hold(heap.word(), at(0)));
        };
        together(&heap, [grow_and_look, grow_and_look]);
        heap.free_own(0);
        heap.check_empty();
    });
}

#[test]
fn what_was_there_before_is_found_by_every_word() {
    Model::check(|| {
        let heap = Shared::new(4, 1);
        let grow = |heap: &Shared| {
            [1, 2].into_iter().for_each(|n| heap.allocate(n));
            heap.free_own(1);
        };
        let free = |heap: &Shared| {
            let old = heap.word();
            assert!(may_hold(heap.word(), at(0)) && may_hold(old, at(0)));
            heap.free_own(0);
        };
        together(&heap, [grow, free]);
        heap.free_own(2);
        heap.check_empty();
    });
}
