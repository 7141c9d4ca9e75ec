//! What today's `go tool pprof` says of the addresses of a profile without names.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use allometer_profile::{Location, Profile};

use super::{
    names::{Frame, frames, last_part},
    program::{Program, Written},
    shape::Shape,
};
use crate::{error::Error, pprof, process, workspace::Workspace};

const DEADLINE: Duration = Duration::from_secs(60);

/// The go that names are compared with.
pub(super) struct Go {
    pprof: PathBuf,
}

/// What came of a comparison: so many locations have the same function, and so many the same line.
pub(super) enum Compared {
    Same { functions: usize, lines: usize },
    NoDebugInformation,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same { functions, lines } => write!(f, "{functions} functions and {lines} lines as by go"),
            Self::NoDebugInformation => f.write_str("no debug information for go"),
        }
    }
}

impl Go {
    pub(super) fn ensure(workspace: &Workspace) -> Result<Self, Error> {
        Ok(Self { pprof: pprof::ensure(workspace)? })
    }

    /// Compares each location of the program. Go tells the function that the machine code belongs to, by its short name and
    /// not always, and the innermost line; it reads debug information and no symbol tables.
    pub(super) fn compare(
        &self,
        shape: &Shape,
        program: &Program,
        written: &Written,
    ) -> Result<Compared, Error> {
        if !shape.has_lines {
            return Ok(Compared::NoDebugInformation);
        }
        let theirs = self.symbolized(program)?;
        let fault = |fault| Error::Names { shape: shape.name, fault };
        let mut ours = written.unnamed.clone();
        // Go does not tell what is inlined, so it leaves nothing out there either.
        ours.metadata.left_out_at_leaf.clear();
        let find = |_: &_| Some(allometer_profile::SymbolFile::new(program.symbols()).vouched());
        allometer_profile::Symbolizer::new().symbolize(&mut ours, find);
        tells_calls(&theirs, written).map_err(fault)?;
        same(&ours, &theirs).map_err(fault)
    }

    /// The profile as go writes it, with the names that it has found.
    fn symbolized(&self, program: &Program) -> Result<Profile, Error> {
        let unnamed = program.unnamed();
        let output = unnamed.with_file_name("go.pb.gz");
        let mut command = Command::new(&self.pprof);
        command.args(["-symbolize=local", "-proto"]).arg(format!("-output={}", output.display()));
        // It takes the program for the first mapping's.
        command.arg(program.symbols()).arg(&unnamed);
        process::read(&mut command, DEADLINE)?;
        read(&output)
    }
}

fn read(path: &Path) -> Result<Profile, Error> {
    let bytes = fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let what = "a profile";
    Profile::from_pprof(&bytes).map_err(|_| Error::NotUnderstood { path: path.to_owned(), what })
}

/// Asks for the lines on which the program makes its calls; one of them ends its function.
fn tells_calls(theirs: &Profile, written: &Written) -> Result<(), String> {
    let frames = || theirs.locations.iter().flat_map(|location| frames(theirs, location));
    // An inlined function's line is there, that of the function around it is not.
    for (function, line) in written.calls.iter().filter(|(function, _)| function != "outer") {
        if !frames().any(|frame| frame.file.ends_with("places.rs") && frame.line == *line) {
            return Err(format!("go does not tell line {line}, where {function} makes its call"));
        }
    }
    Ok(())
}

fn same(ours: &Profile, theirs: &Profile) -> Result<Compared, String> {
    let (mut functions, mut lines) = (0, 0);
    let is_of_program = |location: &&Location| location.mapping.is_some_and(|mapping| mapping.0 == 0);
    for location in ours.locations.iter().filter(is_of_program) {
        let Some(other) = theirs.locations.iter().find(|other| other.address == location.address) else {
            continue;
        };
        let (own, other) = (frames(ours, location), frames(theirs, other));
        let ([innermost, ..], [.., physical], [found]) = (&*own, &*own, &*other) else { continue };
        let Frame { system_name, file, line, .. } = found;
        if *line == 0 {
            continue;
        }
        if !system_name.is_empty() {
            if last_part(system_name) != last_part(&physical.name) {
                return Err(format!("go calls {physical:?} {found:?}"));
            }
            functions += 1;
        }
        if (&innermost.file, innermost.line) != (file, *line) {
            return Err(format!("go is at {file}:{line}, we are at {own:?}"));
        }
        lines += 1;
    }
    if functions < 10 || lines < 20 {
        return Err(format!("go knows {functions} functions and {lines} lines"));
    }
    Ok(Compared::Same { functions, lines })
}
