use allometer_profile::{Amount, Estimate, Figures, Lifetimes, Loss, ProviderFigure};
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

/// Something that the samples do not contain.
#[derive(Serialize)]
pub(crate) struct JsonLoss {
    what: String,
    events: u64,
    amount: JsonAmount,
}

impl From<&Loss> for JsonLoss {
    fn from(loss: &Loss) -> Self {
        Self { what: loss.what.clone(), events: loss.events, amount: loss.amount.into() }
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

/// How long objects lived: those of each class that has any.
#[derive(Serialize)]
pub(crate) struct JsonLifetimes {
    objects: f64,
    median_seconds: Option<f64>,
    classes: Vec<JsonClass>,
}

/// Objects in a class of a histogram.
#[derive(Serialize)]
pub(crate) struct JsonClass {
    /// Where it begins, in seconds or in bytes. It ends where the next begins, at its double.
    from: f64,
    objects: f64,
}

impl JsonLifetimes {
    /// `None` where there is not one object.
    pub(crate) fn of(lifetimes: &Lifetimes) -> Option<Self> {
        let objects = lifetimes.total();
        (objects > 0.0).then(|| Self {
            objects,
            median_seconds: lifetimes.quantile(0.5).map(|median| median.as_secs_f64()),
            classes: classes(&lifetimes.objects, |class| Lifetimes::start(class).as_secs_f64()),
        })
    }
}

/// The classes that have objects.
pub(crate) fn classes(objects: &[f64], from: impl Fn(usize) -> f64) -> Vec<JsonClass> {
    let filled = objects.iter().enumerate().filter(|(_, objects)| **objects > 0.0);
    filled.map(|(class, objects)| JsonClass { from: from(class), objects: *objects }).collect()
}

/// What an allocator says of itself.
#[derive(Serialize)]
pub(crate) struct JsonProviderFigure {
    name: String,
    bytes: u64,
}

impl From<&ProviderFigure> for JsonProviderFigure {
    fn from(figure: &ProviderFigure) -> Self {
        Self { name: figure.name.clone(), bytes: figure.bytes }
    }
}
