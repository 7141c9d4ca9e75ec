/// The type of a GNU build id note.
const NT_GNU_BUILD_ID: u32 = 3;

/// The build id in a segment of notes, `align` being the segment's alignment.
///
/// A note is three words (length of its name, length of its contents, type), the name and the contents, each
/// padded to four bytes, or to eight in a segment that is aligned so. What is malformed ends the search.
///
/// It does not allocate.
pub fn find(mut notes: &[u8], align: u64) -> Option<&[u8]> {
    let align = if align == 8 { 8 } else { 4 };
    while notes.len() >= 12 {
        let word = |at: usize| notes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
        let (name_len, len, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let name_end = name_len.checked_add(12)?;
        let start = name_end.checked_next_multiple_of(align)?;
        let end = start.checked_add(len)?;
        let contents = notes.get(start..end)?;
        if kind == NT_GNU_BUILD_ID && notes.get(12..name_end)? == b"GNU\0" && !contents.is_empty() {
            return Some(contents);
        }
        notes = notes.get(end.checked_next_multiple_of(align)?..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &[u8], kind: u32, contents: &[u8], align: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [name.len() as u32, contents.len() as u32, kind] {
            bytes.extend(word.to_ne_bytes());
        }
        for part in [name, contents] {
            bytes.extend(part);
            bytes.resize(bytes.len().next_multiple_of(align), 0);
        }
        bytes
    }

    #[test]
    fn finds_the_id_behind_other_notes() {
        let mut notes = note(b"GNU\0", 1, &[1, 2, 3, 4, 5], 4);
        notes.extend(note(b"Rusty\0", 3, &[9; 4], 4));
        notes.extend(note(b"GNU\0", 3, &[0xab; 20], 4));
        assert_eq!(find(&notes, 4), Some(&[0xab; 20][..]));
        assert_eq!(find(&notes[..notes.len() - 1], 4), None);
    }

    #[test]
    fn pads_to_eight_where_the_segment_does() {
        let mut notes = note(b"GNU\0", 5, &[7; 4], 8);
        notes.extend(note(b"GNU\0", 3, &[0xcd; 8], 8));
        assert_eq!(find(&notes, 8), Some(&[0xcd; 8][..]));
    }

    #[test]
    fn survives_any_lengths() {
        let mut notes = note(b"GNU\0", 1, &[], 4);
        for at in 0..8 {
            let before = notes[at];
            notes[at] = 0xff;
            assert_eq!(find(&notes, 4), None);
            notes[at] = before;
        }
    }
}
