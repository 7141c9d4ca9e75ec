//! Where the memory of the process is, as the view has it, against what the program does with it.

use allometer_core::Config;
use allometer_profile::Profile;
use allometer_views::{Gap, GapPart, gap};

use crate::{Block, Check, Recording, Subject, resident};

pub(super) const CHECKS: &[Check] = &[
    Check::new("gap::each_allocator_has_its_rows", each_allocator_has_its_rows),
    Check::new("gap::half_freed_small_blocks_are_free_room", half_freed_small_blocks_are_free_room),
    Check::new("gap::freed_blocks_are_free_until_they_are_given_back", freed_blocks_are_free),
];

const MIB: f64 = 1_048_576.0;

/// At this moment: figures at once, names later.
fn now(recording: &Recording) -> Gap {
    let snapshot = recording.snapshot().unwrap();
    let (figures, resident) = (recording.provider_figures().unwrap(), resident());
    let mut profile = snapshot.profile();
    profile.metadata.provider_figures = figures;
    profile.metadata.resident = u64::try_from(resident).ok();
    let gap = gap(&Profile::from_pprof(&profile.to_pprof()).unwrap()).unwrap();
    let sum: f64 = gap.rows.iter().map(|row| row.bytes.value).sum();
    assert!((sum - gap.total as f64).abs() < 1.0, "{gap:?}");
    assert_eq!(gap.total, resident.unsigned_abs());
    gap
}

/// Zero where there is no such row.
fn part(gap: &Gap, part: GapPart) -> f64 {
    gap.rows.iter().find(|row| row.part == part).map_or(0.0, |row| row.bytes.value)
}

/// What the allocator has beside blocks, as far as it tells that from blocks. A small heap of jemalloc has two of these in one.
fn free(gap: &Gap) -> f64 {
    use GapPart::{Fragmentation, FreeAndRecords, FreePages, FreePagesAndRecords, Records, RestOfAllocator};
    let all = [FreeAndRecords, FreePages, FreePagesAndRecords, Fragmentation, Records, RestOfAllocator];
    all.into_iter().map(|each| part(gap, each)).sum()
}

fn each_allocator_has_its_rows(subject: &Subject) {
    let recording = Recording::exact();
    let mut block = Block::new(64 << 20, 16).unwrap();
    block.fill(1);
    let gap = now(&recording);
    let expected: &[GapPart] = match subject.name {
        // The C library of a program without a loader cannot be asked for figures.
        "system" if subject.provider.stats().figures().count() == 0 => {
            &[GapPart::Live, GapPart::Slack, GapPart::Rest]
        }
        "system" => &[GapPart::Live, GapPart::Slack, GapPart::Unprofiled, GapPart::FreeAndRecords],
        "mimalloc" | "rustfs-mimalloc" => &[GapPart::Live, GapPart::Slack, GapPart::RestOfAllocator],
        "jemalloc" => &[GapPart::Live, GapPart::Slack, GapPart::Unprofiled, GapPart::Fragmentation],
        _ => &[GapPart::Live, GapPart::Rest],
    };
    let parts: Vec<GapPart> = gap.rows.iter().map(|row| row.part).collect();
    assert_eq!(&parts[..expected.len()], expected);
    let last = gap.rows.last().unwrap();
    match last.part {
        GapPart::Rest => assert_eq!(parts, expected),
        GapPart::Outside => assert!(last.bytes.value >= 0.0),
        GapPart::Absent => assert!(last.bytes.value < 0.0),
        part => panic!("{part:?} is last"),
    }
    assert!(part(&gap, GapPart::Live) >= 64.0 * MIB);
    // What was there before the session, and the profiler's own.
    assert!(part(&gap, GapPart::Unprofiled).abs() < 4.0 * MIB, "{gap:?}");
    assert_eq!(gap.fragmentation.is_some(), subject.name == "jemalloc");
    drop(block);
}

fn half_freed_small_blocks_are_free_room(subject: &Subject) {
    const SIZE: usize = 64;
    let recording = Recording::start(Config::default().sample_interval(16 << 10).seed(3));
    let blocks: Vec<Block> = (0..(64 << 20) / SIZE).map(|_| Block::new(SIZE, 16).unwrap()).collect();
    let mut blocks: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let full = now(&recording);
    blocks.iter_mut().skip(1).step_by(2).for_each(|block| *block = None);
    let halved = now(&recording);
    let live = |gap: &Gap| gap.rows[0].bytes;
    let freed = live(&full) - live(&halved);
    // The samples that are live at both moments are no noise, so that this is too wide.
    assert!((freed.value - 32.0 * MIB).abs() < 5.0 * freed.standard_error(), "{full:?} {halved:?}");
    if subject.provider.stats().figures().count() == 0 {
        return;
    }
    assert!(free(&halved) - free(&full) > 28.0 * MIB, "{full:?} {halved:?}");
    if subject.name == "jemalloc" {
        let more = part(&halved, GapPart::Fragmentation) - part(&full, GapPart::Fragmentation);
        assert!(more > 30.0 * MIB && halved.fragmentation > Some(1.3), "{full:?} {halved:?}");
    }
    drop(blocks);
}

fn freed_blocks_are_free(subject: &Subject) {
    let recording = Recording::exact();
    let before = now(&recording);
    let mut blocks: Vec<Block> = (0..4096).map(|_| Block::new(64 << 10, 16).unwrap()).collect();
    blocks.iter_mut().for_each(|block| block.fill(1));
    // So that the last ones are not at the end of everything.
    let last = Block::new(64 << 10, 16).unwrap();
    let full = now(&recording);
    assert!(part(&full, GapPart::Live) - part(&before, GapPart::Live) >= 256.0 * MIB);
    drop(blocks);
    let freed = now(&recording);
    assert!(part(&full, GapPart::Live) - part(&freed, GapPart::Live) >= 256.0 * MIB);
    let retained = |gap: &Gap| gap.retained.unwrap_or_default() as f64;
    if subject.provider.stats().figures().count() > 0 {
        let more = free(&freed) + retained(&freed) - free(&full) - retained(&full);
        assert!(more > 240.0 * MIB, "{full:?} {freed:?}");
    }
    if subject.provider.purge() {
        let after = now(&recording);
        assert!(full.total - after.total > 200 << 20, "{full:?} {after:?}");
        if subject.name == "jemalloc" {
            assert!(retained(&after) - retained(&before) > 240.0 * MIB, "{before:?} {after:?}");
            assert!(part(&after, GapPart::FreePages) < 16.0 * MIB, "{after:?}");
        }
    }
    drop(last);
}
