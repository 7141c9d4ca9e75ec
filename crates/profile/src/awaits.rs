use rustc_hash::FxHashMap;

use crate::function_name::FunctionName;
use crate::{Line, Location, LocationIndex, Profile};

/// The crates that run futures, and whose functions stand between those of a program.
const RUNNERS: [&str; 30] = [
    "actix_rt",
    "actix_web",
    "async_executor",
    "async_global_executor",
    "async_io",
    "async_std",
    "async_stream",
    "async_task",
    "axum",
    "axum_core",
    "blocking",
    "futures",
    "futures_channel",
    "futures_core",
    "futures_executor",
    "futures_lite",
    "futures_util",
    "h2",
    "hyper",
    "hyper_util",
    "pin_project",
    "smol",
    "tokio",
    "tokio_stream",
    "tokio_util",
    "tonic",
    "tower",
    "tower_http",
    "tower_service",
    "tracing",
];

/// What the standard library runs futures with, by the last part.
const POLLS: [&str; 3] = ["poll", "poll_fn", "poll_next"];
/// What it has between a caller and the function that is meant: by module, and by the last part.
const MODULES_BETWEEN: [&str; 8] = [
    "core::future::",
    "core::ops::function::",
    "core::ops::async_function::",
    "core::panic::",
    "core::pin::",
    "std::panic::",
    "std::panicking::",
    "std::thread::",
];
const CALLS: [&str; 3] = ["call", "call_mut", "call_once"];

impl Profile {
    /// The profile with its asynchronous stacks read as the program's own functions, in the order in which they await
    /// each other: what runs the futures is left out, and so are combinators, wrappers of futures and what the
    /// standard library has between them.
    ///
    /// Only what stands further out than the program's innermost asynchronous function goes, so that an allocation inside
    /// an executor or a channel shows where; a closure counts as one, since it has the same name. Stacks without one, or
    /// in which nothing runs a future, stay as they are. Which functions those are is told by their names: those of the standard library for polling, calling and catching, and
    /// of the crates actix, async-std, axum, futures, h2, hyper, smol, tokio, tonic, tower, tracing and what they
    /// consist of. Everything else, another runtime's functions too, is taken for the program's.
    pub fn fold_async(self) -> Self {
        let roles: Vec<Role> =
            self.functions.iter().map(|function| Role::of(FunctionName::new(&function.name))).collect();
        let mut folding = Folding { roles, locations: Vec::new(), folded: FxHashMap::default() };
        let mut samples = self.samples;
        for sample in &mut samples {
            sample.stack = folding.stack(&self.locations, &sample.stack);
        }
        let mut profile = Self { locations: folding.locations, samples, ..self };
        profile.leave_out_unused();
        profile
    }
}

/// What a function is in an asynchronous stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Runs futures.
    Runner,
    /// Of the standard library, between two functions.
    Between,
    /// Of the standard library.
    Std,
    Program,
    /// Of the program, and perhaps what is run.
    Asynchronous,
}

impl Role {
    fn of(name: FunctionName<'_>) -> Self {
        let is_of_std = name.is_of_std();
        if RUNNERS.contains(&name.crate_name()) || is_of_std && POLLS.contains(&name.last()) {
            return Self::Runner;
        }
        let is_between = || {
            CALLS.contains(&name.last())
                || MODULES_BETWEEN.iter().any(|module| name.path().starts_with(module))
        };
        match is_of_std {
            true if is_between() => Self::Between,
            true => Self::Std,
            // The body of an asynchronous function, or a closure.
            false if name.last().starts_with('{') || POLLS.contains(&name.last()) => Self::Asynchronous,
            false => Self::Program,
        }
    }

    fn stays(self) -> bool {
        matches!(self, Self::Std | Self::Program | Self::Asynchronous)
    }
}

/// How much of a location stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Whole,
    /// So many of its innermost lines, and of the others those of the program.
    Inner(usize),
}

/// The new table of locations, as far as stacks have been folded.
struct Folding {
    /// By function.
    roles: Vec<Role>,
    locations: Vec<Location>,
    /// Where the parts of the old locations are in the new table; those of which nothing is left are in none.
    folded: FxHashMap<(LocationIndex, Part), Option<LocationIndex>>,
}

impl Folding {
    fn stack(&mut self, locations: &[Location], stack: &[LocationIndex]) -> Vec<LocationIndex> {
        let parts = self.parts(locations, stack);
        let part = |(index, part)| self.part(locations, index, part);
        parts.into_iter().filter_map(part).collect()
    }

    /// How much stays of each location of a stack.
    fn parts(&self, locations: &[Location], stack: &[LocationIndex]) -> Vec<(LocationIndex, Part)> {
        let lines = |index: &LocationIndex| locations.get(index.0 as usize).map_or(&[][..], |it| &it.lines);
        let runs_futures = stack.iter().flat_map(lines).any(|line| self.role(line) == Role::Runner);
        let is_run = |line: &Line| self.role(line) == Role::Asynchronous;
        let innermost = stack.iter().position(|index| lines(index).iter().any(is_run));
        let part = |(at, index): (usize, &LocationIndex)| {
            let part = match innermost.filter(|_| runs_futures) {
                Some(innermost) if at == innermost => {
                    Part::Inner(lines(index).iter().position(is_run).unwrap_or_default())
                }
                Some(innermost) if at > innermost => Part::Inner(0),
                _ => Part::Whole,
            };
            (*index, part)
        };
        stack.iter().enumerate().map(part).collect()
    }

    fn role(&self, line: &Line) -> Role {
        self.roles.get(line.function.0 as usize).copied().unwrap_or(Role::Program)
    }

    /// Where a part of a location is in the new table, if anything is left of it.
    fn part(&mut self, locations: &[Location], index: LocationIndex, part: Part) -> Option<LocationIndex> {
        if let Some(folded) = self.folded.get(&(index, part)) {
            return *folded;
        }
        let mut location = locations.get(index.0 as usize)?.clone();
        let was_empty = location.lines.is_empty();
        if let Part::Inner(kept) = part {
            let mut at = 0..;
            location.lines.retain(|line| at.next().is_some_and(|at| at < kept) || self.role(line).stays());
        }
        let is_left = was_empty || !location.lines.is_empty();
        let folded = is_left.then(|| {
            self.locations.push(location);
            LocationIndex((self.locations.len() - 1) as u32)
        });
        self.folded.insert((index, part), folded);
        folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written_stack::{add, profile, read};

    const TASK: [&str; 4] = [
        "tokio::runtime::task::core::Core<T,S>::poll::{{closure}}|tokio::runtime::task::raw::poll",
        "<core::panic::unwind_safe::AssertUnwindSafe<F> as core::ops::function::FnOnce<()>>::call_once|std::panicking::catch_unwind",
        "tokio::runtime::scheduler::multi_thread::worker::run",
        "core::ops::function::FnOnce::call_once{{vtable.shim}}",
    ];

    fn folded(stack: &[&str]) -> Vec<String> {
        read(&profile(&[stack, &TASK].concat()).fold_async(), 0)
    }

    #[test]
    fn functions_follow_each_other_as_they_await() {
        let stack = [
            "alloc::raw_vec::finish_grow|alloc::vec::push",
            "app::read_row::{{closure}}|<core::pin::Pin<P> as core::future::future::Future>::poll",
            "<tokio::time::timeout::Timeout<T> as core::future::future::Future>::poll",
            "app::fetch::{{closure}}|app::handle::{{closure}}|<futures_util::future::Map<Fut,F> as core::future::future::Future>::poll",
            "<alloc::boxed::Box<F,A> as core::future::future::Future>::poll",
        ];
        let expected = [
            "alloc::raw_vec::finish_grow|alloc::vec::push",
            "app::read_row::{{closure}}",
            "app::fetch::{{closure}}|app::handle::{{closure}}",
        ];
        assert_eq!(folded(&stack), expected);
    }

    #[test]
    fn what_allocates_stays_whatever_it_is_of() {
        let stack = [
            "alloc::boxed::box_new",
            "tokio::sync::mpsc::send|core::future::poll_fn|app::queue::{{closure}}",
        ];
        assert_eq!(folded(&stack), stack);
        for stack in [
            ["alloc::boxed::box_new", "tokio::runtime::task::new_task"],
            ["bytes::bytes_mut::BytesMut::reserve", "hyper::proto::h1::io::Buffered<T,B>::poll_read_from_io"],
        ] {
            assert_eq!(folded(&stack), [&stack[..], &TASK].concat());
        }
    }

    #[test]
    fn a_program_keeps_its_own_futures_and_what_it_calls_by() {
        let stack = [
            "<app::Rows as core::future::future::Future>::poll",
            "core::iter::Iterator::map",
            "app::all",
            "serde_json::to_vec",
            "libc.so.6+0x12",
        ];
        assert_eq!(folded(&stack), stack);
    }

    #[test]
    fn a_stack_without_a_future_stays() {
        let stack = ["app::work", "core::ops::function::FnOnce::call_once", "app::main"];
        assert_eq!(read(&profile(&stack).fold_async(), 0), stack);
    }

    #[test]
    fn a_location_can_be_a_leaf_and_a_caller() {
        let mut profile = profile(&["app::a::{closure#0}|tokio::poll", "tokio::run"]);
        add(&mut profile, &["app::b::{closure#0}"]);
        profile.samples[1].stack.push(LocationIndex(0));
        profile.samples[1].stack.push(LocationIndex(1));
        profile.samples.push(crate::Sample { stack: vec![LocationIndex(1)], ..Default::default() });
        let folded = profile.fold_async();
        assert_eq!(
            [0, 1, 2].map(|sample| read(&folded, sample).join(" ")),
            ["app::a::{closure#0}", "app::b::{closure#0} app::a::{closure#0}", "tokio::run"]
        );
        assert_eq!(folded.clone().fold_async(), folded);
    }
}
