//! `allometer`: reads heap profiles and answers. See docs/command-line.md.
//!
//! | module | what it is about |
//! |---|---|
//! | `arguments` | the command line as a whole |
//! | `commands` | the commands, a module each |
//! | `input` | where a profile is read from: files, standard input, URLs |
//! | `output` | where an answer goes to: standard output, a file that is never half |
//! | `figure` | which of a profile's figures a command is about |
//! | `reshape` | what is done to a profile before anything looks at it |
//! | `format` | the formats that profiles are written in |
//! | `json` | answers for other programs |
//! | `symbol_files` | the files that names are looked up in |
//! | `progress` | what a person sees while it takes long |
//! | `live` | a screen that follows a profile (feature `live`) |
//! | `error` | why there is no answer |

mod arguments;
mod commands;
mod error;
mod figure;
mod format;
mod input;
mod json;
#[cfg(feature = "live")]
mod live;
mod output;
mod progress;
mod reports;
mod reshape;
mod symbol_files;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

fn main() -> ExitCode {
    match Arguments::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
