//! The messages of the format, by the field numbers of its definition. Fields that hold a text are indexes
//! into the string table. Labels that are numbers are left out.
//!
//! Fields 14 and 15 of [`PeriodType`] and 15 of [`Sample`] are not of the definition: other readers skip what they do not
//! know. Some, such as pprof-format for JavaScript, only do that where the number is below 16, so that a field's key is one
//! byte; and of the outermost message all of these are taken.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Profile {
    #[prost(message, repeated, tag = "1")]
    pub(super) sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(super) sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    pub(super) mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    pub(super) location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    pub(super) function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    pub(super) string_table: Vec<String>,
    #[prost(int64, tag = "7")]
    pub(super) drop_frames: i64,
    #[prost(int64, tag = "9")]
    pub(super) time_nanos: i64,
    #[prost(int64, tag = "10")]
    pub(super) duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    pub(super) period_type: Option<PeriodType>,
    #[prost(int64, tag = "12")]
    pub(super) period: i64,
    #[prost(int64, repeated, tag = "13")]
    pub(super) comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    pub(super) default_sample_type: i64,
}

impl Profile {
    /// The message as it is written: each list of live objects in a period type of its own before the whole one, so that no field
    /// is long. Who reads a message puts them together, or keeps the last one.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let lists =
            self.period_type.as_mut().map(|period_type| std::mem::take(&mut period_type.live_objects));
        let mut bytes = Vec::new();
        for list in lists.unwrap_or_default() {
            let period_type = PeriodType { live_objects: vec![list], ..PeriodType::default() };
            bytes.append(&mut Self { period_type: Some(period_type), ..Self::default() }.encode_to_vec());
        }
        bytes.append(&mut self.encode_to_vec());
        bytes
    }

    /// What only this project's files have of the profile.
    pub(super) fn session(&self) -> Option<&Session> {
        self.period_type.as_ref()?.session.as_ref()
    }

    pub(super) fn live_objects(&self) -> &[LiveObjects] {
        self.period_type.as_ref().map_or(&[], |period_type| &period_type.live_objects)
    }
}

/// A [`ValueType`], with what there is no other place for.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PeriodType {
    #[prost(int64, tag = "1")]
    pub(super) kind: i64,
    #[prost(int64, tag = "2")]
    pub(super) unit: i64,
    #[prost(message, repeated, tag = "14")]
    pub(super) live_objects: Vec<LiveObjects>,
    #[prost(message, optional, tag = "15")]
    pub(super) session: Option<Session>,
}

/// What the profile says about itself that the format has no field for.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Session {
    /// Zero for none.
    #[prost(fixed64, tag = "1")]
    pub(super) identity: u64,
    #[prost(uint64, tag = "2")]
    pub(super) elapsed_nanos: u64,
    #[prost(uint64, optional, tag = "3")]
    pub(super) peak_nanos: Option<u64>,
    #[prost(float, repeated, tag = "4")]
    pub(super) sizes: Vec<f32>,
    #[prost(message, repeated, tag = "5")]
    pub(super) provider_figures: Vec<ProviderFigure>,
    /// In bytes; none where it is not known.
    #[prost(uint64, optional, tag = "6")]
    pub(super) resident: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct ProviderFigure {
    #[prost(int64, tag = "1")]
    pub(super) name: i64,
    #[prost(uint64, tag = "2")]
    pub(super) bytes: u64,
}

/// Sampled objects that are live, of one sample: three lists of one length. A sample may have several of these.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LiveObjects {
    /// Position of the sample in the file, from 0.
    #[prost(uint64, tag = "1")]
    pub(super) sample: u64,
    /// Nanoseconds since the session's start, each as the difference from the one before.
    #[prost(sint64, repeated, tag = "2")]
    pub(super) births: Vec<i64>,
    #[prost(uint64, repeated, tag = "3")]
    pub(super) sizes: Vec<u64>,
    /// Objects that each stands for.
    #[prost(double, repeated, tag = "4")]
    pub(super) weights: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(super) kind: i64,
    #[prost(int64, tag = "2")]
    pub(super) unit: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sample {
    /// Leaf first.
    #[prost(uint64, repeated, tag = "1")]
    pub(super) location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    pub(super) value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    pub(super) label: Vec<Label>,
    #[prost(message, optional, tag = "15")]
    pub(super) details: Option<Details>,
}

/// What a sample has beside its four values.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Details {
    /// Of the four values; none where all are exact.
    #[prost(float, repeated, tag = "1")]
    pub(super) variances: Vec<f32>,
    /// Objects and bytes; none where both are zero.
    #[prost(uint64, repeated, tag = "2")]
    pub(super) peak: Vec<u64>,
    #[prost(float, repeated, tag = "3")]
    pub(super) peak_variances: Vec<f32>,
    /// The classes that have objects, and how many.
    #[prost(uint32, repeated, tag = "4")]
    pub(super) lifetime_classes: Vec<u32>,
    #[prost(float, repeated, tag = "5")]
    pub(super) lifetime_objects: Vec<f32>,
    /// In bytes; none where it is not known.
    #[prost(uint64, optional, tag = "6")]
    pub(super) slack: Option<u64>,
    #[prost(float, tag = "7")]
    pub(super) slack_variance: f32,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Label {
    #[prost(int64, tag = "1")]
    pub(super) key: i64,
    /// Zero where the label is a number.
    #[prost(int64, tag = "2")]
    pub(super) text: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Mapping {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(uint64, tag = "2")]
    pub(super) memory_start: u64,
    #[prost(uint64, tag = "3")]
    pub(super) memory_limit: u64,
    #[prost(uint64, tag = "4")]
    pub(super) file_offset: u64,
    #[prost(int64, tag = "5")]
    pub(super) filename: i64,
    #[prost(int64, tag = "6")]
    pub(super) build_id: i64,
    #[prost(bool, tag = "7")]
    pub(super) has_functions: bool,
    #[prost(bool, tag = "8")]
    pub(super) has_filenames: bool,
    #[prost(bool, tag = "9")]
    pub(super) has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    pub(super) has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Location {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    /// Zero for none.
    #[prost(uint64, tag = "2")]
    pub(super) mapping_id: u64,
    /// Zero for none.
    #[prost(uint64, tag = "3")]
    pub(super) address: u64,
    /// Innermost first.
    #[prost(message, repeated, tag = "4")]
    pub(super) line: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Line {
    #[prost(uint64, tag = "1")]
    pub(super) function_id: u64,
    #[prost(int64, tag = "2")]
    pub(super) line: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Function {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(int64, tag = "2")]
    pub(super) name: i64,
    #[prost(int64, tag = "3")]
    pub(super) system_name: i64,
    #[prost(int64, tag = "4")]
    pub(super) filename: i64,
}
