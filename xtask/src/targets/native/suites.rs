//! The suites of tests that lines stand for.

use crate::{
    error::Error,
    targets::{
        line::Figure,
        native::mimalloc::{self, Way},
        suite::Suite,
    },
    workspace::Workspace,
};

/// What holds for every source, in one of the consumers.
const fn sources(consumer: &'static str, path: &'static str, has: &'static [&'static str]) -> Suite {
    Suite { cargo: &["--test=sources"], beside: Some(consumer), path, only: &[], has }
}

/// A part of what each of them has.
const OF_ALL: &[&str] = &[
    "life_cycle::another_start_is_a_fresh_one",
    "figures::allocated_and_live_are_told_apart_by_site",
    "figures::a_span_has_what_was_allocated_in_it",
    "threads::a_start_reaches_threads_that_run",
    "profiles::stacks_begin_at_the_program_and_end_there",
    "profiles::making_one_does_not_show",
];

/// Those that are left to it.
const OF_MIMALLOC: &[&str] = &[
    "life_cycle::another_start_is_a_fresh_one",
    "figures::allocated_and_live_are_told_apart_by_site",
    "figures::a_span_has_what_was_allocated_in_it",
    "profiles::stacks_begin_at_the_program_and_end_there",
    "profiles::making_one_does_not_show",
];

const OVER: [Suite; 4] = [
    sources("consumers/system", "consumers/system/tests/sources.rs", OF_ALL),
    sources("consumers/mimalloc", "consumers/mimalloc/tests/sources.rs", OF_ALL),
    sources("consumers/jemalloc", "consumers/jemalloc/tests/sources.rs", OF_ALL),
    sources("consumers/rustfs", "consumers/rustfs/tests/sources.rs", OF_ALL),
];

pub(super) const JEMALLOC: Suite =
    sources("consumers/jemalloc-native", "consumers/jemalloc-native/tests/sources.rs", OF_ALL);
pub(super) const JEMALLOC_DIFFERENCES: Suite = Suite {
    cargo: &["--test=differences"],
    beside: Some("consumers/jemalloc-native"),
    path: "consumers/jemalloc-native/tests/differences.rs",
    only: &[],
    has: &[
        "sites_agree_within_their_errors",
        "resized_objects_agree_too",
        "sizes_are_those_of_size_classes",
        "sizes_that_differ_at_one_stack_come_out_right",
        "a_stack_of_few_samples_is_rounded_to_whole_ones",
        "objects_as_large_as_the_interval_are_some_percent_off",
        "threads_that_follow_each_other_draw_the_same_numbers",
        "another_interval_comes_with_the_next_sample",
    ],
};
pub(super) const JEMALLOC_REFUSALS: Suite = Suite {
    cargo: &["--test=refusals"],
    beside: Some("consumers/jemalloc-native"),
    path: "consumers/jemalloc-native/tests/refusals.rs",
    only: &[],
    has: &[
        "a_profiler_that_is_off",
        "a_profiler_that_runs_already_can_be_attached_to",
        "a_temporary_directory_that_cannot_be_written",
        "an_interval_that_is_no_power_of_two",
        "without_prof_accum_what_was_allocated_is_not_known",
        "somebody_else_who_stops_it_ends_the_session",
        "an_owner_of_a_session_before_leaves_the_next_one_alone",
    ],
};
const JEMALLOC_EVERYWHERE: Suite = Suite {
    cargo: &["--test=everywhere"],
    beside: Some("consumers/jemalloc-native"),
    path: "consumers/jemalloc-native/tests/everywhere.rs",
    only: &[],
    has: &["endpoints_start_it_serve_it_and_stop_it", "the_runner_writes_its_reports"],
};
const JEMALLOC_PYROSCOPE: Suite = Suite {
    cargo: &["--test=jemalloc"],
    beside: Some("consumers/pyroscope"),
    path: "consumers/pyroscope/tests/jemalloc.rs",
    only: &[],
    has: &["reports_follow_each_other"],
};

pub(super) const MIMALLOC: Suite =
    sources(mimalloc::CONSUMER, "consumers/rustfs-native/tests/sources.rs", OF_MIMALLOC);
pub(super) const MIMALLOC_DIFFERENCES: Suite = Suite {
    cargo: &["--test=differences"],
    beside: Some(mimalloc::CONSUMER),
    path: "consumers/rustfs-native/tests/differences.rs",
    only: &[],
    has: &[
        "sites_are_within_their_errors",
        "standard_errors_are_those_of_the_estimates",
        "at_interval_one_every_request_is_counted",
        "one_session_at_a_time_whoever_finds_its_requests",
        "a_thread_is_seen_once_mimalloc_looks_for_a_profiler",
        "a_short_thread_is_seen_if_it_says_so",
        "an_alignment_counts_what_it_may_take",
        "an_alignment_above_64_kib_is_not_seen",
        "a_resize_in_place_is_no_request",
    ],
};

/// With a guard as often as the tests' sessions have samples.
pub(super) fn mimalloc_guarded(workspace: &Workspace) -> Result<Figure, Error> {
    let mut environment = Way::Guarded.environment(workspace).to_vec();
    environment.push(("MIMALLOC_GUARDED_SAMPLE_RATE", "4096".into()));
    let run = |suite: Suite| suite.run_with(workspace, &environment);
    Ok(run(MIMALLOC)?.and(run(MIMALLOC_DIFFERENCES)?))
}

/// Over each provider.
pub(super) fn of_the_sampler(workspace: &Workspace) -> Result<Figure, Error> {
    let [first, rest @ ..] = OVER;
    rest.iter().try_fold(first.run(workspace)?, |figure, suite| Ok(figure.and(suite.run(workspace)?)))
}

pub(super) fn jemalloc_everywhere(workspace: &Workspace) -> Result<Figure, Error> {
    Ok(JEMALLOC_EVERYWHERE.run(workspace)?.and(JEMALLOC_PYROSCOPE.run(workspace)?))
}
