//! What a person looks at: tables, folded stacks and flamegraphs of a heap profile.
//!
//! Each view is one function of a [`Profile`](allometer_profile::Profile) and changes nothing. Names come from
//! the profile, which may be a stranger's file, so control characters in them are shown escaped.
//!
//! | module | what it is about |
//! |---|---|
//! | `top` | the functions that hold or allocate most |
//! | `tree` | who calls whom, and what each stands for |
//! | `diff` | what grew between two profiles, and whether that is more than noise |
//! | `gap` | where the memory of the process is, beside what is live |
//! | `stats` | a profile in figures: totals, sizes, lifetimes, the first places |
//! | `folded` | one line a stack, for tools that take such lines |
//! | `flamegraph` | an SVG, of one profile or of what changed between two (feature `flamegraph`, on by default) |
//! | `json` | a profile for programs (feature `json`) |
//! | `html` | a profile as one page that needs nothing else (feature `html`) |
//! | `report_name`, `program_name`, `report_reason`, `report_format` | what files of reports are called (feature `reports`) |
//! | `timeline` | how memory went, by the names of reports (feature `reports`) |
//! | `frames` | the names of a stack, inlined functions included |
//! | `loss` | what the samples do not contain, as text |
//! | `quantity` | counts, bytes and percentages as text, with their errors |
//! | `significance` | whether a change is more than noise |

mod diff;
mod folded;
mod frames;
mod gap;
mod loss;
#[cfg(feature = "reports")]
mod program_name;
pub mod quantity;
#[cfg(feature = "reports")]
mod report_format;
#[cfg(feature = "reports")]
mod report_name;
#[cfg(feature = "reports")]
mod report_reason;
mod significance;
mod stats;
#[cfg(feature = "reports")]
mod timeline;
mod top;
mod tree;

#[cfg(any(feature = "flamegraph", feature = "reports"))]
mod error;
#[cfg(feature = "flamegraph")]
mod flamegraph;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "html")]
#[doc(hidden)]
pub mod page_parts;

pub use diff::{Basis, Diff, DiffBy, DiffRow, FALSE_DISCOVERY_RATE, diff, diff_by};
#[cfg(any(feature = "flamegraph", feature = "reports"))]
pub use error::Error;
#[cfg(feature = "flamegraph")]
pub use flamegraph::{FlamegraphOptions, differential_flamegraph, flamegraph};
pub use folded::folded;
pub use frames::printable;
pub use gap::{Gap, GapPart, GapRow, gap, gap_of};
#[cfg(feature = "html")]
pub use html::{HtmlOptions, html};
#[cfg(feature = "json")]
#[doc(hidden)]
pub use json::parts as json_parts;
#[cfg(feature = "json")]
pub use json::{SCHEMA, json, json_diff};
#[cfg(feature = "reports")]
pub use program_name::ProgramName;
#[cfg(feature = "reports")]
pub use report_format::ReportFormat;
#[cfg(feature = "reports")]
pub use report_name::{ReportFile, ReportName};
#[cfg(feature = "reports")]
pub use report_reason::ReportReason;
pub use stats::{PlaceRow, Ranking, Stats, stats};
#[cfg(feature = "reports")]
pub use timeline::{Timeline, TimelineRow, timeline};
pub use top::{Top, TopColumn, TopOrder, TopRow, top, top_by};
pub use tree::{Tree, TreeRow, tree, tree_through};
