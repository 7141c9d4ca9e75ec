use allometer_profile::{Metadata, SampleType};
use allometer_views::{TopOrder, TopRow, top_by};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::error::Error;
use crate::input::Inputs;
use crate::json::{self, JsonAmount, JsonFigures};
use crate::output::Output;

/// Shows the functions that hold or allocate most
///
/// What the standard library allocates is its caller's: a row is of the innermost function that is not of it.
#[derive(Args, Debug)]
pub(crate) struct Top {
    #[command(flatten)]
    inputs: Inputs,
    /// So many functions at most
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = 20)]
    number: usize,
    /// What the largest comes first of; without it live bytes, or what was allocated where those were not recorded
    #[arg(long, visible_alias = "type", value_enum, value_name = "FIGURE")]
    sort: Option<Order>,
    /// Sort by what a function and its callees hold together
    #[arg(long)]
    cumulative: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Top {
    pub(crate) fn run(self) -> Result<(), Error> {
        let profile = self.inputs.read()?;
        let order = self.order(&profile.metadata)?;
        let top = top_by(&profile, order, self.number);
        if self.json {
            return json::print(&Answer::of(top));
        }
        Output::Standard.write(top.to_string().as_bytes())
    }

    fn order(&self, metadata: &Metadata) -> Result<TopOrder, Error> {
        let order = self.sort.map_or(TopOrder::of(metadata), TopOrder::from);
        if !self.cumulative {
            return Ok(order);
        }
        let sample_type = match order {
            TopOrder::Live => SampleType::LiveBytes,
            TopOrder::LiveObjects => SampleType::LiveObjects,
            TopOrder::Allocated => SampleType::AllocBytes,
            TopOrder::AllocatedObjects => SampleType::AllocObjects,
            _ => return Err(Error::Usage("--cumulative is for live and allocated bytes and objects")),
        };
        Ok(TopOrder::Cumulative(sample_type))
    }
}

/// What rows are sorted by, by our word for it or by its name in pprof files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Bytes that are live: inuse_space
    #[value(alias = "inuse_space")]
    Live,
    /// Bytes that were allocated: alloc_space
    #[value(alias = "alloc_space")]
    Allocated,
    /// Objects that are live: inuse_objects
    #[value(alias = "inuse_objects", alias = "objects")]
    LiveObjects,
    /// Objects that were allocated: alloc_objects
    #[value(alias = "alloc_objects")]
    AllocatedObjects,
    /// Bytes that were live when the heap was at its largest
    Peak,
    /// The mean size of objects
    MeanSize,
    /// The median lifetime of freed objects
    Lifetime,
}

impl From<Order> for TopOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::Live => Self::Live,
            Order::Allocated => Self::Allocated,
            Order::LiveObjects => Self::LiveObjects,
            Order::AllocatedObjects => Self::AllocatedObjects,
            Order::Peak => Self::Peak,
            Order::MeanSize => Self::MeanSize,
            Order::Lifetime => Self::Lifetime,
        }
    }
}

/// The table for another program.
#[derive(Serialize)]
struct Answer {
    sample_interval: u64,
    total: JsonFigures,
    functions: Vec<Row>,
    /// Functions that are not listed, and what those hold themselves.
    more_functions: usize,
    more: JsonFigures,
}

#[derive(Serialize)]
struct Row {
    function: String,
    flat: JsonFigures,
    cumulative: JsonFigures,
    peak: JsonAmount,
    mean_size: Option<f64>,
    median_lifetime_seconds: Option<f64>,
}

impl Answer {
    fn of(top: allometer_views::Top) -> Self {
        let row = |row: TopRow| Row {
            flat: row.flat.into(),
            cumulative: row.cumulative.into(),
            peak: row.peak.into(),
            mean_size: row.mean_size(),
            median_lifetime_seconds: row.lifetimes.quantile(0.5).map(|lifetime| lifetime.as_secs_f64()),
            function: row.function,
        };
        Self {
            sample_interval: top.metadata.sample_interval,
            total: top.total.into(),
            functions: top.rows.into_iter().map(row).collect(),
            more_functions: top.hidden,
            more: top.hidden_flat.into(),
        }
    }
}
