//! From the frames of stacks to those of a profile.

use std::collections::BTreeMap;

use allometer_profile::{ModuleIndex, ProfileBuilder, RawFrame, ReturnAddress};

use crate::capture::{Code, Frame, TRUNCATED, Unwinder};

/// Gives a profile the frames of stacks, and the modules that they are in.
pub(super) struct RawFrames {
    unwinder: Unwinder,
    /// See [`crate::tables::Tables::names_by_address`].
    names_by_address: bool,
    modules: BTreeMap<usize, ModuleIndex>,
}

impl RawFrames {
    pub(super) fn new(unwinder: Unwinder, names_by_address: bool) -> Self {
        Self { unwinder, names_by_address, modules: BTreeMap::new() }
    }

    /// The frame in a word of a stack.
    pub(super) fn frame(&mut self, builder: &mut ProfileBuilder, word: usize) -> RawFrame {
        if word == TRUNCATED {
            return RawFrame::Marker("[truncated]");
        }
        let frame = Frame::from_word(word);
        let address = ReturnAddress::new(frame.address as u64);
        match frame.code {
            Code::Lasting if self.names_by_address || self.unwinder.is_lasting(frame) => {
                RawFrame::Address(address)
            }
            Code::Lasting | Code::Unknown => RawFrame::Unknown(address),
            Code::Late(number) => match self.module(builder, number) {
                Some(module) => RawFrame::InModule(address, module),
                None => RawFrame::Unknown(address),
            },
        }
    }
    fn module(&mut self, builder: &mut ProfileBuilder, number: usize) -> Option<ModuleIndex> {
        if let Some(known) = self.modules.get(&number) {
            return Some(*known);
        }
        let module = builder.add_module(self.unwinder.module(number)?);
        self.modules.insert(number, module);
        Some(module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::Metadata;

    #[test]
    fn code_that_may_be_gone_is_not_named_by_what_is_there() {
        let mut builder = ProfileBuilder::new(Metadata::default());
        let address = ReturnAddress::new(0x1001);
        let mut of = |names_by_address, word| {
            RawFrames::new(Unwinder::NONE, names_by_address).frame(&mut builder, word)
        };
        assert_eq!(of(true, 0x1001), RawFrame::Address(address));
        assert_eq!(of(true, TRUNCATED), RawFrame::Marker("[truncated]"));
        if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            assert_eq!(of(false, 0x1001), RawFrame::Unknown(address));
            let unknown = Frame { address: 0x1001, code: Code::Unknown }.to_word();
            assert_eq!(of(true, unknown), RawFrame::Unknown(address));
            let nobody_s = Frame { address: 0x1001, code: Code::Late(0xfff0) }.to_word();
            assert_eq!(of(true, nobody_s), RawFrame::Unknown(address));
        }
    }
}
