use std::ops::Range;

/// A library that can be unloaded, as it was when a stack went through it: by the time that somebody asks for names
/// it may be gone, and another at its addresses or at its path.
///
/// Its file is opened only to be compared first: by the build id, or where there is none by `contents`. With
/// neither, its code has no names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedModule {
    /// Path of its file; the last part alone where the rest is not known.
    pub path: String,
    /// Difference between an address in memory and the virtual address in the file.
    pub bias: u64,
    /// Its executable segments.
    pub segments: Vec<RecordedSegment>,
    /// Its build id, if it has one.
    pub build_id: Option<Vec<u8>>,
    /// Pieces of its file.
    pub contents: Vec<FilePiece>,
}

/// An executable segment of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedSegment {
    /// In memory: the load bias plus the segment's virtual addresses, not rounded to pages.
    pub addresses: Range<u64>,
    /// Offset in the file, in bytes, as the program header has it.
    pub offset: u64,
    /// The size of page that it is linked for, in bytes, as the program header has it.
    pub align: u64,
}

/// What a file holds at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePiece {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// What is there.
    pub bytes: Vec<u8>,
}

impl FilePiece {
    /// Whether `file` holds it.
    pub(crate) fn is_in(&self, file: &[u8]) -> bool {
        let start = usize::try_from(self.offset).ok();
        start.and_then(|start| file.get(start..)).is_some_and(|file| file.starts_with(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_where_it_says() {
        let piece = |offset| FilePiece { offset, bytes: b"cd".to_vec() };
        assert!(piece(2).is_in(b"abcd"));
        assert!(!piece(1).is_in(b"abcd") && !piece(3).is_in(b"abcd") && !piece(u64::MAX).is_in(b"abcd"));
    }
}
