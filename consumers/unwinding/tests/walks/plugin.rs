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
        through(function, &|| unsafe { allocate_blocks(&mut *pointer, layout) });
        while_loaded();
        (function as usize, Blocks { blocks, layout })
    }
}

/// Allocates until `blocks` is full.
#[inline(never)]
fn allocate_blocks(blocks: &mut Vec<*mut u8>, layout: Layout) {
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

/// What a report says of plug-ins: bytes by the name of the function that called [`allocate_blocks`] back, and by the size of
/// the blocks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub allocated: BTreeMap<(String, usize), u64>,
    pub live: BTreeMap<(String, usize), u64>,
}

impl Said {
    /// Adds what a pprof says.
    pub fn add(&mut self, pprof: &[u8], plugins: &[Plugin]) {
        let profile = Profile::from_pprof(pprof).expect("a pprof");
        for sample in &profile.samples {
            let Some(name) = caller(&profile, sample) else { continue };
            let value = |of: SampleType| sample.figures.get(of).value as u64;
            let [allocated, live] = [SampleType::AllocBytes, SampleType::LiveBytes].map(value);
            // The objects of a report are no help: one that is just being counted can be ahead of its bytes.
            let are_blocks = |plugin: &&Plugin| {
                [allocated, live].iter().all(|bytes| bytes.is_multiple_of(plugin.size as u64))
            };
            let mut sizes = plugins.iter().filter(are_blocks);
            let named = sizes.clone().find(|plugin| plugin.name == name);
            let plugin = named.or_else(|| sizes.next());
            let plugin = plugin.unwrap_or_else(|| panic!("{allocated} and {live} bytes of {name}"));
            *self.allocated.entry((name.clone(), plugin.size)).or_default() += allocated;
            *self.live.entry((name, plugin.size)).or_default() += live;
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

/// The name of the function that called [`allocate_blocks`] back, if that is on the stack.
fn caller(profile: &Profile, sample: &Sample) -> Option<String> {
    let mut locations = sample.stack.iter().filter_map(|location| profile.location(*location));
    let is_in = |location: &Location, name: &str| {
        names(profile, location).any(|function| function.rsplit("::").next() == Some(name))
    };
    locations.by_ref().find(|location| is_in(location, "allocate_blocks"))?;
    let called = locations.skip_while(|location| !is_in(location, "visit")).nth(1);
    let name = called.and_then(|called| names(profile, called).last());
    Some(name.unwrap_or("[nobody]").to_owned())
}

fn names<'a>(profile: &'a Profile, location: &'a Location) -> impl Iterator<Item = &'a str> {
    location.lines.iter().filter_map(|line| Some(&*profile.function(line.function)?.name))
}
