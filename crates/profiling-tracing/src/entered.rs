//! The spans that a thread is in, each with the guard that marks for it.
//!
//! It is not the stack of spans that the registry keeps: guards belong to their thread, and a span, whose data the
//! registry lets every thread see, may be entered on several at once. When a thread ends, its guards end with it.

use std::cell::RefCell;

use allometer_core::{Tag, Tagged};
use tracing_core::span::Id;

/// A span that was entered and not left yet.
struct Entered {
    id: Id,
    tagged: Tagged,
}

thread_local! {
    static ENTERED: RefCell<Vec<Entered>> = const { RefCell::new(Vec::new()) };
}

/// Runs `change` with this thread's spans; not at all where the thread is ending and has none any more.
fn with(change: impl FnOnce(&mut Vec<Entered>)) {
    let _ = ENTERED.try_with(|entered| change(&mut entered.borrow_mut()));
}

/// The thread enters a span. One without a tag has its place too: it may get a tag later.
pub(crate) fn enter(id: &Id, tag: Option<Tag>) {
    with(|entered| {
        let tagged = tag.map_or_else(Tagged::none, Tag::enter);
        entered.push(Entered { id: id.clone(), tagged });
    });
}

/// The thread leaves a span, which need not be the one that it entered last.
pub(crate) fn exit(id: &Id) {
    with(|entered| {
        if let Some(position) = entered.iter().rposition(|span| span.id == *id) {
            entered.remove(position);
        }
    });
}

/// Gives each of the thread's spans the tag that it has now; `tag_of` answers none where it does not know the span.
pub(crate) fn retag(tag_of: impl Fn(&Id) -> Option<Option<Tag>>) {
    with(|entered| {
        for span in entered {
            if let Some(tag) = tag_of(&span.id) {
                span.tagged.set(tag);
            }
        }
    });
}
