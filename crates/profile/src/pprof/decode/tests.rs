//! Messages that are well, and messages that are not.

use super::*;
use crate::Limit;

/// A heap profile with one sample of one location, function and mapping, all with id 7.
fn message() -> messages::Profile {
    let texts = ["", "inuse_space", "bytes", "main", "/bin/shop", "cpu", "ab01"];
    let line = messages::Line { function_id: 7, line: 12 };
    let function = messages::Function { id: 7, name: 3, system_name: 3, filename: 0 };
    messages::Profile {
        string_table: texts.map(str::to_owned).to_vec(),
        sample_type: vec![messages::ValueType { kind: 1, unit: 2 }],
        sample: vec![messages::Sample { location_id: vec![7], value: vec![4096], ..Default::default() }],
        mapping: vec![messages::Mapping { id: 7, filename: 4, build_id: 6, ..Default::default() }],
        location: vec![messages::Location { id: 7, mapping_id: 7, address: 0x1000, line: vec![line] }],
        function: vec![function],
        ..Default::default()
    }
}

fn read(message: &messages::Profile) -> Result<Profile, Error> {
    profile(message, &Budget::new(Limit::Memory))
}

/// What reading says about the message after `change`.
fn complaint(change: impl FnOnce(&mut messages::Profile)) -> String {
    let mut message = message();
    change(&mut message);
    read(&message).unwrap_err().to_string()
}

#[test]
fn ids_need_not_be_dense() {
    let profile = read(&message()).unwrap();
    assert_eq!(profile.samples[0].stack, [LocationIndex(0)]);
    assert_eq!(profile.samples[0].figures.live.bytes.value, 4096.0);
    assert_eq!(profile.locations[0].address.unwrap().get(), 0x1001);
    assert_eq!(profile.functions[0].name, "main");
    assert_eq!(profile.mappings[0].build_id.as_deref(), Some("ab01"));
    assert!(profile.metadata.live);
}

#[test]
fn an_interval_is_told_by_the_labels_of_its_samples() {
    let mut profile = read(&message()).unwrap();
    assert!(!profile.metadata.is_interval);
    profile.samples[0].tag = Some("tenant 7".into());
    for is_interval in [true, false] {
        profile.metadata.is_interval = is_interval;
        let read = Profile::from_pprof(&profile.to_pprof()).unwrap();
        assert_eq!(
            (read.metadata.is_interval, read.samples[0].tag.as_deref()),
            (is_interval, Some("tenant 7"))
        );
    }
}

#[test]
fn dangling_references_are_named_with_their_place() {
    assert_eq!(complaint(|m| m.sample[0].location_id[0] = 9), "sample 0: location id 9 does not exist");
    assert_eq!(complaint(|m| m.location[0].mapping_id = 9), "location 7: mapping id 9 does not exist");
    let function = complaint(|m| m.location[0].line[0].function_id = 0);
    assert_eq!(function, "location 7: function id 0 does not exist");
    let text = complaint(|m| m.function[0].name = 70);
    assert_eq!(text, "function 7: string 70 does not exist, the table has 7");
    assert_eq!(complaint(|m| m.comment.push(-1)), "comment 0: string -1 does not exist, the table has 7");
    let header = complaint(|m| m.default_sample_type = 8);
    assert_eq!(header, "profile header: string 8 does not exist, the table has 7");
}

#[test]
fn ids_are_unique_and_not_zero() {
    assert_eq!(complaint(|m| m.location[0].id = 0), "location number 0 has id 0");
    assert_eq!(complaint(|m| m.function.push(m.function[0])), "function id 7 occurs twice");
}

#[test]
fn values_fit_the_types() {
    assert_eq!(complaint(|m| m.sample[0].value.push(1)), "sample 0 has 2 values for 1 sample types");
    assert_eq!(
        complaint(|m| m.sample_type[0].unit = 5),
        r#"sample type inuse_space is in "cpu", expected "bytes""#
    );
    let twice = complaint(|m| m.sample_type.push(m.sample_type[0]));
    assert_eq!(twice, "sample type inuse_space is listed twice");
    let other = complaint(|m| m.sample_type[0].kind = 5);
    assert_eq!(other, "this is not a heap profile, its sample types are: cpu");
    let line = complaint(|m| m.location[0].line[0].line = -1);
    assert_eq!(line, "location 7: line number -1 is out of range");
}

#[test]
fn a_tag_is_read_and_other_labels_are_not() {
    let mut message = message();
    let sample = message.sample.remove(0);
    message.string_table.extend(["tag", "tenant 7", "thread"].map(str::to_owned));
    let [tag, other, number] = [(7, 8), (9, 8), (7, 0)].map(|(key, text)| messages::Label { key, text });
    for labels in [vec![], vec![other, tag, other], vec![number, tag], vec![other], vec![number]] {
        message.sample.push(messages::Sample { label: labels, ..sample.clone() });
    }
    let profile = read(&message).unwrap();
    let tags: Vec<_> = profile.samples.iter().map(|sample| sample.tag.as_deref()).collect();
    assert_eq!(tags, [None, Some("tenant 7"), Some("tenant 7"), None, None]);
    let shared = profile.samples[1].tag.as_ref().zip(profile.samples[2].tag.as_ref());
    assert!(shared.is_some_and(|(one, other)| Arc::ptr_eq(one, other)));
}

#[test]
fn labels_that_lead_nowhere_are_refused() {
    let label = |key, text| {
        complaint(|m| {
            m.string_table.push("tag".to_owned());
            m.sample[0].label.push(messages::Label { key, text });
        })
    };
    assert_eq!(label(9, 0), "sample 0: string 9 does not exist, the table has 8");
    assert_eq!(label(7, -1), "sample 0: string -1 does not exist, the table has 8");
}

#[test]
fn tags_are_counted() {
    let mut message = message();
    message.string_table.push("tag".to_owned());
    let text = "x".repeat(1 << 20);
    let sample = message.sample.remove(0);
    for text_at in 8..400 {
        message.string_table.push(text.clone());
        let label = messages::Label { key: 7, text: text_at };
        message.sample.push(messages::Sample { label: vec![label; 2], ..sample.clone() });
    }
    let error = read(&message).unwrap_err().to_string();
    assert_eq!(error, "sample 383: more than 384 MiB of memory");
    message.sample.truncate(100);
    assert!(read(&message).is_ok());
}

#[test]
fn sums_stay_in_range() {
    let mut message = message();
    message.sample =
        vec![messages::Sample { location_id: vec![7], value: vec![i64::MAX], ..Default::default() }; 3];
    let profile = read(&message).unwrap();
    assert_eq!(profile.total().live.bytes.rounded(), i64::MAX);
    assert_eq!(Profile::from_pprof(&profile.to_pprof()).unwrap().total(), profile.total());
}

#[test]
fn columns_are_found_by_name() {
    let mut message = message();
    message.sample_type.insert(0, messages::ValueType { kind: 5, unit: 2 });
    message.sample[0].value.insert(0, 1);
    assert_eq!(read(&message).unwrap().total().live.bytes.value, 4096.0);
}

#[test]
fn a_text_that_many_entries_name_is_counted_for_each() {
    let mut message = message();
    message.string_table.push("x".repeat(1 << 20));
    let function = |id| messages::Function { id, name: 7, ..Default::default() };
    message.function.extend((8..400).map(function));
    let error = read(&message).unwrap_err().to_string();
    assert_eq!(error, "function 391: more than 384 MiB of memory");
    message.function.truncate(100);
    assert!(read(&message).is_ok());
}

#[test]
fn names_are_counted_as_often_as_they_are_on_stacks() {
    let mut message = message();
    message.string_table[3] = "x".repeat((1 << 20) - 32);
    let sample = messages::Sample { location_id: vec![7; 64], value: vec![1], ..Default::default() };
    message.sample = vec![sample; 8];
    assert!(read(&message).is_ok());
    message.sample[7].location_id.push(7);
    let error = read(&message).unwrap_err().to_string();
    assert_eq!(error, "sample 7: more than 512 MiB of names on its stacks");
    // Frames without names count as well.
    message.string_table[3].clear();
    message.location[0].line = vec![message.location[0].line[0]; 1 << 16];
    let sample = messages::Sample { location_id: vec![7; 257], value: vec![1], ..Default::default() };
    message.sample = vec![sample];
    assert!(read(&message).is_err());
}

#[test]
fn what_an_error_quotes_is_one_short_line() {
    let hostile = |message: &mut messages::Profile| {
        message.string_table[1] = "\x1b[2J\n".repeat(1000);
        message.sample_type = vec![message.sample_type[0]; 1000];
        message.sample[0].value = vec![0; 1000];
    };
    let error = complaint(hostile);
    assert!(error.len() < 3000 && !error.chars().any(char::is_control), "{error}");
}
