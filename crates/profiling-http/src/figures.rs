//! How a session and the process are doing, in figures.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use allometer_core::MemoryUse;
use allometer_profile::{Estimate, Figures as Amounts, Metadata, Moment, Source, SourceError, SourceStats};

use crate::refusal::Refusal;

/// How a session and the process are doing, at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) session: Option<SessionFigures>,
    pub(crate) resident: Option<MemoryUse>,
    pub(crate) control_group: Option<MemoryUse>,
}

#[derive(Clone, Debug)]
pub(crate) struct SessionFigures {
    pub(crate) stats: SourceStats,
    pub(crate) amounts: Amounts,
    pub(crate) slack: Option<Estimate>,
    /// Which run of the source it is.
    pub(crate) number: u64,
    /// With the allocator's own figures, and the system's.
    pub(crate) metadata: Metadata,
}

impl Figures {
    /// Those of now, and the moment that they are from.
    pub(crate) fn read(source: &dyn Source) -> Result<(Self, Box<dyn Moment>), SourceError> {
        let moment = source.moment()?;
        let session = SessionFigures {
            stats: source.stats()?,
            amounts: moment.totals(),
            slack: moment.slack(),
            metadata: Metadata {
                provider_figures: source.provider_figures()?,
                resident: MemoryUse::resident().map(|memory| memory.used),
                ..moment.metadata()
            },
            number: moment.session(),
        };
        Ok((Self { session: Some(session), ..Self::without_session() }, moment))
    }

    pub(crate) fn without_session() -> Self {
        let (resident, control_group) = (MemoryUse::resident(), MemoryUse::control_group());
        Self { session: None, resident, control_group }
    }
}

/// The figures that were read last: however many ask, they are read once a second.
#[derive(Debug, Default)]
pub(crate) struct LastFigures(Mutex<Option<(Instant, Arc<Figures>)>>);

/// How old figures may be.
const FRESH: Duration = Duration::from_secs(1);

impl LastFigures {
    /// Those of a source, or of none.
    pub(crate) fn get(&self, source: Result<Arc<dyn Source>, Refusal>) -> Result<Arc<Figures>, Refusal> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((read, figures)) = &*last
            && read.elapsed() < FRESH
            && figures.session.is_some() == source.is_ok()
        {
            return Ok(Arc::clone(figures));
        }
        let figures =
            match source.and_then(|source| Figures::read(&*source).map_err(|error| Refusal::of(&error))) {
                Ok((figures, _)) => Arc::new(figures),
                Err(Refusal::Inactive) => Arc::new(Figures::without_session()),
                Err(refusal) => return Err(refusal),
            };
        *last = Some((Instant::now(), Arc::clone(&figures)));
        Ok(figures)
    }

    /// Where the session is another one now.
    pub(crate) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
