//! The async service's profile, rewritten for reading: its inline chains expanded, its asynchronous stacks folded.

use std::{fs, path::Path};

use allometer_profile::Profile;

use crate::{
    error::Error,
    targets::readers::{
        pprof,
        programs::SERVICE,
        stage::Stage,
        subject::{Program, Subject},
    },
};

/// Readers that show one function of a chain show each of these.
pub(super) static EXPANDED: Program = Program { has_chains: false, ..SERVICE };
/// Nothing stands between the functions that await each other.
pub(super) static FOLDED: Program = Program { is_folded: true, ..SERVICE };

const ORIGINAL: &str = "service";

/// Writes both into `directory`.
pub(super) fn write(directory: &Path, subjects: &[Subject]) -> Result<[Subject; 2], Error> {
    let original = subjects.iter().find(|subject| subject.name == ORIGINAL);
    let original = original.ok_or_else(|| Error::reader(ORIGINAL, "it is not there"))?;
    let rewrite = |name: &str, profile: Profile, about| {
        let path = directory.join(format!("{name}.pb.gz"));
        let written = fs::write(&path, profile.to_pprof_gzip());
        written.map_err(|source| Error::Write { path, source })?;
        Subject::read(directory, name, about)
    };
    let profile = || original.profile.clone();
    Ok([
        rewrite("service-expanded", profile().expand_inlines(), &EXPANDED)?,
        rewrite("service-folded", profile().fold_async(), &FOLDED)?,
    ])
}

/// What is called, and what awaits, without anything that runs it.
pub(super) fn folded(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if !subject.program.is_folded {
        return Ok(None);
    }
    let order = subject.program.order;
    let traces = pprof::print(stage.workspace, &["-traces"], &subject.file)?;
    let begins = |stack: &Vec<&str>| {
        let outermost = stack.iter().rev();
        stack.len() > order.len() && outermost.zip(order).all(|(name, part)| name.contains(part))
    };
    let through: Vec<Vec<&str>> =
        pprof::stacks(&traces).filter(|stack| pprof::has_in_order(stack, order)).collect();
    let folded = through.iter().filter(|stack| begins(stack)).count();
    if folded == 0 || folded != through.len() {
        let fault = format!("{folded} of {} stacks begin with {}", through.len(), order.join(", "));
        return Err(Error::reader("-traces", fault));
    }
    Ok(Some(format!("{folded} stacks begin with {}", order.join(", "))))
}
