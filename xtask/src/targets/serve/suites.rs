//! The suites of tests that lines stand for.

use crate::{
    error::Error,
    targets::{line::Figure, suite::Suite},
    workspace::Workspace,
};

pub(super) const REFUSALS: Suite = Suite {
    cargo: &["--package=allometer-http", "--all-features", "--test=refusals"],
    beside: None,
    path: "crates/profiling-http/tests/refusals.rs",
    only: &[],
    has: &[
        "an_open_address_without_a_token_does_not_start",
        "a_token_is_asked_for_everywhere",
        "a_host_that_is_not_known",
        "a_page_of_another_server",
        "what_changes_is_posted",
        "seconds_out_of_range",
        "parameters_and_paths_that_name_files",
        "a_profile_while_another_is_made",
        "until_clients_hang_up",
        "a_wait_takes_nobodys_place",
        "headers_that_are_too_long",
        "a_connection_that_says_nothing",
        "a_body_that_is_too_long",
        "answers_that_nobody_reads",
        "an_answer_that_is_too_long",
        "names_that_are_markup",
    ],
};
const ANSWERS: Suite = Suite {
    cargo: &["--package=allometer-http", "--all-features", "--test=answers"],
    beside: None,
    path: "crates/profiling-http/tests/answers.rs",
    only: &[],
    has: &[
        "a_first_profile_has_what_was_there_before_it",
        "profiles_are_cumulative_for_any_number_of_scrapers",
        "a_span_has_what_was_allocated_in_it_and_all_that_is_live",
        "sessions_are_started_once_and_stopped",
        "a_request_that_was_given_up_blocks_nothing",
        "a_unix_socket_is_for_its_owner_and_goes",
        "a_forked_child_has_no_server",
    ],
};
pub(super) const PYROSCOPE: Suite = Suite {
    cargo: &[],
    beside: Some("consumers/pyroscope"),
    path: "consumers/pyroscope/tests",
    only: &[],
    has: &[
        "everything_arrives_exactly",
        "everything_arrives_over_any_allocator",
        "what_a_server_refuses_is_lost_and_said",
        "what_a_connection_closes_upon_is_lost_and_said",
        "without_a_server_the_program_works",
        "a_server_takes_its_time_and_the_program_works",
        "while_a_server_holds_its_answer_the_program_works",
        "an_agent_outlives_its_session",
    ],
};
const AXUM: Suite = Suite {
    cargo: &[],
    beside: Some("consumers/service"),
    path: "consumers/service/tests/endpoints.rs",
    only: &[],
    has: &["the_endpoints_are_among_the_shops_own"],
};

/// By a server of its own, and by a service's.
pub(super) fn answers(workspace: &Workspace) -> Result<Figure, Error> {
    let own = ANSWERS.run(workspace)?;
    Ok(own.and(AXUM.run(workspace)?))
}
