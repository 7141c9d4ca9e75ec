//! Heap profiles: the model, the code that is loaded, symbols, and the formats of files.
//!
//! This is what a recorder's counters turn into once they are read. The crate knows nothing of hooks or
//! allocators: it takes stacks of return addresses with their figures ([`ProfileBuilder`]), finds out which
//! functions those are ([`Symbolizer`]), and gives a [`Profile`] that can be written to a file and read back.
//!
//! | module | what it is about |
//! |---|---|
//! | `address` | return addresses, and where to look them up |
//! | `figures` | estimates with their variance, and the four figures of a sample |
//! | `lifetimes` | how long objects lived, by powers of two |
//! | `live_object` | the samples that a live figure is made of, and what grew between two profiles |
//! | `metadata` | what a profile says about itself, losses included |
//! | `profile` | samples, locations, functions, mappings |
//! | `awaits` | asynchronous stacks as the program's own functions |
//! | `inlines` | a location for each inlined function |
//! | `function_name` | the parts of a function's name |
//! | `assumed_errors` | variances for a profile whose file had none |
//! | `details` | what only the readers of this workspace know of a profile |
//! | `slack` | what blocks have beyond what was requested |
//! | `tags` | samples that differ in nothing but their tag, as one |
//! | `source` | whatever yields profiles of this program |
//! | `since` | what happened between two profiles of a session |
//! | `merge` | several profiles as one |
//! | `place` | where a sample was allocated, in a line of text |
//! | `builder` | from stacks to a profile |
//! | `largest` | the samples that matter most, and the rest as one |
//! | `leaf` | functions that are left out at the leaf of a stack |
//! | `jemalloc` | jemalloc's own functions, left out at the leaf |
//! | `root` | what starts a program or a thread, left out at the root |
//! | `mappings` | the code that is loaded in this process |
//! | `recorded_module` | code that was loaded when a stack went through it |
//! | `symbols` | from addresses to names, files and lines |
//! | `symbolization` | how much of them is looked up |
//! | `function_table` | the functions of a profile, each once |
//! | `used` | tables without what nothing uses |
//! | `offline` | names for a profile that was made without them |
//! | `giant_log` | requests above a limit, read after the process has ended |
//! | `pprof` | the file format, in and out |
//! | `heap_text` | the text that jemalloc and gperftools write |
//! | `read` | any of these |
//! | `limit` | what a file may take |
//! | `names` | how much the names on all stacks are |

mod address;
mod assumed_errors;
mod awaits;
mod builder;
mod details;
mod error;
mod figures;
mod function_name;
mod function_table;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod giant_log;
mod heap_text;
mod inlines;
mod jemalloc;
mod largest;
mod leaf;
mod lifetimes;
mod limit;
mod live_object;
mod mappings;
mod merge;
mod metadata;
mod names;
mod offline;
mod place;
mod pprof;
mod profile;
mod read;
mod recorded_module;
mod root;
mod since;
mod slack;
mod source;
mod symbolization;
mod symbols;
mod tags;
mod used;
#[cfg(test)]
mod written_stack;

pub use address::{LookupAddress, ReturnAddress};
pub use builder::{ModuleIndex, ProfileBuilder, RawFrame};
pub use error::{Error, Place, Table};
pub use figures::{Amount, Estimate, Figures, SampleType};
#[doc(hidden)]
pub use giant_log::layout as giant_log_layout;
pub use lifetimes::Lifetimes;
pub use limit::Limit;
pub use live_object::{Growth, LiveObject, growth};
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub use mappings::find_build_id;
pub use metadata::{Loss, Metadata, ProviderFigure};
pub use offline::{MappingNames, SymbolFile};
pub use place::is_of_std;
pub use profile::{
    Function, FunctionIndex, Line, Location, LocationIndex, Mapping, MappingIndex, Profile, Sample,
    SymbolsFound,
};
pub use recorded_module::{FilePiece, RecordedModule, RecordedSegment};
pub use slack::slack;
pub use source::{BoundLoss, Moment, Source, SourceError, SourceStats, Switch};
pub use symbolization::Symbolization;
pub use symbols::Symbolizer;
