//! Where cargo puts a program.

use std::{path::PathBuf, process::Command, time::Duration};

use serde::Deserialize;

use crate::{error::Error, process};

/// Of cargo's messages, what names a program.
#[derive(Deserialize)]
struct Message {
    target: Target,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds by what `cargo` makes, with `flags` of the compiler for the program itself if it takes such, and answers where the
/// program is that `name` stands for: others may be built for it, such as a package's own for its tests.
///
/// # Errors
///
/// [`Error::Silent`] when no program is built.
pub(crate) fn build(
    cargo: impl Fn() -> Command,
    name: &str,
    flags: &[&str],
    deadline: Duration,
) -> Result<PathBuf, Error> {
    let last = || ["--"].iter().filter(|_| !flags.is_empty()).chain(flags);
    process::run(cargo().args(last()), deadline)?;
    // Once more, for its messages: the first time they are for people.
    let mut command = cargo();
    command.arg("--message-format=json").args(last());
    named(&process::read(&mut command, deadline)?, name).ok_or_else(|| Error::Silent {
        command: process::shown(&command),
        name: "where the program is".into(),
    })
}

/// The program of this name in cargo's messages, one a line.
fn named(messages: &str, name: &str) -> Option<PathBuf> {
    let read = |line| serde_json::from_str(line).ok().filter(|message: &Message| message.target.name == name);
    messages.lines().find_map(|line| read(line)?.executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_messages() {
        let library = r#"{"reason":"compiler-artifact","target":{"name":"contract"},"executable":null}"#;
        let own = r#"{"reason":"compiler-artifact","target":{"name":"own"},"executable":"/target/own"}"#;
        let program =
            r#"{"reason":"compiler-artifact","target":{"name":"contract"},"executable":"/target/contract"}"#;
        let end = r#"{"reason":"build-finished","success":true}"#;
        assert_eq!(
            named(&[library, own, program, end].join("\n"), "contract"),
            Some(PathBuf::from("/target/contract"))
        );
        assert_eq!(named(&[library, own, end].join("\n"), "contract"), None);
    }
}
