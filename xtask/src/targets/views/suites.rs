//! The suites of tests that lines stand for.

use crate::{
    error::Error,
    targets::{line::Figure, suite::Suite},
    workspace::Workspace,
};

/// The command line with all that it has: compiled once for all lines.
const CLI: &[&str] = &["--package=allometer-cli", "--features=live", "--test=cli"];

pub(super) const COMMAND_LINE: Suite = Suite {
    cargo: CLI,
    beside: None,
    path: "crates/profiling-cli/tests/cli",
    only: &[],
    has: &[
        "views::top_of_each_kind_of_file",
        "views::diff_shows_what_grew",
        "views::tree_of_each_kind_of_file",
        "views::info_of_each_kind_of_file",
        "views::stats_of_each_kind_of_file",
        "frames::inlined_functions_and_polls_are_shown_or_not",
        "frames::the_page_knows_which_are_inlined",
        "reports::a_directory_is_a_timeline",
        "reports::a_range_shows",
        "conversions::the_name_of_a_file_tells_its_format",
    ],
};
pub(super) const RUNNER: Suite = Suite {
    cargo: &["--package=allometer-runner"],
    beside: None,
    path: "crates/profiling-runner/tests",
    only: &[],
    has: &[
        // Asked for in a hurry while everything allocates.
        "twenty_quick_ones_in_an_allocation_storm",
        // Places that cannot be written into, and names that are no text.
        "a_place_that_is_none_is_said_at_the_start",
        "a_directory_that_goes_away_and_comes_back",
        "a_directory_that_is_opened_to_others_with_a_name_that_is_not_utf_8",
        "a_place_that_can_only_be_read",
        "a_disk_that_is_full",
        // Every way to end.
        "one_that_ends_the_program_waits_for_the_report",
        "the_return_of_main",
        "exit",
    ],
};
pub(super) const ENVIRONMENT: Suite = Suite {
    cargo: &["--package=allometer-runner", "--test=environment", "--test=not_installed"],
    beside: None,
    path: "crates/profiling-runner/tests/environment.rs",
    only: &[],
    has: &[
        "twice_is_an_error_and_so_is_garbage",
        "what_the_environment_asks_for_is_refused_each_time",
        "who_has_more_rights_than_who_started_it_ignores_it",
    ],
};
const GIANT_REQUESTS: Suite = Suite {
    cargo: &["--test=contract"],
    beside: Some("consumers/system"),
    path: "tests/contract/src/checks/giants.rs",
    only: &["giants::"],
    has: &["are_logged_with_their_stacks", "are_refused_before", "a_file_outlives_the_session"],
};
const GIANT_REPORTS: Suite = Suite {
    cargo: &["--package=allometer-runner", "--test=giants"],
    beside: None,
    path: "crates/profiling-runner/tests/giants.rs",
    only: &[],
    has: &[
        "a_request_that_ended_the_program_is_told_by_the_next_one",
        "a_request_is_told_while_the_program_runs_and_not_again",
        "a_request_just_before_the_end_is_told_there",
    ],
};
pub(super) const SERVICE: Suite = Suite {
    cargo: &[],
    beside: Some("consumers/service"),
    path: "consumers/service",
    only: &[],
    has: &["the_reports_say_where_the_memory_went"],
};
pub(super) const LIVE: Suite = Suite {
    cargo: &["--package=allometer-cli", "--features=live", "--test=live"],
    beside: None,
    path: "crates/profiling-cli/tests/live",
    only: &[],
    has: &[
        "it_follows_a_service",
        "a_terminal_is_given_back_when_the_program_is_ended",
        "it_ends_with_its_terminal",
    ],
};
pub(super) const MANNERS: Suite = Suite {
    cargo: CLI,
    beside: None,
    path: "crates/profiling-cli/tests/cli",
    only: &["completions::", "faults::", "inputs::a_pipe_that_is_closed_is_a_good_end"],
    has: &[
        "completions::for_bash",
        "completions::for_zsh",
        "completions::for_fish",
        "a_pipe_that_is_closed_is_a_good_end",
        "faults::wrong_usage_is_another_code",
        "faults::a_fault_of_a_file_is_one_line_with_its_place",
    ],
};

/// Giant requests, where they are made and where they are told.
pub(super) fn giants(workspace: &Workspace) -> Result<Figure, Error> {
    let made = GIANT_REQUESTS.run(workspace)?;
    Ok(made.and(GIANT_REPORTS.run(workspace)?))
}
