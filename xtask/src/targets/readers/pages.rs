//! What readers show that a script looks at: on several pages, decoded, and of what is very small or large.

use crate::{
    error::Error,
    targets::readers::{
        answer::{Answer, DEFAULT, Extent},
        expected::{Chain, Expected},
        population, pprof,
        script::Script,
        stage::{Stage, in_words},
        subject::Subject,
    },
};

/// The pages of `go tool pprof -http`.
pub(super) fn web(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if !subject.program.is_for_all || !subject.is_of_a_program() {
        return Ok(None);
    }
    let expected = Script::GoWeb.expects(subject);
    let mut pages = Vec::new();
    for answer in stage.answers(Script::GoWeb, &subject.name)? {
        let (shown, found) = match (&*answer.page, subject.program.source) {
            ("source", None) => continue,
            ("source", Some((_, source))) => ("source".to_owned(), fault_of_source(answer, source)),
            (page, _) => {
                (format!("{page} {}", answer.rows.len()), answer.fault(&expected, Script::GoWeb.extent()))
            }
        };
        if let Some(found) = found {
            return Err(Error::reader("-http", format!("{}: {found}", answer.page)));
        }
        pages.push(shown);
    }
    Ok(Some(format!("functions: {}", pages.join(", "))))
}

/// What is wrong with a page of source, on which a figure stands where it reads `source`.
fn fault_of_source(answer: &Answer, source: &str) -> Option<String> {
    let absent = || format!("no figure at {source:?}");
    let is_absent = pprof::figure_at(&answer.text, source).is_none();
    answer.faults.first().cloned().or_else(|| is_absent.then(absent))
}

/// The figures, by three decoders that share nothing.
pub(super) fn decoded(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    let Some(shown) = stage.shows(Script::PprofFormat, subject)? else { return Ok(None) };
    population::check(stage.workspace, subject)?;
    Ok(Some(format!("{shown}; four equal sums")))
}

/// What has no stack, one, or very many.
pub(super) fn extremes(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if subject.is_of_a_program() {
        return Ok(None);
    }
    let answer = pprof::answer(stage.workspace, &subject.file)?;
    let expected = Expected::of(&subject.profile, DEFAULT, Chain::All);
    if let Some(found) = answer.fault(&expected, Extent::Table) {
        return Err(Error::reader("-top", found));
    }
    let mut readers = vec!["go tool pprof"];
    for script in Script::ALL.into_iter().filter(|script| script.takes(subject)) {
        stage.judge(script, subject)?;
        readers.push(script.name());
    }
    let samples = subject.profile.samples.len();
    Ok(Some(format!("{samples} samples, {}: {}", in_words(&answer, &expected), readers.join(", "))))
}
