use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

use allometer_profile::{MappingNames, Profile, Symbolizer};
use allometer_views::printable;
use clap::Args;

use crate::error::Error;
use crate::input::{Fetch, Input};
use crate::output::Output;
use crate::progress;
use crate::symbol_files::SymbolFiles;

/// Finds the names of addresses in the files of the program, and writes the profile with them
///
/// A file is used for code of the same build id. Where a profile has no build ids, as the text of jemalloc and gperftools, a
/// file that is named with --binary is used for code of a file that is called the same. No other file is opened,
/// whatever the profile says. What became of each file's names is said on standard error.
#[derive(Args, Debug)]
pub(crate) struct Symbolize {
    /// The profile: a file, `-` for standard input, an http:// URL
    #[arg(value_name = "FILE")]
    input: Input,
    /// A program or library, or the file that its debug information was split into
    #[arg(short, long = "binary", value_name = "FILE", num_args = 1..)]
    binaries: Vec<PathBuf>,
    /// A directory of such files, also as debuggers lay them out: .build-id/ab/cdef.debug
    #[arg(long = "debug-dir", value_name = "DIR", num_args = 1..)]
    directories: Vec<PathBuf>,
    /// Where the compressed pprof file goes to; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Output,
    #[command(flatten)]
    fetch: Fetch,
    /// Look up what has a name already, too
    #[arg(long)]
    replace: bool,
}

impl Symbolize {
    pub(crate) fn run(self) -> Result<(), Error> {
        if self.binaries.is_empty() && self.directories.is_empty() {
            return Err(Error::Usage("which files have the names? Say --binary FILE or --debug-dir DIR"));
        }
        let mut profile = self.input.read(self.fetch)?;
        let files =
            progress::during("looking for files", || SymbolFiles::of(&self.binaries, &self.directories))?;
        let answers = progress::during("looking for names", || {
            Symbolizer::new().symbolize(&mut profile, |mapping| {
                let file = files.find(mapping)?;
                Some(if self.replace { file.replacing() } else { file })
            })
        });
        let profile = profile.without_jemalloc();
        self.output.write(&profile.to_pprof_gzip())?;
        // A remark that nobody can read is no reason to fail.
        let _ = io::stderr().write_all(remarks(&profile, &answers).as_bytes());
        Ok(())
    }
}

/// A line for each mapping that locations are in.
fn remarks(profile: &Profile, answers: &[MappingNames]) -> String {
    let mut lines = String::new();
    for (mapping, answer) in profile.mappings.iter().zip(answers) {
        if *answer != MappingNames::NotAsked {
            let _ = writeln!(lines, "{}: {}", printable(&mapping.path), printable(&answer.to_string()));
        }
    }
    if lines.is_empty() {
        lines.push_str("nothing was looked up: no address of the profile is in a file that it names\n");
    }
    lines
}
