//! The whole text for a small profile.

use super::*;
use allometer_profile::{
    Amount, Estimate, Figures, Function, FunctionIndex, Lifetimes, Line, LiveObject, Location, LocationIndex,
    Loss, Mapping, MappingIndex, Metadata, ProviderFigure, ReturnAddress, Sample,
};
use std::time::{Duration, UNIX_EPOCH};

fn amount(objects: f64, bytes: f64) -> Amount {
    let estimate = |value: f64| Estimate { value, variance: 9.0 };
    Amount { objects: estimate(objects), bytes: estimate(bytes) }
}

fn full() -> Profile {
    let line = |function, line| Line { function: FunctionIndex(function), line };
    let mut lifetimes = Lifetimes::default();
    lifetimes.add(Duration::from_micros(10), 4.0);
    let object = LiveObject { birth: Duration::from_secs(1), size: 64, amount: amount(2.0, 128.0) };
    Profile {
        metadata: Metadata {
            start: Some(UNIX_EPOCH + Duration::from_millis(1_700_000_000_123)),
            duration: Duration::from_millis(2500),
            session: Some(0xfedc_ba98_7654_3210),
            elapsed: Duration::from_secs(3),
            sample_interval: 4096,
            provider: Some("mimalloc".to_owned()),
            live: true,
            losses: vec![Loss { what: "beyond\nthe bound".to_owned(), events: 3, amount: amount(4.0, 5.0) }],
            peak: Some(Duration::from_secs(2)),
            sizes: vec![0.0, 1.5],
            provider_figures: vec![ProviderFigure { name: "resident".to_owned(), bytes: 1 << 40 }],
            resident: Some(2 << 40),
            comments: vec!["</script>".to_owned()],
            ..Metadata::default()
        },
        mappings: vec![Mapping { path: "/bin/shop".to_owned(), ..Mapping::default() }],
        functions: ["alloc::vec::push", "shop::add", "shop::main"]
            .map(|name| Function { name: name.to_owned(), file: "shop.rs".to_owned(), ..Function::default() })
            .to_vec(),
        locations: vec![
            Location { mapping: Some(MappingIndex(0)), lines: vec![line(0, 7), line(1, 20)], address: None },
            Location { mapping: None, lines: vec![line(2, 3)], address: None },
            Location { mapping: None, lines: Vec::new(), address: Some(ReturnAddress::new(0x1001)) },
        ],
        samples: vec![
            Sample {
                stack: vec![LocationIndex(0), LocationIndex(1)],
                tag: Some("tenant 7".into()),
                figures: Figures { alloc: amount(6.0, 384.0), live: amount(2.0, 128.0) },
                peak: amount(5.0, 320.0),
                slack: Some(Estimate { value: 32.0, variance: 4.0 }),
                live_objects: vec![object],
                lifetimes: Some(Box::new(lifetimes)),
            },
            Sample { stack: vec![LocationIndex(2), LocationIndex(1)], ..Sample::default() },
        ],
    }
}

#[test]
fn a_profile_is_one_object() {
    let expected = concat!(
        r#"{"schema":"allometer-profile/1","metadata":{"start":"2023-11-14T22:13:20.123Z","duration_seconds":2.5,"#,
        r#""elapsed_seconds":3.0,"session":"fedcba9876543210","sample_interval_bytes":4096,"provider":"mimalloc","#,
        r#""live_recorded":true,"peak_seconds":2.0,"sizes":[0.0,1.5],"#,
        r#""provider_figures":[{"name":"resident","bytes":1099511627776}],"resident_bytes":2199023255552,"#,
        r#""losses":[{"what":"beyond\\nthe bound","events":3,"#,
        r#""objects":4.0,"objects_error":3.0,"bytes":5.0,"bytes_error":3.0}],"comments":["</script>"]},"#,
        r#""total":{"live":{"objects":2.0,"objects_error":3.0,"bytes":128.0,"bytes_error":3.0},"#,
        r#""allocated":{"objects":6.0,"objects_error":3.0,"bytes":384.0,"bytes_error":3.0},"#,
        r#""peak":{"objects":5.0,"objects_error":3.0,"bytes":320.0,"bytes_error":3.0},"#,
        r#""slack":{"bytes":32.0,"bytes_error":2.0}},"#,
        r#""memory":{"total_bytes":2199023255552,"is_resident":true,"fragmentation":null,"retained_bytes":null,"parts":["#,
        r#"{"part":"live","title":"live, as requested","bytes":128.0,"bytes_error":3.0,"#,
        r#""meaning":"What the program holds. The profile says where it was allocated."},"#,
        r#"{"part":"slack","title":"slack of live blocks","bytes":32.0,"bytes_error":2.0,"#,
        r#""meaning":"Blocks come in certain sizes. Sites with much of it may do with sizes that fit; "#,
        r#"in large blocks it may be pages that were never touched."},"#,
        r#"{"part":"rest_of_allocator","title":"the allocator's other memory","bytes":1099511627616.0,"bytes_error":5.0,"#,
        r#""meaning":"Blocks not in the profile, free room, records, and pages given back before: "#,
        r#"this allocator says only how much it took."},"#,
        r#"{"part":"outside","title":"not the allocator's, at least","bytes":1099511627776.0,"bytes_error":0.0,"#,
        r#""meaning":"Stacks of threads, code, files, the profiler's own tables, other allocators."}]},"#,
        r#""frames":[{"function":"alloc::vec::push","file":"shop.rs","line":7,"module":"shop","inlined":true,"std":true},"#,
        r#"{"function":"shop::add","file":"shop.rs","line":20,"module":"shop"},"#,
        r#"{"function":"shop::main","file":"shop.rs","line":3},{"function":"0x1000"}],"#,
        r#""sites":[{"stack":[0,1,2],"tag":"tenant 7","#,
        r#""live":{"objects":2.0,"objects_error":3.0,"bytes":128.0,"bytes_error":3.0},"#,
        r#""allocated":{"objects":6.0,"objects_error":3.0,"bytes":384.0,"bytes_error":3.0},"#,
        r#""peak":{"objects":5.0,"objects_error":3.0,"bytes":320.0,"bytes_error":3.0},"#,
        r#""slack":{"bytes":32.0,"bytes_error":2.0},"#,
        r#""lifetimes":{"median_seconds":0.000012,"classes":[[4,4.0]]},"#,
        r#""ages":{"median_seconds":1.572864,"classes":[[21,2.0]]}},"#,
        r#"{"stack":[3,2],"live":{"objects":0.0,"objects_error":0.0,"bytes":0.0,"bytes_error":0.0},"#,
        r#""allocated":{"objects":0.0,"objects_error":0.0,"bytes":0.0,"bytes_error":0.0},"#,
        r#""peak":{"objects":0.0,"objects_error":0.0,"bytes":0.0,"bytes_error":0.0}}]}"#,
    );
    assert_eq!(json(&full()), expected);
}

#[test]
fn what_is_no_number_is_null() {
    let mut profile = full();
    profile.samples[1].figures.live.bytes.value = f64::NAN;
    let value: serde_json::Value = serde_json::from_str(&json(&profile)).unwrap();
    assert!(value["sites"][1]["live"]["bytes"].is_null());
    assert!(value["metadata"]["start"].is_string());
    let empty: serde_json::Value = serde_json::from_str(&json(&Profile::default())).unwrap();
    assert_eq!(empty["metadata"]["session"], serde_json::Value::Null);
}
