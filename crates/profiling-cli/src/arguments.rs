use clap::Parser;

use crate::commands::Command;

/// Reads heap profiles and answers.
///
/// A profile is a file, `-` for standard input, or an `http://` URL: pprof as Allometer, Go, jemalloc_pprof and others
/// write it, plain or compressed, or the text that jemalloc and gperftools dump.
#[derive(Debug, Parser)]
#[command(name = "allometer", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Ends with 0 if there is an answer, with 1 if something cannot be read or written, \
with 2 if it does not understand what it is asked.";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
