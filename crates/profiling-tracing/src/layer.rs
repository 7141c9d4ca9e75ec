//! The tags of spans, and when they mark.

use allometer_core::Tag;
use tracing_core::{
    Subscriber,
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer,
    layer::Context,
    registry::{LookupSpan, SpanRef},
};

use crate::{entered, field};

/// Tags what is requested inside spans: a [`Layer`] for a subscriber over a [`Registry`].
///
/// A span's tag is its own, or else that of the nearest span around it that has one. It marks what a thread requests
/// from when the thread enters the span until it leaves it, wherever that is: a task that is instrumented with a span
/// takes the span's tag along. A span without a tag changes nothing. Of spans and of guards that are held
/// ([`allometer_core::tag`]), the one that the thread entered last marks.
///
/// A session tells 64 tags apart unless it is told otherwise ([`allometer_core::Config::max_tags`]), the first ones
/// that it meets. Choose spans by a filter of this layer where there are more:
///
/// ```
/// use allometer_tracing::TagLayer;
/// use tracing_subscriber::{Layer, filter::filter_fn, layer::SubscriberExt};
///
/// let layer = TagLayer::by_name().with_filter(filter_fn(|metadata| metadata.target().starts_with("my_service")));
/// let subscriber = tracing_subscriber::registry().with(layer);
/// # drop(subscriber);
/// ```
///
/// [`Registry`]: tracing_subscriber::Registry
#[derive(Debug)]
pub struct TagLayer {
    by: By,
}

/// Where a span's own tag comes from.
#[derive(Debug)]
enum By {
    Name,
    Field(&'static str),
}

/// A span's own tag, among what the registry keeps of it.
struct OwnTag(Tag);

impl TagLayer {
    /// Each span's own tag is its name.
    #[must_use]
    pub fn by_name() -> Self {
        Self { by: By::Name }
    }

    /// Each span's own tag is the value of this field, where it has one: a text as it is, any other value as its
    /// `Debug` writes it (`?value`), or its `Display` (`%value`).
    ///
    /// A value that is recorded later counts from then on: on the thread that records it at once, where the span is
    /// entered on others at the same time, when it is entered there again.
    #[must_use]
    pub fn by_field(name: &'static str) -> Self {
        Self { by: By::Field(name) }
    }
}

impl<S> Layer<S> for TagLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let own = match self.by {
            By::Name => Some(Tag::new(attributes.metadata().name())),
            By::Field(name) => field::tag(name, |visitor| attributes.record(visitor)),
        };
        if let (Some(tag), Some(span)) = (own, context.span(id)) {
            span.extensions_mut().replace(OwnTag(tag));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let By::Field(name) = self.by else { return };
        let own = field::tag(name, |visitor| values.record(visitor));
        if let (Some(tag), Some(span)) = (own, context.span(id)) {
            span.extensions_mut().replace(OwnTag(tag));
            // The span, and those inside it that have its tag, may be entered here.
            entered::retag(|id| context.span(id).map(|span| tag_of(&span)));
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            entered::enter(id, tag_of(&span));
        }
    }

    fn on_exit(&self, id: &Id, _: Context<'_, S>) {
        entered::exit(id);
    }
}

/// The span's own tag, or that of the nearest one around it.
fn tag_of<'a, S: LookupSpan<'a>>(span: &SpanRef<'a, S>) -> Option<Tag> {
    span.scope().find_map(|span| span.extensions().get::<OwnTag>().map(|own| own.0))
}
