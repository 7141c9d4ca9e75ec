//! Profiles that are wrong, which readers have to be seen to fail on: else nobody would know whether the lines can.

use std::path::Path;

use crate::{
    error::Error,
    targets::readers::{
        answer::{Answer, DEFAULT, Extent},
        expected::{Chain, Expected},
        pprof,
        script::Script,
        stage::Stage,
        subject::Subject,
    },
};

/// The profile that is spoilt.
pub(super) const ORIGINAL: &str = "deep";
/// The order of strings matters to few.
const STRINGS: (&str, &[&str]) = ("strings-in-another-order", &["flameshow", "pprof-format"]);

/// Asks that each reader that has to fail does so.
pub(super) fn check(stage: &Stage<'_>) -> Result<String, Error> {
    let original = stage.subjects.iter().find(|subject| subject.name == ORIGINAL);
    let original = original.ok_or_else(|| Error::reader(ORIGINAL, "it is not there"))?;
    let mut noticed = 0;
    for spoilt in &stage.spoilt {
        let name = spoilt.file_name().unwrap_or_default().to_string_lossy().replace(".pb.gz", "");
        let must = |reader: &str| name != STRINGS.0 || STRINGS.1.contains(&reader);
        for (reader, fails) in fails(stage, original, spoilt, &name)? {
            if must(reader) && !fails {
                return Err(Error::reader(reader, format!("nobody noticed {name}")));
            }
            noticed += usize::from(fails);
        }
    }
    Ok(format!("{} faults, noticed {noticed} times", stage.spoilt.len()))
}

/// Which readers fail to show of `spoilt` what is in the original.
fn fails(
    stage: &Stage<'_>,
    original: &Subject,
    spoilt: &Path,
    name: &str,
) -> Result<Vec<(&'static str, bool)>, Error> {
    let expected = Expected::of(&original.profile, DEFAULT, Chain::All);
    let printed = pprof::answer(stage.workspace, spoilt);
    let printed =
        printed.unwrap_or_else(|error| Answer { faults: vec![error.to_string()], ..Answer::default() });
    let mut fails = vec![("go tool pprof", printed.fault(&expected, Extent::Table).is_some())];
    for script in Script::ALL.into_iter().filter(|script| *script != Script::GoWeb) {
        let expected = script.expects(original);
        let is_wrong = |answer: &&Answer| answer.fault(&expected, script.extent()).is_some();
        fails.push((script.name(), stage.answers(script, name)?.iter().any(is_wrong)));
    }
    Ok(fails)
}
