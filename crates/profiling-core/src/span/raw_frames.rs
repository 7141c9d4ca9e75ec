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
            Code::Late(number) => {
                let unwinder = self.unwinder;
                let add = || builder.add_module(unwinder.module(number));
                RawFrame::InModule(address, *self.modules.entry(number).or_insert_with(add))
            }
        }
    }
}
