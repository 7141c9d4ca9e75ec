//! Rules from the unwind tables of a loaded module (`.eh_frame`).

// unsafe: looks at the tables where the loader has put them.
#![allow(unsafe_code)]

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EhFrameOffset, EndianSlice, NativeEndian, Register,
    RegisterRule, UnwindContext, UnwindContextStorage, UnwindSection, UnwindTableRow, X86_64,
};

use super::rule::Rule;

/// Where the unwind tables of one module are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnwindTable {
    /// Address of the sorted index, `.eh_frame_hdr`; zero: the module has no tables.
    pub(super) index: usize,
    /// Where the loaded segment that holds it starts, and its end. `.eh_frame` lies in the same one.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Room on the stack for evaluating one table: x86-64 code saves six registers, and rarely more than once.
struct OnStack;

impl UnwindContextStorage<usize> for OnStack {
    type Rules = [(Register, RegisterRule<usize>); 20];
    type Stack = [UnwindTableRow<usize, Self>; 2];
}

type Slice = EndianSlice<'static, NativeEndian>;

impl UnwindTable {
    /// The rule of the frame whose code at `address` is running; take an address within the call, not the
    /// one it returns to.
    ///
    /// # Safety
    ///
    /// The table is that of a module that stays loaded during the call.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn rule(&self, address: usize) -> Rule {
        // SAFETY: forwarded from the caller.
        unsafe { self.find(address) }.unwrap_or(Rule::UNKNOWN)
    }

    /// None: the table is malformed or in a form that is not expected.
    unsafe fn find(&self, address: usize) -> Option<Rule> {
        if self.index == 0 {
            return Some(Rule::NO_TABLE);
        }
        // SAFETY: from the index to the end of its segment, which is mapped and not written to.
        let index = unsafe { self.memory(self.index) }?;
        let bases = BaseAddresses::default().set_eh_frame_hdr(self.index as u64);
        let length = index.len();
        let header = EhFrameHdr::from(index).parse(&bases, 8).ok()?;
        let eh_frame = header.eh_frame_ptr().direct().ok()?;
        let bases = bases.set_eh_frame(eh_frame);
        // SAFETY: as above; a table elsewhere is refused.
        let section = EhFrame::from(unsafe { self.memory(eh_frame as usize) }?);
        let table = header.table()?;
        // What the look-up and the offset are computed from is checked here: gimli's own arithmetic may overflow.
        table.iter(&bases).size_hint().1.filter(|entries| *entries <= length)?;
        let entry = table.lookup(address as u64, &bases).ok()?.direct().ok()?;
        let offset = EhFrameOffset::from(entry.checked_sub(eh_frame)? as usize);
        let fde = section.fde_from_offset(&bases, offset, EhFrame::cie_from_offset).ok()?;
        if !fde.contains(address as u64) {
            return Some(Rule::NO_TABLE);
        }
        if fde.is_signal_trampoline() {
            return Some(Rule::SIGNAL);
        }
        let mut context = UnwindContext::<usize, OnStack>::new_in();
        let row = fde.unwind_info_for_address(&section, &bases, &mut context, address as u64).ok()?;
        simple(row)
    }

    /// # Safety
    ///
    /// The module stays loaded.
    unsafe fn memory(&self, from: usize) -> Option<Slice> {
        // The index comes behind the table or before it, depending on the linker.
        let length = self.end.checked_sub(from).filter(|_| from >= self.start)?;
        // SAFETY: a range within the segment, up to its end; by the caller's word it is loaded, and
        // the loader maps such a segment read-only.
        let memory = unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(from), length) };
        Some(EndianSlice::new(memory, NativeEndian))
    }
}

/// The row as a rule, if it is one of the usual kind.
fn simple(row: &UnwindTableRow<usize, OnStack>) -> Option<Rule> {
    let bp = match row.register(X86_64::RBP) {
        None | Some(RegisterRule::Undefined | RegisterRule::SameValue) => None,
        Some(RegisterRule::Offset(offset)) => Some(offset),
        _ => return None,
    };
    match row.register(X86_64::RA) {
        Some(RegisterRule::Offset(-8)) => {}
        Some(RegisterRule::Undefined) => return Some(Rule::END),
        _ => return None,
    }
    let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
    match *register {
        X86_64::RSP => Some(Rule::new(false, *offset, bp)),
        X86_64::RBP => Some(Rule::new(true, *offset, bp)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the code of the one function in the table is, from the index on.
    const CODE: i32 = 0x1000;

    /// `.eh_frame`, and behind it its index: one function, whose CFA is 16 bytes above the stack pointer.
    fn table() -> (Vec<u8>, usize) {
        let mut bytes = vec![20, 0, 0, 0, 0, 0, 0, 0, 1];
        // Pointers in it are counted from where they stand; the return address, number 16, is below the CFA.
        bytes.extend(b"zR\0\x01\x78\x10\x01\x1b\x0c\x07\x10\x90\x01\0\0");
        let (function, index) = (24, 48);
        bytes.extend(words([16, function + 4, CODE + index - (function + 8), 0x80, 0, 0]));
        bytes.resize(index as usize, 0);
        bytes.extend([1, 0x1b, 3, 0x3b]);
        bytes.extend(words([-(index + 4), 1, CODE, function - index]));
        (bytes, index as usize)
    }

    fn words<const N: usize>(words: [i32; N]) -> Vec<u8> {
        words.into_iter().flat_map(i32::to_ne_bytes).collect()
    }

    /// The rule at `address` from the index on, of a segment that starts so far into the bytes.
    fn rule(bytes: &[u8], index: usize, start: usize, address: i32) -> Rule {
        let [first, end] = [bytes.as_ptr(), bytes.as_ptr_range().end].map(|at| at.expose_provenance());
        let table = UnwindTable { index: first + index, start: first + start, end };
        let address = (first + index).wrapping_add_signed(address as isize);
        // SAFETY: the bytes stay during the call.
        unsafe { table.rule(address) }
    }

    #[test]
    fn finds_the_rule_of_a_function() {
        let (bytes, index) = table();
        assert_eq!(rule(&bytes, index, 0, CODE + 5), Rule::new(false, 16, None));
        assert_eq!(rule(&bytes, index, 0, CODE + 0x80), Rule::NO_TABLE);
    }

    #[test]
    fn looks_at_nothing_outside_the_segment() {
        let (bytes, index) = table();
        assert_eq!(rule(&bytes, index, 1, CODE + 5), Rule::UNKNOWN);
        assert_eq!(rule(&bytes, index, index, CODE + 5), Rule::UNKNOWN);
        for end in index..bytes.len() {
            assert_eq!(rule(&bytes[..end], index, 0, CODE + 5), Rule::UNKNOWN, "{end}");
        }
    }

    #[test]
    fn more_entries_than_bytes_are_refused() {
        // The number of entries is one of 64 bits, whose product with their size overflows.
        let mut bytes = vec![1, 0x1b, 0x04, 0x3b];
        bytes.extend(words([-4]));
        bytes.extend(u64::MAX.to_ne_bytes());
        bytes.resize(64, 0);
        assert_eq!(rule(&bytes, 0, 0, CODE), Rule::UNKNOWN);
    }

    #[test]
    fn an_entry_before_the_table_is_refused() {
        let (mut bytes, index) = table();
        let entry = bytes.len() - 4;
        bytes[entry..].copy_from_slice(&words([-(index as i32) - 8]));
        assert_eq!(rule(&bytes, index, 0, CODE + 5), Rule::UNKNOWN);
    }
}
