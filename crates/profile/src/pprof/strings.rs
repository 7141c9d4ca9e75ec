use rustc_hash::FxHashMap;

use crate::SampleType;

/// The string table while it is being written: each text once.
pub(super) struct Strings<'text> {
    table: Vec<String>,
    positions: FxHashMap<&'text str, i64>,
}

impl<'text> Strings<'text> {
    /// A table that begins with the empty text, as the format has it, and then with a few texts in a fixed
    /// order: some readers take the index of the default type's name for the position of that type among the
    /// sample types. So the name stands at that very position, or at 1 where it would have to be at 0.
    pub(super) fn new(default_type: SampleType) -> Self {
        let mut strings = Self { table: Vec::new(), positions: FxHashMap::default() };
        let position = SampleType::ALL.iter().position(|&each| each == default_type).unwrap_or(0);
        let mut first = vec!["", "count", "bytes"];
        first.insert(position.max(1), default_type.name());
        for text in first {
            strings.add(text);
        }
        strings
    }

    /// The index of `text`.
    pub(super) fn add(&mut self, text: &'text str) -> i64 {
        *self.positions.entry(text).or_insert_with(|| {
            self.table.push(text.to_owned());
            self.table.len() as i64 - 1
        })
    }

    pub(super) fn into_table(self) -> Vec<String> {
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_as_readers_expect() {
        let begin = |default_type| Strings::new(default_type).into_table();
        assert_eq!(begin(SampleType::LiveBytes), ["", "count", "bytes", "inuse_space"]);
        assert_eq!(begin(SampleType::LiveObjects), ["", "count", "inuse_objects", "bytes"]);
        assert_eq!(begin(SampleType::AllocBytes), ["", "alloc_space", "count", "bytes"]);
        assert_eq!(begin(SampleType::AllocObjects), ["", "alloc_objects", "count", "bytes"]);
    }

    #[test]
    fn keeps_each_text_once() {
        let mut strings = Strings::new(SampleType::LiveBytes);
        assert_eq!((strings.add(""), strings.add("bytes"), strings.add("main")), (0, 2, 4));
        assert_eq!(strings.add("main"), 4);
        assert_eq!(strings.into_table().len(), 5);
    }
}
