//! Rules from the unwind tables of a loaded module (`.eh_frame`).

// unsafe: looks at the tables where the loader has put them.
#![allow(unsafe_code)]

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, Register, RegisterRule,
    UnwindContext, UnwindContextStorage, UnwindSection, UnwindTableRow, X86_64,
};

use super::rule::Rule;

/// Where the unwind tables of one module are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnwindTable {
    /// Address of the sorted index, `.eh_frame_hdr`; zero: the module has no tables.
    pub(super) index: usize,
    /// End of the loaded segment that holds it. `.eh_frame` lies in the same one.
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
        let header = EhFrameHdr::from(index).parse(&bases, 8).ok()?;
        let eh_frame = header.eh_frame_ptr().direct().ok()?;
        let bases = bases.set_eh_frame(eh_frame);
        // SAFETY: as above; a table elsewhere is refused.
        let section = EhFrame::from(unsafe { self.memory(eh_frame as usize) }?);
        let table = header.table()?;
        let entry = table.lookup(address as u64, &bases).ok()?;
        let offset = table.pointer_to_offset(entry).ok()?;
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
        let length = self.end.checked_sub(from)?;
        // SAFETY: a range up to the end of the segment; by the caller's word it is loaded, and the loader
        // maps such a segment read-only.
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
