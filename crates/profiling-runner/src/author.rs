//! What stands in the files of a report of the heap.

use allometer_profile::{Moment, Profile, ProviderFigure, SampleType, Symbolization, Symbolizer};
use allometer_views::{HtmlOptions, ReportFile, ReportFormat, ReportName, html};

use crate::{Error, measurements::Measurements, picture, text::Text};

/// Writes reports of one session, and keeps what the next one needs: names that were found, within
/// [`Symbolizer`]'s bound, and the report before.
#[derive(Debug)]
pub(crate) struct Author {
    symbolizer: Symbolizer,
    /// Of each report.
    formats: Vec<ReportFormat>,
    /// The last fresh start; `None`: the session's start.
    baseline: Option<(ReportName, Box<dyn Moment>)>,
    /// The report before, where it will be compared.
    before: Option<(ReportName, Profile)>,
}

/// A report in memory.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) files: Vec<(ReportFile, Vec<u8>)>,
    name: ReportName,
    profile: Profile,
}

impl Author {
    pub(crate) fn new(symbolization: Symbolization, formats: impl IntoIterator<Item = ReportFormat>) -> Self {
        let symbolizer = Symbolizer::with(symbolization);
        Self { symbolizer, formats: formats.into_iter().collect(), baseline: None, before: None }
    }

    /// How much of addresses is looked up.
    pub(crate) fn symbolization(&self) -> Symbolization {
        self.symbolizer.symbolization()
    }

    /// The report of a moment, with what the allocator says of itself then.
    ///
    /// # Errors
    ///
    /// [`Error::Session`], [`Error::View`].
    pub(crate) fn draft(
        &mut self,
        moment: &dyn Moment,
        name: ReportName,
        now: &Measurements,
        figures: Vec<ProviderFigure>,
    ) -> Result<Draft, Error> {
        let mut profile = match &self.baseline {
            Some((_, baseline)) => moment.profile_since(&**baseline, &mut self.symbolizer)?,
            None => moment.profile(&mut self.symbolizer),
        };
        profile.metadata.provider_figures = figures;
        profile.metadata.resident = now.resident.map(|memory| memory.used);
        let mut files = Vec::new();
        for format in &self.formats {
            let contents = self.contents(*format, &profile, &name, now)?;
            files.extend(contents.map(|contents| (name.clone().file(*format), contents)));
        }
        Ok(Draft { files, name, profile })
    }

    fn contents(
        &self,
        format: ReportFormat,
        profile: &Profile,
        name: &ReportName,
        now: &Measurements,
    ) -> Result<Option<Vec<u8>>, Error> {
        // Of what was allocated, where live objects were not recorded.
        let (sample_type, what) = match profile.metadata.live {
            true => (SampleType::LiveBytes, "Live heap"),
            false => (SampleType::AllocBytes, "Allocated"),
        };
        let title = format!("{what}: {name}");
        Ok(match format {
            ReportFormat::Pprof => Some(profile.to_pprof_gzip()),
            ReportFormat::Flamegraph => picture::draw(profile, title, sample_type)?.map(String::into_bytes),
            ReportFormat::Text => {
                let since = self.baseline.as_ref().map(|(name, _)| name);
                let text = Text { name, profile, now, since, before: self.before.as_ref() };
                Some(text.write().into_bytes())
            }
            ReportFormat::Html => {
                let before = self.before.as_ref().map(|(_, profile)| profile);
                Some(html(profile, &HtmlOptions { title: format!("Heap: {name}"), before }).into_bytes())
            }
            // A format that this crate does not know yet.
            _ => None,
        })
    }

    /// The report was written: the next one is compared with it, if it will be.
    pub(crate) fn written(&mut self, draft: Draft) {
        let compares = |format| matches!(format, &ReportFormat::Text | &ReportFormat::Html);
        self.before = self.formats.iter().any(compares).then_some((draft.name, draft.profile));
    }

    /// From now on, what was allocated is told since then.
    pub(crate) fn fresh_start(&mut self, name: ReportName, moment: Box<dyn Moment>) {
        self.baseline = Some((name, moment));
    }
}
