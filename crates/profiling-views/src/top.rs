mod column;
mod order;
mod table;

use std::borrow::Cow;

use allometer_profile::{Amount, Figures, Lifetimes, Metadata, Profile, Sample};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::frames;

pub use column::TopColumn;
pub use order::TopOrder;

/// The functions of a profile that matter most, as a table: see [`top`].
#[derive(Clone, Debug, PartialEq)]
pub struct Top {
    /// The functions that are shown, the largest first.
    pub rows: Vec<TopRow>,
    /// The sum over all samples.
    pub total: Figures,
    /// How many functions there are beside those shown.
    pub hidden: usize,
    /// What those hold or allocated themselves.
    pub hidden_flat: Figures,
    /// What the profile says about itself.
    pub metadata: Metadata,
}

/// A function and what it stands for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TopRow {
    /// Name of the function.
    pub function: String,
    /// What it allocated itself, by way of the standard library or not.
    pub flat: Figures,
    /// Of all stacks that it is part of, each counted once: what it and its callees allocated.
    pub cumulative: Figures,
    /// What was live of its own when the whole live heap was at its largest.
    pub peak: Amount,
    /// How long objects of its own lived that were freed; empty where that is not known.
    pub lifetimes: Lifetimes,
}

/// The `n` functions that hold the most live bytes themselves, or allocated the most where live objects were
/// not recorded: [`top_by`] in its default order.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
///
/// let mut builder = ProfileBuilder::new(Metadata { live: true, ..Metadata::default() });
/// let page = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(4096.0) };
/// builder.add([RawFrame::Marker("[leaf]"), RawFrame::Marker("[root]")], Figures { alloc: page, live: page });
/// let profile = builder.finish(&mut Symbolizer::new());
/// let top = allometer_views::top(&profile, 10);
/// assert_eq!(top.rows[0].function, "[leaf]");
/// println!("{top}");
/// ```
pub fn top(profile: &Profile, n: usize) -> Top {
    top_by(profile, TopOrder::of(&profile.metadata), n)
}

/// The first `n` functions in an order; of equal ones those with more below them. Displayed, it is a table with a header.
///
/// Functions with nothing of their own are shown in the order [`TopOrder::Cumulative`] alone.
///
/// What a stack allocated belongs to its innermost function that is not of the standard library, since nearly
/// every stack ends in the same few functions of that; a stack of nothing else belongs to its leaf. Inlined
/// functions count as functions, and functions of the same name are one. Where a file has no errors, they are
/// [assumed](Profile::with_assumed_errors).
pub fn top_by(profile: &Profile, order: TopOrder, n: usize) -> Top {
    let profile = profile.with_assumed_errors();
    let mut rows = by_function(&profile);
    let functions = rows.len();
    // What only calls others says nothing where it is the functions' own that counts, and of an asynchronous program that is
    // nearly all there is.
    if !matches!(order, TopOrder::Cumulative(_)) {
        rows.retain(TopRow::has_own);
    }
    rows.sort_by(|a, b| order.compare(a, b));
    let rest = rows.split_off(n.min(rows.len()));
    Top {
        hidden: functions - rows.len(),
        rows,
        total: profile.total(),
        hidden_flat: rest.iter().map(|row| row.flat).sum(),
        metadata: profile.metadata.clone(),
    }
}

/// A row for each function, in no particular order.
fn by_function(profile: &Profile) -> Vec<TopRow> {
    let mut rows = FxHashMap::<Cow<'_, str>, TopRow>::default();
    let mut seen = FxHashSet::default();
    for sample in &profile.samples {
        let names = frames::leaf_first(profile, sample);
        let owner = names[frames::owner(&names)].clone();
        seen.clear();
        for name in names {
            if !seen.insert(name.clone()) {
                continue;
            }
            let is_owner = name == owner;
            let row = rows.entry(name).or_default();
            row.cumulative += sample.figures;
            if is_owner {
                row.add_own(sample);
            }
        }
    }
    rows.into_iter().map(|(function, row)| TopRow { function: function.into_owned(), ..row }).collect()
}

impl TopRow {
    fn has_own(&self) -> bool {
        let Self { flat: Figures { alloc, live }, peak, .. } = self;
        [alloc, live, peak].iter().any(|amount| amount.objects.value != 0.0) || self.lifetimes.total() != 0.0
    }

    fn add_own(&mut self, sample: &Sample) {
        self.flat += sample.figures;
        self.peak = self.peak + sample.peak;
        if let Some(lifetimes) = &sample.lifetimes {
            self.lifetimes += lifetimes;
        }
    }
}

impl Top {
    /// Whether there is nothing to show.
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.hidden == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{Amount, Estimate, ProfileBuilder, RawFrame, SampleType, Symbolizer};

    fn amount(objects: f64, bytes: f64) -> Amount {
        Amount { objects: Estimate::exact(objects), bytes: Estimate::exact(bytes) }
    }

    fn profile(live: bool) -> Profile {
        let mut builder = ProfileBuilder::new(Metadata { live, ..Metadata::default() });
        let [main, parse, node] = ["main", "parse", "node"].map(RawFrame::Marker);
        let figures = |alloc, live| Figures { alloc: amount(1.0, alloc), live: amount(1.0, live) };
        // A recursion: `parse` is in it twice.
        builder.add([node, parse, parse, main], figures(100.0, 70.0));
        builder.add([parse, main], figures(900.0, 20.0));
        builder.add([main], figures(10.0, 10.0));
        builder.finish(&mut Symbolizer::new())
    }

    fn shown(top: &Top) -> Vec<(&str, f64, f64)> {
        let row = |row: &TopRow| (row.flat.live.bytes.value, row.cumulative.live.bytes.value);
        top.rows.iter().map(|each| (&*each.function, row(each).0, row(each).1)).collect()
    }

    #[test]
    fn counts_a_function_once_a_stack() {
        let top = top(&profile(true), 10);
        assert_eq!(shown(&top), [("node", 70.0, 70.0), ("parse", 20.0, 90.0), ("main", 10.0, 100.0)]);
        assert_eq!(top.hidden, 0);
    }

    #[test]
    fn what_the_standard_library_allocates_is_its_caller_s() {
        let mut builder = ProfileBuilder::new(Metadata { live: true, ..Metadata::default() });
        let [vec, node, main] = ["alloc::vec::push", "node", "main"].map(RawFrame::Marker);
        let figures = Figures { live: amount(1.0, 70.0), ..Figures::default() };
        builder.add([vec, vec, node, main], figures);
        builder.add([vec], figures);
        let top = top(&builder.finish(&mut Symbolizer::new()), 10);
        assert_eq!(shown(&top), [("alloc::vec::push", 70.0, 140.0), ("node", 70.0, 70.0)]);
    }

    #[test]
    fn a_function_with_nothing_of_its_own_is_shown_by_what_it_calls() {
        let mut builder = ProfileBuilder::new(Metadata { live: true, ..Metadata::default() });
        let figures = Figures { live: amount(1.0, 70.0), ..Figures::default() };
        builder.add([RawFrame::Marker("node"), RawFrame::Marker("main")], figures);
        let profile = builder.finish(&mut Symbolizer::new());
        let own = top(&profile, 10);
        assert_eq!((shown(&own), own.hidden), (vec![("node", 70.0, 70.0)], 1));
        let all = top_by(&profile, TopOrder::Cumulative(SampleType::LiveBytes), 10);
        assert_eq!((shown(&all), all.hidden), (vec![("main", 0.0, 70.0), ("node", 70.0, 70.0)], 0));
    }

    #[test]
    fn the_rest_is_summed_up() {
        let top = top(&profile(true), 1);
        assert_eq!(shown(&top), [("node", 70.0, 70.0)]);
        assert_eq!((top.hidden, top.hidden_flat.live.bytes.value), (2, 30.0));
        assert_eq!(top.total.live.bytes.value, 100.0);
    }

    #[test]
    fn without_live_figures_the_allocated_bytes_count() {
        assert_eq!(top(&profile(false), 1).rows[0].function, "parse");
    }

    #[test]
    fn an_empty_profile_has_no_rows() {
        let top = top(&Profile::default(), 5);
        assert!(top.is_empty() && top.hidden == 0);
    }
}
