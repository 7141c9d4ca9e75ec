//! Heap profiles by [`tracing`] span: a layer that tags what is requested inside spans.
//!
//! Programs use it through the crate `allometer`, with its feature `tracing`. A task moves between threads whenever it
//! waits; its span is left there, and entered where it goes on. [`TagLayer`] follows: while a thread is in a span, what
//! it requests has the span's [`Tag`](allometer_core::Tag), and profiles tell memory apart by it.
//!
//! ```
//! use allometer_tracing::TagLayer;
//! use tracing::Instrument;
//! use tracing_subscriber::layer::SubscriberExt;
//!
//! async fn handle(tenant: String) {
//!     // what is requested here, and in what is awaited here, has the tenant's name as its tag
//! }
//!
//! let subscriber = tracing_subscriber::registry().with(TagLayer::by_field("tenant"));
//! tracing::subscriber::with_default(subscriber, || {
//!     let tenant = "acme".to_owned();
//!     let span = tracing::info_span!("request", %tenant);
//!     let task = handle(tenant).instrument(span);
//! #   drop(task);
//! });
//! ```
//!
//! | module | owns |
//! |---|---|
//! | `layer` | [`TagLayer`]: the tags of spans, and when they mark |
//! | `field` | a tag from a span's field |
//! | `entered` | the spans that a thread is in |
//!
//! [`tracing`]: https://docs.rs/tracing

mod entered;
mod field;
mod layer;

pub use layer::TagLayer;
