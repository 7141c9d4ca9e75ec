//! What the fuzz targets have in common.
//!
//! | module | what it is about |
//! |---|---|
//! | `meaning` | what a profile says, however its tables are laid out |
//! | `guarded` | memory at a fixed address, with nothing readable around it |

mod guarded;
mod meaning;

pub use guarded::Guarded;
pub use meaning::Meaning;
