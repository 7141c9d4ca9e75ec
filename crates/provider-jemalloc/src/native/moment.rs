use std::{
    any::Any,
    collections::HashMap,
    fs::File,
    io::Read,
    time::{Duration, SystemTime},
};

use allometer_profile::{
    Amount, Estimate, Figures, Location, LocationIndex, Metadata, Moment, Profile, ProfileBuilder, RawFrame,
    Sample, SourceError, Symbolizer,
};

use super::{
    JemallocError,
    control::{self, LeftOut},
    session::Session,
};

/// What jemalloc's profiler had counted at one moment.
#[derive(Debug)]
pub(super) struct JemallocMoment {
    session: Session,
    elapsed: Duration,
    /// Stacks of addresses.
    counted: Profile,
    /// Whether it knows what was allocated.
    has_allocated: bool,
    max_depth: usize,
}

impl JemallocMoment {
    /// What is counted now.
    ///
    /// # Errors
    ///
    /// [`JemallocError::Dump`], [`JemallocError::Read`], [`JemallocError::Busy`].
    pub(super) fn take(session: &Session) -> Result<Self, JemallocError> {
        let dumped = |error: String| JemallocError::Dump { reason: error };
        let mut file: File =
            control::with_profiler(|profiler| profiler.dump().map_err(|error| dumped(format!("{error:#}"))))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| dumped(error.to_string()))?;
        let counted = Profile::from_heap_text(&text).map_err(|cause| JemallocError::Read { cause })?;
        Ok(Self {
            session: session.clone(),
            elapsed: session.elapsed(),
            counted,
            has_allocated: control::accumulates(),
            max_depth: control::max_depth(),
        })
    }

    /// The profile of what was allocated since an earlier moment, or since the start.
    fn build(&self, earlier: Option<&Self>, symbolizer: &mut Symbolizer) -> Profile {
        let _left_out = LeftOut::begin();
        let before = earlier.map(Self::allocated).unwrap_or_default();
        let mut builder = ProfileBuilder::new(self.metadata_since(earlier));
        for sample in &self.counted.samples {
            let addresses: Vec<u64> = self.addresses(sample).collect();
            let alloc = match before.get(&addresses) {
                Some(before) => difference(sample.figures.alloc, *before),
                None => sample.figures.alloc,
            };
            let figures = Figures { alloc, ..sample.figures };
            let is_nothing = |amount: Amount| amount.bytes.value == 0.0;
            if !(is_nothing(figures.alloc) && is_nothing(figures.live)) {
                builder.add(self.frames(sample), figures);
            }
        }
        builder.finish(symbolizer)
    }

    fn frames(&self, sample: &Sample) -> impl Iterator<Item = RawFrame> {
        let is_cut = sample.stack.len() >= self.max_depth;
        let frames = self.locations(sample).filter_map(|location| location.address).map(RawFrame::Address);
        frames.chain(is_cut.then_some(RawFrame::Marker("[truncated]")))
    }

    fn addresses(&self, sample: &Sample) -> impl Iterator<Item = u64> {
        self.locations(sample).filter_map(|location| Some(location.address?.get()))
    }

    fn locations(&self, sample: &Sample) -> impl Iterator<Item = &Location> {
        sample.stack.iter().filter_map(|&index: &LocationIndex| self.counted.location(index))
    }

    /// What was allocated until now, by stack.
    fn allocated(&self) -> HashMap<Vec<u64>, Amount> {
        let stack = |sample| (self.addresses(sample).collect(), sample.figures.alloc);
        self.counted.samples.iter().map(stack).collect()
    }

    fn metadata_since(&self, earlier: Option<&Self>) -> Metadata {
        let began = earlier.map(|earlier| earlier.elapsed).unwrap_or_default();
        let mut comments =
            vec!["sampled by jemalloc's own profiler: sizes are those of its size classes".to_owned()];
        if !self.has_allocated {
            comments.push(
                "what was allocated is not known: expected `prof_accum:true` beside `prof:true`".into(),
            );
        }
        Metadata {
            start: self.session.started_at().and_then(|start: SystemTime| start.checked_add(began)),
            duration: self.elapsed.saturating_sub(began),
            elapsed: self.elapsed,
            comments,
            ..self.counted.metadata.clone()
        }
    }
}

impl Moment for JemallocMoment {
    fn session(&self) -> u64 {
        self.session.number()
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn totals(&self) -> Figures {
        self.counted.with_assumed_errors().total()
    }

    fn metadata(&self) -> Metadata {
        self.metadata_since(None)
    }

    fn memory(&self) -> usize {
        let Profile { samples, locations, .. } = &self.counted;
        let stacks: usize = samples.iter().map(|sample| size_of_val(&*sample.stack)).sum();
        stacks + size_of_val(&**samples) + size_of_val(&**locations)
    }

    fn profile(&self, symbolizer: &mut Symbolizer) -> Profile {
        self.build(None, symbolizer)
    }

    fn profile_since(
        &self,
        earlier: &dyn Moment,
        symbolizer: &mut Symbolizer,
    ) -> Result<Profile, SourceError> {
        let earlier = (earlier as &dyn Any).downcast_ref::<Self>().ok_or(SourceError::OtherSession)?;
        if earlier.session() != self.session() {
            return Err(SourceError::OtherSession);
        }
        if earlier.elapsed > self.elapsed {
            return Err(SourceError::WrongOrder);
        }
        Ok(self.build(Some(earlier), symbolizer))
    }
}

/// What was allocated in between. Somebody else may have had jemalloc forget what it had counted.
fn difference(now: Amount, before: Amount) -> Amount {
    let of = |now: Estimate, before: Estimate| Estimate::exact((now.value - before.value).max(0.0));
    Amount { objects: of(now.objects, before.objects), bytes: of(now.bytes, before.bytes) }
}
