use std::io::{self, IsTerminal};

use allometer_profile::Profile;
use clap::Args;

use super::{Fetch, Input};
use crate::error::Error;
use crate::reshape::Reshape;

/// Profiles that are read as one.
#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// Profiles: files, `-` for standard input, http:// URLs; several are added up. Without any, standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<Input>,
    #[command(flatten)]
    fetch: Fetch,
    #[command(flatten)]
    reshape: Reshape,
}

impl Inputs {
    pub(crate) fn read(&self) -> Result<Profile, Error> {
        let profile = match &*self.inputs {
            [] if io::stdin().is_terminal() => {
                return Err(Error::Usage("which profile? Name a file, a URL, or `-` for standard input"));
            }
            [] => Input::Standard.read(self.fetch)?,
            [input] => input.read(self.fetch)?,
            inputs => merged(inputs, self.fetch)?,
        };
        self.reshape.apply(profile)
    }

    /// Another one, read and treated as these are.
    pub(crate) fn read_beside(&self, other: &Input) -> Result<Profile, Error> {
        self.reshape.apply(other.read(self.fetch)?)
    }

    /// Whether standard input is one of them.
    pub(crate) fn has_standard_input(&self) -> bool {
        self.inputs.is_empty() || self.inputs.contains(&Input::Standard)
    }

    /// What they are called.
    pub(crate) fn name(&self) -> String {
        match &*self.inputs {
            [] => Input::Standard.to_string(),
            inputs => inputs.iter().map(Input::to_string).collect::<Vec<_>>().join(", "),
        }
    }
}

fn merged(inputs: &[Input], fetch: Fetch) -> Result<Profile, Error> {
    if inputs.iter().filter(|input| **input == Input::Standard).count() > 1 {
        return Err(Error::Usage("standard input can only be read once"));
    }
    let profiles: Vec<Profile> = inputs.iter().map(|input| input.read(fetch)).collect::<Result<_, _>>()?;
    Ok(Profile::merge(profiles))
}
