//! Parts that several documents have, those of other crates of this workspace too.

use std::borrow::Cow;

use allometer_profile::{Amount, Estimate, Loss, ProviderFigure};
use serde::Serialize;

use crate::frames;

pub use super::memory::MemoryParts;

/// An amount, with one standard error beside each figure.
#[derive(Debug, Serialize)]
pub struct Measured {
    objects: f64,
    objects_error: f64,
    bytes: f64,
    bytes_error: f64,
}

/// Bytes, with one standard error beside them.
#[derive(Debug, Serialize)]
pub struct MeasuredBytes {
    bytes: f64,
    bytes_error: f64,
}

/// What an allocator says of itself.
#[derive(Debug, Serialize)]
pub struct OfProvider<'profile> {
    name: Cow<'profile, str>,
    bytes: u64,
}

/// What samples do not contain.
#[derive(Debug, Serialize)]
pub struct Lost<'profile> {
    what: Cow<'profile, str>,
    events: u64,
    #[serde(flatten)]
    amount: Measured,
}

impl Measured {
    /// That of an amount.
    pub fn of(Amount { objects, bytes }: Amount) -> Self {
        Self {
            objects: objects.value,
            objects_error: objects.standard_error(),
            bytes: bytes.value,
            bytes_error: bytes.standard_error(),
        }
    }
}

impl From<Estimate> for MeasuredBytes {
    fn from(bytes: Estimate) -> Self {
        Self { bytes: bytes.value, bytes_error: bytes.standard_error() }
    }
}

impl<'profile> OfProvider<'profile> {
    /// That of a figure.
    pub fn of(figure: &'profile ProviderFigure) -> Self {
        Self { name: frames::printable(&figure.name), bytes: figure.bytes }
    }
}

impl<'profile> Lost<'profile> {
    /// That of a loss.
    pub fn of(Loss { what, events, amount }: &'profile Loss) -> Self {
        Self { what: frames::printable(what), events: *events, amount: Measured::of(*amount) }
    }
}
