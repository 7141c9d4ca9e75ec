//! The profiles, and what the readers show of them.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    beside,
    error::Error,
    targets::readers::{
        NEEDED, answer::Answer, demo, expected::Expected, many, programs, rewritten, script::Script, spoilt,
        subject::Subject,
    },
    targets::scripts::{self, Scripts},
    workspace::Workspace,
};

/// How many scripts look at a time.
const AT_A_TIME: usize = 2;

/// The profiles, and what the scripts saw of them.
pub(super) struct Stage<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) subjects: Vec<Subject>,
    /// The demo half-way.
    pub(super) middle: Subject,
    /// Profiles that are wrong: copies of that of the deep recursion.
    pub(super) spoilt: Vec<PathBuf>,
    seen: HashMap<Script, Vec<Answer>>,
}

impl<'a> Stage<'a> {
    /// Makes the profiles and lets the scripts look at them.
    pub(super) fn set(workspace: &'a Workspace, looking: Vec<Script>) -> Result<Self, Error> {
        let directory = workspace.target().join("readers");
        let [profiles, pictures] = ["profiles", "pictures"].map(|name| directory.join(name));
        for path in [&profiles, &pictures] {
            fs::create_dir_all(path).map_err(|source| Error::Write { path: path.clone(), source })?;
        }
        let installed = Scripts::install(workspace, NEEDED)?;
        let (mut subjects, middle) = demo::run(workspace, &profiles)?;
        subjects.extend(programs::run(workspace, &profiles)?);
        subjects.extend(rewritten::write(&profiles, &subjects)?);
        subjects.push(many::write(&profiles)?);
        let original = profiles.join(format!("{}.pb.gz", spoilt::ORIGINAL));
        let spoilt = scripts::answers(installed.script("readers/spoil.mjs").arg(&profiles).arg(original))?;

        let mut stage = Self { workspace, subjects, middle, spoilt, seen: HashMap::new() };
        let subjects: Vec<&Subject> = stage.subjects.iter().filter(|it| it.program.is_for_all).collect();
        let spoilt: Vec<&Path> = stage.spoilt.iter().map(PathBuf::as_path).collect();
        let answers = beside::each(AT_A_TIME, &looking, |script| {
            println!("looking with {}", script.name());
            script.look(workspace, &installed, &pictures, &subjects, &spoilt)
        })?;
        stage.seen = looking.into_iter().zip(answers).collect();
        Ok(stage)
    }

    /// What a script saw of a profile.
    pub(super) fn answers(&self, script: Script, profile: &str) -> Result<Vec<&Answer>, Error> {
        let all = self.seen.get(&script).into_iter().flatten();
        let answers: Vec<&Answer> = all.filter(|answer| answer.profile == profile).collect();
        if answers.is_empty() {
            return Err(Error::reader(script.name(), format!("nothing was seen of {profile}")));
        }
        Ok(answers)
    }

    /// Asks that a reader shows of a program's profile what it has to.
    pub(super) fn shows(&self, script: Script, subject: &Subject) -> Result<Option<String>, Error> {
        if !subject.program.is_for_all || !subject.is_of_a_program() {
            return Ok(None);
        }
        self.judge(script, subject).map(Some)
    }

    /// The same of any profile; answers what is shown.
    pub(super) fn judge(&self, script: Script, subject: &Subject) -> Result<String, Error> {
        let expected = script.expects(subject);
        let mut said = Vec::new();
        for answer in self.answers(script, &subject.name)? {
            if let Some(fault) = answer.fault(&expected, script.extent()) {
                return Err(Error::reader(script.name(), format!("{}: {fault}", answer.page)));
            }
            let of = |part: &&&str| answer.rows.iter().any(|row| row.name.contains(**part));
            let order = subject.program.order;
            let shown = order.iter().filter(of).count();
            if shown != order.len() && !subject.program.has_chains {
                let fault = format!("{}: of {order:?} it shows {shown}", answer.page);
                return Err(Error::reader(script.name(), fault));
            }
            said.push(format!("{}, {} of {} calls by name", in_words(answer, &expected), shown, order.len()));
        }
        Ok(said.join("; "))
    }
}

/// What is shown, in words.
pub(super) fn in_words(answer: &Answer, expected: &Expected<'_>) -> String {
    let total = match (&answer.total, answer.total()) {
        (Some(total), _) => total.clone(),
        (None, total) => format!("{:.0} bytes", total.map_or(0.0, |total| total.value)),
    };
    format!("{total} {}, {} rows", expected.kind.name(), answer.rows.len())
}
