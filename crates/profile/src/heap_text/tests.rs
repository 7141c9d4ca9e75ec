use super::*;
use crate::{Figures, MappingIndex, ReturnAddress};

const JEMALLOC: &str = "\
heap_v2/65536
  t*: 3: 3072 [5: 5120]
  t0: 1: 1024 [1: 1024]
@ 0x401005 0x402005 0x9005
  t*: 2: 2048 [4: 4096]
  t1: 2: 2048 [4: 4096] a name
@ 0x402005 0x1 0x0
  t*: 1: 1024 [1: 1024]
  t0: 1: 1024 [1: 1024]

MAPPED_LIBRARIES:
00400000-00401000 r--p 00000000 fe:00 1 /srv/app/shop
00401000-00402005 r-xp 00001000 fe:00 1 /srv/app/shop
";

const GPERFTOOLS: &str = "\
heap profile:  3:  3072 [ 5:  5120] @ heapprofile
  2:  2048 [ 4:  4096] @ 0x401005 0x402005 0x9005
  1:  1024 [ 1:  1024] @ 0x402005

MAPPED_LIBRARIES:
00401000-00402005 r-xp 00001000 fe:00 1 /srv/app/shop
";

fn read(text: &str) -> Profile {
    Profile::from_heap_text(text.as_bytes()).unwrap()
}

fn refusal(text: &str) -> String {
    Profile::from_heap_text(text.as_bytes()).unwrap_err().to_string()
}

fn figures(profile: &Profile) -> Vec<[i64; 4]> {
    let of = |Figures { alloc, live }: Figures| {
        [alloc.objects, alloc.bytes, live.objects, live.bytes].map(crate::Estimate::rounded)
    };
    profile.samples.iter().map(|sample| of(sample.figures)).collect()
}

#[test]
fn reads_what_jemalloc_writes() {
    let profile = read(JEMALLOC);
    // 1024 / (1 - exp(-1/64)) is 66049.33, of each sampled object.
    assert_eq!(figures(&profile), [[258, 264_197, 129, 132_099], [65, 66_049, 65, 66_049]]);
    assert_eq!(profile.metadata.sample_interval, 65_536);
    assert_eq!(profile.metadata.provider.as_deref(), Some("jemalloc"));
    assert!(profile.metadata.live && profile.functions.is_empty());
    let [shop] = &*profile.mappings else { panic!("one mapping") };
    assert_eq!(
        (shop.start, shop.limit, shop.offset, &*shop.path),
        (0x401000, 0x402005, 0x1000, "/srv/app/shop")
    );
}

#[test]
fn reads_what_gperftools_writes() {
    let profile = read(GPERFTOOLS);
    assert_eq!(figures(&profile), [[4, 4096, 2, 2048], [1, 1024, 1, 1024]]);
    assert_eq!(profile.metadata.sample_interval, 1);
    let sampled = GPERFTOOLS.replace("heapprofile", "heap_v2/65536").replace("[ 5:  5120]", "[ 3:  3072]");
    assert_eq!(figures(&read(&sampled)), [[0, 0, 129, 132_099], [0, 0, 65, 66_049]]);
}

#[test]
fn equal_stacks_are_one_sample_whose_fractions_add_up() {
    // A kilobyte at an interval of 4096 stands for 4.52 objects.
    let text = "heap profile: 4: 4096 [4: 4096] @ heap_v2/4096\n".to_owned()
        + &"1: 1024 [1: 1024] @ 0x10 0x20\n".repeat(3)
        + "1: 1024 [1: 1024] @ 0x20 0x10\n";
    assert_eq!(figures(&read(&text)), [[0, 0, 14, 13_888], [0, 0, 5, 4629]]);
}

#[test]
fn the_text_of_go_has_names_in_comments() {
    let text = "heap profile: 2: 96 [4: 192] @ heap/2\n2: 96 [4: 192] @ 0x1 0x2\n#\t0x1\tmain.f+0x1\n\n# runtime.MemStats\n";
    assert_eq!(figures(&read(text)), [[4, 192, 2, 96]]);
}

#[test]
fn addresses_are_return_addresses() {
    let both = [read(JEMALLOC), read(GPERFTOOLS)];
    for profile in &both {
        let [first, second, outside] = &*profile.locations else { panic!("three locations") };
        assert_eq!(first.address, Some(ReturnAddress::new(0x401005)));
        assert_eq!(first.address.unwrap().lookup().get(), 0x401004);
        // The call is the last instruction of the mapping: what follows it is outside.
        assert_eq!([first, second].map(|location| location.mapping), [Some(MappingIndex(0)); 2]);
        assert_eq!(outside.mapping, None);
        let stacks: Vec<Vec<u32>> =
            profile.samples.iter().map(|sample| sample.stack.iter().map(|index| index.0).collect()).collect();
        assert_eq!(stacks, [&[0, 1, 2][..], &[1]]);
    }
}

#[test]
fn what_is_written_as_pprof_says_the_same() {
    let profile = read(JEMALLOC);
    let again = Profile::from_pprof(&profile.to_pprof()).unwrap();
    assert_eq!(figures(&again), figures(&profile));
    assert_eq!((again.locations.len(), again.mappings), (3, profile.mappings));
    assert_eq!(again.locations[1].address, profile.locations[1].address);
}

#[test]
fn the_line_of_what_is_malformed_is_named() {
    let with = |from: &str, to: &str| refusal(&JEMALLOC.replacen(from, to, 1));
    let addresses = "expected `@` and addresses such as 0x1a2b";
    let sum = "expected `t*: objects: bytes [objects: bytes]`";
    assert_eq!(with("0x9005", "9005"), format!("line 4: {addresses}, found \"@ 0x401005 0x402005 9005\""));
    assert_eq!(
        with("0x9005", "0x1ffffffffffffffff").split(',').next().unwrap(),
        format!("line 4: {addresses}")
    );
    assert_eq!(with("t*: 2: 2048", "t*: 2: many"), format!("line 5: {sum}, found \"t*: 2: many [4: 4096]\""));
    assert_eq!(
        with("[4: 4096]\n", "[4: 4096] more\n"),
        format!("line 5: {sum}, found \"t*: 2: 2048 [4: 4096] more\"")
    );
    assert_eq!(with("  t1:", "  u1:"), format!("line 6: {sum}, found \"u1: 2: 2048 [4: 4096] a name\""));
    assert_eq!(with("  t1: 2: 2048 [4: 4096] a name", "hm"), format!("line 6: {addresses}, found \"hm\""));
    assert_eq!(
        with("  t*: 2: 2048 [4: 4096]\n  t1: 2: 2048 [4: 4096] a name\n", ""),
        format!("line 5: {sum}, found \"@ 0x402005 0x1 0x0\"")
    );
    let cut = &JEMALLOC[..JEMALLOC.find("  t*: 2").unwrap()];
    assert_eq!(
        refusal(cut),
        "line 4: expected a line of `t*:` below the stack, found \"@ 0x401005 0x402005 0x9005\""
    );
    let with = |from: &str, to: &str| refusal(&GPERFTOOLS.replacen(from, to, 1));
    assert_eq!(
        with("  2:  2048 [", "  2:  2048 ("),
        "line 2: expected `objects: bytes [objects: bytes] @` and addresses, found \"2:  2048 ( 4:  4096] @ 0x401005 0x402005\""
    );
    assert_eq!(
        with("@ 0x402005", "at 0x402005"),
        format!("line 3: {addresses}, found \"1:  1024 [ 1:  1024] at 0x402005\"")
    );
    assert_eq!(refusal(""), "there is nothing in it");
}

#[test]
fn names_on_stacks_are_bounded_also_where_they_are_those_of_files() {
    let frames = " 0x401005".repeat(1000);
    let stack = format!("1: 1 [1: 1] @{frames}\n");
    let path = "x".repeat(600_000);
    let text = format!(
        "heap profile: 1: 1 [1: 1] @ heapprofile\n{stack}MAPPED_LIBRARIES:\n401000-402000 r-xp 0 0:0 0 /{path}\n"
    );
    assert_eq!(refusal(&text), "line 2: more than 512 MiB of names on its stacks");
    assert_eq!(read(&text.replace(&path, "shop")).samples[0].stack.len(), 1000);
}
