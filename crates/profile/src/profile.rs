use std::sync::Arc;

use crate::{Amount, Estimate, Figures, Lifetimes, LiveObject, Metadata, ReturnAddress, leaf, root};

/// A heap profile with its symbols: what encoders and views take.
///
/// Samples, locations, functions and mappings are tables that refer to each other by index. The fields are
/// open, so an index can point outside its table; readers treat what is missing as absent and never panic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// What the profile says about itself.
    pub metadata: Metadata,
    /// The loaded code, one entry an executable segment, the main program first.
    pub mappings: Vec<Mapping>,
    /// The functions that lines refer to.
    pub functions: Vec<Function>,
    /// The places in code that stacks are made of.
    pub locations: Vec<Location>,
    /// The call stacks with their figures.
    pub samples: Vec<Sample>,
}

impl Profile {
    /// The sum over all samples. It does not include [`Metadata::losses`], and takes the samples as independent.
    pub fn total(&self) -> Figures {
        self.samples.iter().map(|sample| sample.figures).sum()
    }

    /// How old the live objects of a sample are at the end of the span.
    pub fn ages(&self, sample: &Sample) -> Lifetimes {
        let mut ages = Lifetimes::default();
        for object in &sample.live_objects {
            ages.add(self.metadata.elapsed.saturating_sub(object.birth), object.amount.objects.value);
        }
        ages
    }

    /// Leaves out what can only be known by its name: once there are names, wherever they come from.
    pub(crate) fn leave_out_by_name(&mut self) {
        leaf::leave_out(self);
        root::leave_out_runtime(self);
        self.leave_out_unused();
    }

    /// The mapping at `index`, if there is one.
    pub fn mapping(&self, index: MappingIndex) -> Option<&Mapping> {
        self.mappings.get(index.0 as usize)
    }

    /// The function at `index`, if there is one.
    pub fn function(&self, index: FunctionIndex) -> Option<&Function> {
        self.functions.get(index.0 as usize)
    }

    /// The location at `index`, if there is one.
    pub fn location(&self, index: LocationIndex) -> Option<&Location> {
        self.locations.get(index.0 as usize)
    }
}

/// Position in [`Profile::mappings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MappingIndex(pub u32);

/// Position in [`Profile::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionIndex(pub u32);

/// Position in [`Profile::locations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationIndex(pub u32);

/// One executable segment of the program, or of a library that is loaded or was. Libraries that took turns share
/// addresses: which one a location is in, it says itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// First address. In a profile of this process that of the page, of the size that the segment is linked for, in which
    /// it begins: as the kernel's own map has it, unless the system's pages are smaller. Other writers have other habits.
    pub start: u64,
    /// One past the last address: the end of the system's page in which the segment ends.
    pub limit: u64,
    /// Offset of `start` in the file, in bytes.
    pub offset: u64,
    /// Path of the file.
    pub path: String,
    /// Build id in lower-case hexadecimal, when the file has one.
    pub build_id: Option<String>,
    /// What is known of the code in this mapping.
    pub symbols: SymbolsFound,
}

impl Mapping {
    /// The last component of the path.
    pub(crate) fn module(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// What the locations of a mapping were resolved to. A viewer looks for itself where all are false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolsFound {
    /// Function names.
    pub functions: bool,
    /// Source files.
    pub files: bool,
    /// Line numbers.
    pub lines: bool,
    /// Inlined functions, wherever there are any.
    pub inlines: bool,
}

/// A function, inlined or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    /// Demangled name. Code without symbols has `module+0xoffset`, the offset being the virtual address in
    /// the file; what is no code at all has a name in brackets, such as `[truncated]`.
    ///
    /// Line tables alone hold no paths for inlined functions: their module is then the one that the source
    /// file stands for, and the type of a method is missing (`alloc::vec::push<u8, ..>`).
    pub name: String,
    /// The name as the compiler wrote it: mangled, in general.
    pub system_name: String,
    /// Source file; empty when not known.
    pub file: String,
}

/// A place in code, with the functions that were inlined there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// Where it is; `None` for a marker.
    pub address: Option<ReturnAddress>,
    /// The loaded code it is in.
    pub mapping: Option<MappingIndex>,
    /// Innermost inlined function first; the last one is the function that the machine code belongs to.
    pub lines: Vec<Line>,
}

/// A line of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The function.
    pub function: FunctionIndex,
    /// Line number, from 1; 0 when not known.
    pub line: u32,
}

/// A call stack and what it stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The stack, leaf first.
    pub stack: Vec<LocationIndex>,
    /// What the program said it was at work for, if it said so; samples that differ in it alone are different ones.
    /// Control characters of a tag in a file are not escaped.
    pub tag: Option<Arc<str>>,
    /// What was allocated there, and what is live.
    pub figures: Figures,
    /// How much more than was requested the blocks have that are live, in bytes. `None` where that is not known: the allocator
    /// cannot tell, or live objects were not recorded, or not by this profiler. See [`Profile::slack`].
    pub slack: Option<Estimate>,
    /// What was live of it when the whole live heap was at its largest, at [`Metadata::peak`].
    pub peak: Amount,
    /// The sampled objects that `figures.live` is the sum of; empty in a profile that does not have them.
    pub live_objects: Vec<LiveObject>,
    /// How long freed objects lived, where the session kept it.
    pub lifetimes: Option<Box<Lifetimes>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ages_are_counted_back_from_the_end() {
        let born = |seconds| LiveObject {
            birth: Duration::from_secs(seconds),
            size: 8,
            amount: Amount { objects: Estimate::exact(5.0), ..Amount::default() },
        };
        let sample = Sample { live_objects: vec![born(1), born(9), born(12)], ..Sample::default() };
        let metadata = Metadata { elapsed: Duration::from_secs(10), ..Metadata::default() };
        let ages = Profile { metadata, ..Profile::default() }.ages(&sample);
        let mut expected = Lifetimes::default();
        for seconds in [9, 1, 0] {
            expected.add(Duration::from_secs(seconds), 5.0);
        }
        assert_eq!(ages, expected);
    }
}
