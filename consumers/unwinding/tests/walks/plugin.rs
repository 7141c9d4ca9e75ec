//! Libraries that allocate while they are loaded, each blocks of a size of its own, and what reports say of them.

use std::{
    alloc::{Layout, alloc, dealloc},
    collections::BTreeMap,
    hint::black_box,
    path::Path,
};

use allometer::profile::{Location, Profile, Sample, SampleType};

use crate::{
    libraries::{self, Library},
    native::through,
};

/// A library, and the size of the blocks that are allocated through it and of no others.
#[derive(Clone, Copy)]
pub struct Plugin {
    pub name: &'static str,
    pub size: usize,
}

/// Blocks that a plug-in has allocated.
pub struct Blocks {
    blocks: Vec<*mut u8>,
    layout: Layout,
}

impl Plugin {
    /// Loads it, allocates so many blocks through it, unloads it; in between, does something else. Answers where its
    /// code was, and the blocks.
    pub fn run(self, count: usize, while_loaded: impl FnOnce()) -> (usize, Blocks) {
        self.run_at(&libraries::path(self.name), count, while_loaded)
    }

    /// The same, from another file.
    pub fn run_at(self, path: &Path, count: usize, while_loaded: impl FnOnce()) -> (usize, Blocks) {
        let library = Library::at(path, self.name);
        let layout = Layout::from_size_align(self.size, 1).expect("a layout");
        let mut blocks = Vec::with_capacity(count);
        let function = library.function();
        let pointer = std::ptr::from_mut(&mut blocks);
        // SAFETY: the vector is there during the call, and nobody else uses it meanwhile.
        through(function, &|| unsafe { allocate(&mut *pointer, layout) });
        while_loaded();
        (function as usize, Blocks { blocks, layout })
    }
}

/// Allocates until `blocks` is full.
#[inline(never)]
fn allocate(blocks: &mut Vec<*mut u8>, layout: Layout) {
    while blocks.len() < blocks.capacity() {
        // SAFETY: the layout is not empty.
        blocks.push(black_box(unsafe { alloc(layout) }));
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for block in &self.blocks {
            // SAFETY: allocated with this layout, and not freed.
            unsafe { dealloc(*block, self.layout) };
        }
    }
}

/// What a report says of plug-ins: bytes by the name of the frame that called back, and by size.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub allocated: BTreeMap<(String, usize), u64>,
    pub live: BTreeMap<(String, usize), u64>,
}

impl Said {
    /// Adds what a pprof says of blocks of these plug-ins' sizes, and of whatever else goes through plug-ins.
    pub fn add(&mut self, pprof: &[u8], plugins: &[Plugin]) {
        let profile = Profile::from_pprof(pprof).expect("a pprof");
        for sample in &profile.samples {
            let value = |of: SampleType| sample.figures.get(of).value as u64;
            let bytes = [value(SampleType::AllocBytes), value(SampleType::LiveBytes)];
            let objects = [value(SampleType::AllocObjects), value(SampleType::LiveObjects)];
            let size =
                (bytes[0] + bytes[1]).checked_div(objects[0] + objects[1]).unwrap_or_default() as usize;
            let name = caller(&profile, sample);
            let is_plugin = plugins.iter().any(|plugin| plugin.size == size);
            if !is_plugin && name.is_none() {
                continue;
            }
            let key = (name.unwrap_or_default(), size);
            *self.allocated.entry(key.clone()).or_default() += bytes[0];
            *self.live.entry(key).or_default() += bytes[1];
        }
        self.allocated.retain(|_, bytes| *bytes != 0);
        self.live.retain(|_, bytes| *bytes != 0);
    }

    pub fn of(pprof: &[u8], plugins: &[Plugin]) -> Self {
        let mut said = Self::default();
        said.add(pprof, plugins);
        said
    }
}

/// The name of the function that called [`allocate`] back, if that is on the stack.
fn caller(profile: &Profile, sample: &Sample) -> Option<String> {
    let mut locations = sample.stack.iter().filter_map(|location| profile.location(*location));
    let is_in = |location: &Location, name: &str| {
        names(profile, location).any(|function| function.rsplit("::").next() == Some(name))
    };
    locations.by_ref().find(|location| is_in(location, "allocate"))?;
    let called = locations.skip_while(|location| !is_in(location, "visit")).nth(1)?;
    names(profile, called).last().map(str::to_owned)
}

fn names<'a>(profile: &'a Profile, location: &'a Location) -> impl Iterator<Item = &'a str> {
    location.lines.iter().filter_map(|line| Some(&*profile.function(line.function)?.name))
}
