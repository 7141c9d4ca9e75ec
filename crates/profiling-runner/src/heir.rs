//! Who reports the giant requests of processes that have ended.

use std::mem;

use allometer_profile::{Symbolization, Symbolizer};
use allometer_views::ReportFormat;

use crate::{
    Error,
    archive::Archive,
    caught::caught,
    giant_file::GiantFile,
    giant_report,
    left_log::{self, LeftLog},
};

/// Takes the logs of giant requests that earlier processes of the program left: reports them, and removes them.
#[derive(Debug, Default)]
pub(crate) struct Heir {
    /// Logs that are still to be looked at; `None`: nobody has looked for them.
    left: Option<Vec<GiantFile>>,
}

impl Heir {
    /// Reports what is left, and says what it did and what failed. False: something is to be tried again.
    pub(crate) fn inherit(
        &mut self,
        archive: &mut Archive,
        formats: &[ReportFormat],
        symbolization: Symbolization,
    ) -> bool {
        if self.left.is_none() {
            let listed = archive.open().and_then(|directory| left_log::list(&directory, archive.program()));
            match listed {
                Ok(files) => self.left = Some(files),
                Err(error) => {
                    archive.failed(error);
                    return false;
                }
            }
        }
        // The same program crashes at the same places.
        let mut symbolizer = Symbolizer::with(symbolization);
        let left = self.left.get_or_insert_default();
        for file in mem::take(left) {
            if let Err(error) = caught(|| take(&file, archive, formats, &mut symbolizer)) {
                // What is none will not become one.
                if !matches!(error, Error::GiantLog { .. }) {
                    left.push(file);
                }
                archive.failed(error);
            }
        }
        left.is_empty()
    }
}

fn take(
    file: &GiantFile,
    archive: &mut Archive,
    formats: &[ReportFormat],
    symbolizer: &mut Symbolizer,
) -> Result<(), Error> {
    let directory = archive.open()?;
    let Some(mut log) = LeftLog::open(&directory, file)? else { return Ok(()) };
    if let Some(mut profile) = log.profile.take() {
        let name = archive.name_of_dead(file.process, left_log::time(&profile));
        // By a runner that ended before it removed the log.
        let is_there =
            |format: &ReportFormat| directory.own_size(&name.clone().file(*format).to_string()).is_some();
        if !formats.iter().any(is_there) {
            left_log::symbolize(&mut profile, symbolizer);
            let files = giant_report::files(&profile, &name, formats.iter().copied())?;
            archive.store(&directory, &name, &files)?;
        }
    }
    let removed = log.remove(&directory).map(|path| vec![path]);
    archive.removed(removed);
    Ok(())
}
