//! Stacks of this very program, through the file format, read with a decoder that shares nothing with the crate.

mod pprof;

use allometer_profile::{
    Amount, Estimate, Figures, Loss, Metadata, Profile, ProfileBuilder, RawFrame, ReturnAddress, SampleType,
    Symbolizer,
};
use prost::Message;
use std::time::{Duration, UNIX_EPOCH};

/// The frames of the caller and of what called it, leaf first.
#[inline(never)]
fn capture() -> Vec<RawFrame> {
    let mut frames = Vec::new();
    backtrace::trace(|frame| {
        frames.push(RawFrame::Address(ReturnAddress::new(frame.ip() as u64)));
        true
    });
    frames
}

#[inline(always)]
fn inlined_into_its_caller() -> (Vec<RawFrame>, u32) {
    (std::hint::black_box(capture()), line!())
}

#[inline(never)]
fn has_code_of_its_own() -> (Vec<RawFrame>, u32, u32) {
    let (frames, inner) = inlined_into_its_caller();
    (frames, inner, line!() - 1)
}

fn amount(objects: f64, bytes: f64) -> Amount {
    let variance = bytes;
    Amount { objects: Estimate { value: objects, variance }, bytes: Estimate { value: bytes, variance } }
}

fn metadata() -> Metadata {
    let loss =
        Loss { what: "objects beyond the live bound".to_owned(), events: 3, amount: amount(4.0, 64.0) };
    Metadata {
        start: Some(UNIX_EPOCH + Duration::from_nanos(1_700_000_000_123_456_789)),
        duration: Duration::from_millis(1500),
        sample_interval: 524_288,
        provider: Some("system".to_owned()),
        default_type: SampleType::LiveBytes,
        live: true,
        losses: vec![loss],
        left_out_at_leaf: ["__rust_alloc", "__rust_realloc"].map(str::to_owned).to_vec(),
        comments: Vec::new(),
        ..Metadata::default()
    }
}

fn profile(stack: &[RawFrame]) -> Profile {
    let mut builder = ProfileBuilder::new(metadata());
    let figures = Figures { alloc: amount(10.5, 1000.4), live: amount(2.0, 300.6) };
    builder.add(stack.iter().copied(), figures);
    let tagged =
        builder.add([RawFrame::Marker("[site table full]")], Figures { alloc: amount(1.0, 8.0), ..figures });
    tagged.tag = Some("tenant 7".into());
    builder.add(stack.iter().copied().skip(1), Figures { alloc: amount(0.2, 0.4), ..Figures::default() });
    builder.finish(&mut Symbolizer::new())
}

#[test]
fn names_lines_and_mappings_are_right_in_the_file() {
    let (stack, inner, outer) = has_code_of_its_own();
    let message = pprof::Profile::decode(&*profile(&stack).to_pprof()).unwrap();
    let text = |index: i64| &*message.string_table[index as usize];

    // The third stack rounds to nothing.
    assert_eq!(message.sample.len(), 2);
    assert_eq!(message.sample[0].value, [11, 1000, 2, 301]);
    let ids: Vec<u64> = message.location.iter().map(|location| location.id).collect();
    assert!(ids.iter().copied().eq(1..=ids.len() as u64), "dense from 1: {ids:?}");

    let location = |id: u64| &message.location[id as usize - 1];
    let function = |line: &pprof::Line| &message.function[line.function_id as usize - 1];
    let chain = message.sample[0].location_id.iter().map(|&id| location(id)).find(|location| {
        location.line.iter().any(|line| text(function(line).name).ends_with("has_code_of_its_own"))
    });
    let chain = chain.expect("the captured function is in the stack");
    let seen: Vec<_> = chain
        .line
        .iter()
        .map(|line| (text(function(line).name), line.line, text(function(line).filename)))
        .collect();
    let [(innermost, inner_line, file), (physical, outer_line, _)] = seen[..] else { panic!("{seen:?}") };
    assert_eq!((innermost, inner_line), ("own_stacks::inlined_into_its_caller", i64::from(inner)));
    assert_eq!((physical, outer_line), ("own_stacks::has_code_of_its_own", i64::from(outer)));
    assert!(file.ends_with("tests/own_stacks.rs"), "{file}");
    let mangled = text(function(&chain.line[1]).system_name);
    assert!(mangled.starts_with('_') && mangled.contains("has_code_of_its_own"), "{mangled}");

    let mapping = &message.mapping[0];
    assert_eq!(chain.mapping_id, mapping.id);
    assert!(mapping.memory_start <= chain.address && chain.address < mapping.memory_limit);
    assert_eq!(text(mapping.filename), std::env::current_exe().unwrap().to_str().unwrap());
    assert!(mapping.has_functions && mapping.has_filenames && mapping.has_line_numbers);
    assert!(mapping.has_inline_frames);
    assert!(text(mapping.build_id).chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f')));

    // Addresses lie in the call, so they are one less than what was captured.
    let addresses: Vec<u64> = message.sample[0].location_id.iter().map(|&id| location(id).address).collect();
    let captured = stack.iter().filter_map(|frame| match frame {
        RawFrame::Address(address) => Some(address.lookup().get()).filter(|&address| address != 0),
        _ => None,
    });
    // What started the thread is left out.
    let captured: Vec<u64> = captured.collect();
    assert!(captured.starts_with(&addresses) && addresses.len() < captured.len());

    let marker = location(message.sample[1].location_id[0]);
    let last = message.mapping.last().expect("what is no code has a mapping, too");
    assert_eq!((marker.address, marker.mapping_id, text(last.filename)), (0, last.id, "[no module]"));
    assert_eq!(text(function(&marker.line[0]).name), "[site table full]");
    assert!(message.location.iter().all(|location| !location.line.is_empty()));

    assert_eq!(message.sample[0].label, []);
    let [label] = &*message.sample[1].label else { panic!("one label") };
    assert_eq!((text(label.key), text(label.text), label.number), ("tag", "tenant 7", 0));
}

#[test]
fn the_header_says_what_the_profile_is() {
    let message = pprof::Profile::decode(&*profile(&[]).to_pprof()).unwrap();
    let text = |index: i64| &*message.string_table[index as usize];
    assert_eq!(message.string_table[..4], ["", "count", "bytes", "inuse_space"]);
    assert_eq!(text(message.default_sample_type), "inuse_space");
    assert_eq!((message.period, text(message.period_type.unwrap().kind)), (524_288, "space"));
    assert_eq!((message.time_nanos, message.duration_nanos), (1_700_000_000_123_456_789, 1_500_000_000));
    assert_eq!(text(message.drop_frames), "(.*::)?(__rust_alloc|__rust_realloc)");
    let comments: Vec<_> = message.comment.iter().map(|&index| text(index)).collect();
    let loss = "not in the samples: objects beyond the live bound: 3 events, 4 ± 8 objects, 64 ± 8 bytes";
    assert!(comments.contains(&"provider: system") && comments.contains(&loss), "{comments:?}");
}

#[test]
fn a_profile_survives_the_way_through_a_file() {
    let (stack, _, _) = has_code_of_its_own();
    let written = profile(&stack);
    let read = Profile::from_pprof(&written.to_pprof_gzip()).unwrap();
    assert_eq!(read.mappings, written.mappings);
    assert_eq!(read.functions, written.functions);
    assert_eq!(read.locations, written.locations);
    assert_eq!(read.metadata.losses, written.metadata.losses);
    assert_eq!(read.metadata.provider, written.metadata.provider);
    assert_eq!(read.metadata.start, written.metadata.start);
    assert_eq!(read.metadata.left_out_at_leaf, written.metadata.left_out_at_leaf);
    for (read, written) in read.samples.iter().zip(&written.samples) {
        assert_eq!(read.stack, written.stack);
        assert_eq!(read.tag, written.tag);
        for sample_type in SampleType::ALL {
            let Estimate { value, variance } = written.figures.get(sample_type);
            let short = f64::from(variance as f32);
            assert_eq!(read.figures.get(sample_type), Estimate { value: value.round(), variance: short });
        }
    }
    let again = Profile::from_pprof(&read.to_pprof()).unwrap();
    assert_eq!(again, read);
    assert_eq!(again.to_pprof_gzip(), read.to_pprof_gzip());
}

#[test]
fn a_symbolizer_can_be_used_again() {
    let (stack, _, _) = has_code_of_its_own();
    let mut symbolizer = Symbolizer::new();
    let mut bytes = || {
        let mut builder = ProfileBuilder::new(metadata());
        builder.add(stack.iter().copied(), Figures { live: amount(1.0, 8.0), ..Figures::default() });
        builder.finish(&mut symbolizer).to_pprof()
    };
    let first = bytes();
    assert_eq!(first, bytes());
}
