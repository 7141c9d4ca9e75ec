//! A profile that readers are given, and what is known of the program that it is of.

use std::{
    fs,
    path::{Path, PathBuf},
};

use allometer_profile::Profile;

use crate::error::Error;

/// A profile that readers are given.
pub(super) struct Subject {
    /// Its name, and that of its file.
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// What our own decoder reads.
    pub(super) profile: Profile,
    pub(super) program: &'static Program,
}

/// What a profile of a program has to show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    /// Parts of the names of functions that stand on one stack, outermost first.
    pub(super) order: &'static [&'static str],
    /// The crates whose functions allocate, besides those of the standard library.
    pub(super) crates: &'static [&'static str],
    /// Whether its debug information has lines.
    pub(super) has_lines: bool,
    /// A function, and what the line says that allocates in it.
    pub(super) source: Option<(&'static str, &'static str)>,
    /// What it holds at the least, in bytes.
    pub(super) holds: u64,
    /// Of readers that take a while, whether it is given to them.
    pub(super) is_for_all: bool,
    /// Whether functions of `order` are in inline chains, of which some readers show one function.
    pub(super) has_chains: bool,
    /// Whether what runs its futures was left out.
    pub(super) is_folded: bool,
}

impl Program {
    /// One of which nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        order: &[],
        crates: &[],
        has_lines: true,
        source: None,
        holds: 0,
        is_for_all: true,
        has_chains: false,
        is_folded: false,
    };
}

impl Subject {
    /// The profile at `directory`/`name`.pb.gz.
    pub(super) fn read(directory: &Path, name: &str, program: &'static Program) -> Result<Self, Error> {
        let file = directory.join(format!("{name}.pb.gz"));
        let bytes = fs::read(&file).map_err(|source| Error::Read { path: file.clone(), source })?;
        let profile = Profile::from_pprof(&bytes).map_err(|error| Error::Reader {
            place: format!("our own decoder, {name}"),
            fault: error.to_string(),
        })?;
        Ok(Self { name: name.to_owned(), file, profile, program })
    }

    /// Whether it is of a program, and not one that is there to be small, large, or wrong.
    pub(super) fn is_of_a_program(&self) -> bool {
        !self.program.order.is_empty()
    }
}
