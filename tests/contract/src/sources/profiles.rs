//! What profiles look like.

use allometer_profile::{Symbolization, Symbolizer};

use super::{Check, Subject, blocks};
use crate::{Block, Decoded};

pub(super) const CHECKS: &[Check] = &[
    Check::new(
        "profiles::stacks_begin_at_the_program_and_end_there",
        stacks_begin_at_the_program_and_end_there,
    ),
    Check::new("profiles::what_is_left_out_is_not_in_it", what_is_left_out_is_not_in_it),
    Check::new("profiles::making_one_does_not_show", making_one_does_not_show),
    Check::new("profiles::without_names_there_are_addresses", without_names_there_are_addresses),
    Check::new("profiles::it_says_what_it_is_of", it_says_what_it_is_of),
];

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn hidden(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

fn stacks_begin_at_the_program_and_end_there(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    switch.start(None).unwrap();
    let all = blocks(10_000, 1024, made);
    let profile = switch.source().unwrap().moment().unwrap().profile(&mut Symbolizer::new());
    let decoded = Decoded::new(&profile.without_details().to_pprof());
    let stacks: Vec<_> = decoded.stacks("profiles::made").collect();
    assert!(!stacks.is_empty());
    let own =
        ["jemalloc", "_rjem", "prof_", "mi_", "mimalloc", "__rust_alloc", "__libc_start", "GlobalAlloc"];
    for stack in stacks {
        let at = stack.iter().position(|name| name.ends_with("profiles::made")).unwrap();
        for name in stack {
            assert!(!own.iter().any(|part| name.contains(part)), "{name} in {stack:?}");
        }
        assert!(at <= 3, "{stack:?}");
        let root = stack.last().unwrap();
        assert!(["main", "run_sources"].iter().any(|name| root.ends_with(name)), "{stack:?}");
    }
    drop(all);
}

fn what_is_left_out_is_not_in_it(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    switch.start(None).unwrap();
    let source = switch.source().unwrap();
    let left_out = source.left_out(|| blocks(10_000, 1024, hidden));
    let by_switch = switch.left_out(|| blocks(10_000, 1024, hidden));
    // From here on it is as before.
    let all = blocks(10_000, 1024, made);
    let moment = source.moment().unwrap();
    let decoded = Decoded::new(&moment.profile(&mut Symbolizer::new()).without_details().to_pprof());
    assert_eq!(decoded.at("profiles::hidden").alloc_objects, 0);
    assert!(decoded.at("profiles::made").alloc_objects > 0);
    drop((left_out, by_switch, all));
}

fn making_one_does_not_show(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    switch.start(None).unwrap();
    let source = switch.source().unwrap();
    let all = blocks(10_000, 1024, made);
    let profiles = [(); 3].map(|()| source.moment().unwrap().profile(&mut Symbolizer::new()));
    let last = source.moment().unwrap().profile(&mut Symbolizer::new());
    let decoded = Decoded::new(&last.without_details().to_pprof());
    let of_profiler = |name: &&String| {
        let crates = ["allometer_profile::", "allometer_core::", "addr2line::", "gimli::", "tempfile::"];
        crates.iter().any(|part| name.starts_with(part))
    };
    let found: Vec<_> = decoded.stacks("").flatten().filter(of_profiler).collect();
    assert!(found.is_empty(), "{found:?}");
    drop((all, profiles));
}

fn without_names_there_are_addresses(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    switch.start(None).unwrap();
    let all = blocks(10_000, 1024, made);
    let moment = switch.source().unwrap().moment().unwrap();
    let profile = moment.profile(&mut Symbolizer::with(Symbolization::None));
    assert!(profile.mappings.iter().any(|mapping| mapping.build_id.is_some()));
    let in_code = profile.locations.iter().filter(|location| location.mapping.is_some()).count();
    assert!(in_code > 10 && profile.functions.iter().any(|function| function.name.contains("+0x")));
    drop(all);
}

fn it_says_what_it_is_of(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    switch.start(None).unwrap();
    let all = blocks(10_000, 1024, made);
    let source = switch.source().unwrap();
    let moment = source.moment().unwrap();
    let metadata = moment.profile(&mut Symbolizer::new()).metadata;
    assert!(metadata.live && metadata.sample_interval > 1 && metadata.provider.is_some());
    assert!(metadata.start.is_some() && metadata.duration == moment.elapsed());
    assert_eq!(metadata.elapsed, moment.elapsed());
    assert!(source.giants().unwrap().samples.is_empty() && source.told_giants(0).is_ok());
    drop(all);
}
