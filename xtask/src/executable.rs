//! Where cargo puts a program.

use std::{path::PathBuf, process::Command, time::Duration};

use serde::Deserialize;

use crate::{error::Error, process};

/// Of cargo's messages, what names a program.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

/// Builds by what `cargo` makes, with `flags` of the compiler for the program itself if it takes such, and answers where the
/// program is.
///
/// # Errors
///
/// [`Error::Silent`] when no program is built.
pub(crate) fn build(
    cargo: impl Fn() -> Command,
    flags: &[&str],
    deadline: Duration,
) -> Result<PathBuf, Error> {
    let last = || ["--"].iter().filter(|_| !flags.is_empty()).chain(flags);
    process::run(cargo().args(last()), deadline)?;
    // Once more, for its messages: the first time they are for people.
    let mut command = cargo();
    command.arg("--message-format=json").args(last());
    named(&process::read(&mut command, deadline)?).ok_or_else(|| Error::Silent {
        command: process::shown(&command),
        name: "where the program is".into(),
    })
}

/// The first program in cargo's messages, one a line.
fn named(messages: &str) -> Option<PathBuf> {
    let read = |line| serde_json::from_str(line).ok().and_then(|message: Message| message.executable);
    messages.lines().find_map(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_messages() {
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        let program = r#"{"reason":"compiler-artifact","executable":"/target/contract"}"#;
        let end = r#"{"reason":"build-finished","success":true}"#;
        assert_eq!(named(&[library, program, end].join("\n")), Some(PathBuf::from("/target/contract")));
        assert_eq!(named(&[library, end].join("\n")), None);
    }
}
