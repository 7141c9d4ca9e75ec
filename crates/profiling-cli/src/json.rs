use allometer_profile::{Amount, Estimate, Figures};
use serde::Serialize;

use crate::error::Error;
use crate::output::Output;

/// Writes an answer for another program.
pub(crate) fn print(answer: &impl Serialize) -> Result<(), Error> {
    let mut text = serde_json::to_vec_pretty(answer)?;
    text.push(b'\n');
    Output::Standard.write(&text)
}

/// A figure and its standard error, which is zero where it is exact or not known.
#[derive(Serialize)]
pub(crate) struct JsonEstimate {
    value: f64,
    standard_error: f64,
}

impl From<Estimate> for JsonEstimate {
    fn from(estimate: Estimate) -> Self {
        Self { value: estimate.value, standard_error: estimate.standard_error() }
    }
}

/// Objects and bytes.
#[derive(Serialize)]
pub(crate) struct JsonAmount {
    objects: JsonEstimate,
    bytes: JsonEstimate,
}

impl From<Amount> for JsonAmount {
    fn from(amount: Amount) -> Self {
        Self { objects: amount.objects.into(), bytes: amount.bytes.into() }
    }
}

/// What was allocated, and what is live of it.
#[derive(Serialize)]
pub(crate) struct JsonFigures {
    allocated: JsonAmount,
    live: JsonAmount,
}

impl From<Figures> for JsonFigures {
    fn from(figures: Figures) -> Self {
        Self { allocated: figures.alloc.into(), live: figures.live.into() }
    }
}
