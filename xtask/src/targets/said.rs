//! What a program of the benches says: a name and its numbers a line.

use std::process::Command;

use crate::{error::Error, process};

/// What a program of the benches says.
#[derive(Debug)]
pub(crate) struct Said {
    /// By which command, for errors.
    command: String,
    text: String,
}

impl Said {
    pub(crate) fn new(command: &Command, text: String) -> Self {
        Self { command: process::shown(command), text }
    }

    /// The number on the line `name number`.
    pub(crate) fn number(&self, name: &str) -> Result<f64, Error> {
        let number = self.numbers(name).next().and_then(|mut numbers| numbers.next()?);
        number.ok_or_else(|| self.silent(name))
    }

    /// The two numbers on each line `name number number`.
    pub(crate) fn pairs(&self, name: &str) -> Result<Vec<(f64, f64)>, Error> {
        let pairs = self.numbers(name).map(|mut numbers| Some((numbers.next()??, numbers.next()??)));
        pairs.collect::<Option<Vec<_>>>().filter(|pairs| !pairs.is_empty()).ok_or_else(|| self.silent(name))
    }

    fn numbers<'a>(&'a self, name: &str) -> impl Iterator<Item = impl Iterator<Item = Option<f64>> + 'a> {
        let lines = self.text.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(' '));
        lines.map(|numbers| numbers.split(' ').map(|number| number.parse().ok()))
    }

    /// The error of a program that does not tell what it should.
    pub(crate) fn silent(&self, name: &str) -> Error {
        Error::Silent { command: self.command.clone(), name: name.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_name() {
        let said = Said::new(&Command::new("bench"), "sites 7\nresident 0 10\nresident 5 30\nbad x\n".into());
        assert_eq!(said.number("sites").unwrap(), 7.0);
        assert_eq!(said.pairs("resident").unwrap(), [(0.0, 10.0), (5.0, 30.0)]);
        for name in ["site", "bad", "none"] {
            assert_eq!(said.number(name).unwrap_err().to_string(), format!("`bench` does not tell {name}"));
        }
        assert!(said.pairs("sites").is_err());
    }
}
