//! A line of this group.

use crate::subject::Subject;

/// A line of this group.
pub(crate) type Line = allometer_lines::Line<Subject>;
