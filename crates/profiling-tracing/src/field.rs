//! A tag from a span's field.

use std::fmt;

use allometer_core::Tag;
use tracing_core::field::{Field, Visit};

/// Looks for one field.
struct Seeker {
    name: &'static str,
    found: Option<Tag>,
}

impl Seeker {
    fn seeks(&self, field: &Field) -> bool {
        field.name() == self.name
    }
}

impl Visit for Seeker {
    fn record_str(&mut self, field: &Field, value: &str) {
        if self.seeks(field) {
            self.found = Some(Tag::new(value));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if self.seeks(field) {
            self.found = Some(Tag::format(format_args!("{value:?}")));
        }
    }
}

/// The tag that the field called `name` makes, if it is among what `record` shows.
pub(crate) fn tag(name: &'static str, record: impl FnOnce(&mut dyn Visit)) -> Option<Tag> {
    let mut seeker = Seeker { name, found: None };
    record(&mut seeker);
    seeker.found
}
