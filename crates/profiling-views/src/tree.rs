use std::borrow::Cow;
use std::fmt;

use allometer_profile::{Figures, Profile, Sample, SampleType};
use rustc_hash::FxHashMap;

use crate::frames;
use crate::quantity::{amount, percent};

/// The call tree of a profile: see [`tree`].
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The functions, each before those that it calls, of these the largest first.
    pub rows: Vec<TreeRow>,
    /// The figure that it is about.
    pub sample_type: SampleType,
    /// The sum over all samples.
    pub total: Figures,
}

/// A function where it is called from one place in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRow {
    /// Name of the function, or how many there are that are too small to be shown.
    pub function: String,
    /// How many of its callers, direct or not, call more than one function that is shown.
    pub depth: usize,
    /// What it allocated here, by itself and by what it calls.
    pub figures: Figures,
}

/// Who calls whom, from the roots to the leaves, and what of `sample_type` each of them stands for. What has less than
/// `least` of the total (0.01 is one percent) is added up, a row for each caller. Inlined functions count as
/// functions.
///
/// Displayed, a function is indented where its caller calls several that are shown: what is called by one alone
/// stands below it, so that deep stacks fit on a screen.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, SampleType, Symbolizer};
///
/// let mut builder = ProfileBuilder::new(Metadata::default());
/// let page = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(4096.0) };
/// let figures = Figures { alloc: page, live: page };
/// builder.add([RawFrame::Marker("[leaf]"), RawFrame::Marker("[root]")], figures);
/// builder.add([RawFrame::Marker("[other leaf]"), RawFrame::Marker("[root]")], figures);
/// let profile = builder.finish(&mut Symbolizer::new());
/// let tree = allometer_views::tree(&profile, SampleType::LiveBytes, 0.01);
/// assert_eq!(tree.rows.iter().map(|row| row.depth).collect::<Vec<_>>(), [0, 1, 1]);
/// println!("{tree}");
/// ```
pub fn tree(profile: &Profile, sample_type: SampleType, least: f64) -> Tree {
    Tree { rows: rows(profile, &profile.samples, sample_type, least), sample_type, total: profile.total() }
}

/// The same of the stacks that a function is part of alone: who calls it, and what it calls. `function` is a name as the views
/// show it, such as [`TopRow::function`](crate::TopRow::function). `least` is a share of what goes through it; displayed,
/// shares are of the whole profile all the same.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, SampleType, Symbolizer};
///
/// let mut builder = ProfileBuilder::new(Metadata::default());
/// let page = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(4096.0) };
/// for leaf in ["[cache]", "[index]"] {
///     let stack = [RawFrame::Marker(leaf), RawFrame::Marker("[root]")];
///     builder.add(stack, Figures { alloc: page, live: page });
/// }
/// let profile = builder.finish(&mut Symbolizer::new());
/// let tree = allometer_views::tree_through(&profile, "[cache]", SampleType::LiveBytes, 0.01);
/// assert_eq!(tree.rows.iter().map(|row| &*row.function).collect::<Vec<_>>(), ["[root]", "[cache]"]);
/// ```
pub fn tree_through(profile: &Profile, function: &str, sample_type: SampleType, least: f64) -> Tree {
    let is_through =
        |sample: &&Sample| frames::leaf_first(profile, sample).iter().any(|name| name == function);
    let samples = profile.samples.iter().filter(is_through);
    Tree { rows: rows(profile, samples, sample_type, least), sample_type, total: profile.total() }
}

fn rows<'profile>(
    profile: &'profile Profile,
    samples: impl IntoIterator<Item = &'profile Sample>,
    sample_type: SampleType,
    least: f64,
) -> Vec<TreeRow> {
    let mut calls = Calls::of(profile, samples, sample_type);
    let least = least * calls.total.get(sample_type).value;
    calls.rows(sample_type, least)
}

/// The tree as it is built: a node for each function and path to it.
struct Calls<'profile> {
    /// The first one is that of all stacks, and no function.
    nodes: Vec<Node<'profile>>,
    total: Figures,
}

#[derive(Default)]
struct Node<'profile> {
    function: Cow<'profile, str>,
    figures: Figures,
    callees: Vec<usize>,
}

impl<'profile> Calls<'profile> {
    fn of(
        profile: &'profile Profile,
        samples: impl IntoIterator<Item = &'profile Sample>,
        sample_type: SampleType,
    ) -> Self {
        let mut nodes = vec![Node::default()];
        let mut total = Figures::default();
        let mut known = FxHashMap::<(usize, Cow<'profile, str>), usize>::default();
        for sample in samples.into_iter().filter(|sample| sample.figures.get(sample_type).value != 0.0) {
            let mut at = 0;
            total += sample.figures;
            for function in frames::leaf_first(profile, sample).into_iter().rev() {
                at = *known.entry((at, function)).or_insert_with_key(|(caller, function)| {
                    nodes.push(Node { function: function.clone(), ..Node::default() });
                    let new = nodes.len() - 1;
                    nodes[*caller].callees.push(new);
                    new
                });
                nodes[at].figures += sample.figures;
            }
        }
        Self { nodes, total }
    }

    /// The rows, in order. Without recursion: a stranger's profile can have any depth.
    fn rows(&mut self, sample_type: SampleType, least: f64) -> Vec<TreeRow> {
        let mut rows = Vec::new();
        let mut open = self.callees(0, 0, sample_type, least);
        while let Some(next) = open.pop() {
            let (node, depth) = match next {
                Open::Function(node, depth) => (node, depth),
                Open::Rest(row) => {
                    rows.push(row);
                    continue;
                }
            };
            let Node { function, figures, .. } = &self.nodes[node];
            rows.push(TreeRow { function: function.clone().into_owned(), depth, figures: *figures });
            let callees = self.callees(node, depth, sample_type, least);
            open.extend(callees);
        }
        rows
    }

    /// What is shown below a node at some depth, in reverse order.
    fn callees(&mut self, node: usize, depth: usize, sample_type: SampleType, least: f64) -> Vec<Open> {
        let callees = std::mem::take(&mut self.nodes[node].callees);
        let value = |node: &usize| self.nodes[*node].figures.get(sample_type).value;
        let (mut shown, small): (Vec<usize>, Vec<usize>) =
            callees.into_iter().partition(|node| value(node) >= least);
        let by_value = |a: &usize, b: &usize| {
            let name = |node: &usize| &self.nodes[*node].function;
            value(b).total_cmp(&value(a)).then_with(|| name(a).cmp(name(b)))
        };
        shown.sort_by(by_value);
        let depth = depth + usize::from(node != 0 && shown.len() + usize::from(!small.is_empty()) > 1);
        let rest = (!small.is_empty()).then(|| {
            let functions = if small.len() == 1 { "function" } else { "functions" };
            let figures = small.iter().map(|node| self.nodes[*node].figures).sum();
            Open::Rest(TreeRow { function: format!("[{} smaller {functions}]", small.len()), depth, figures })
        });
        rest.into_iter().chain(shown.into_iter().rev().map(|node| Open::Function(node, depth))).collect()
    }
}

/// What is to be shown next.
enum Open {
    /// A node, and its depth.
    Function(usize, usize),
    Rest(TreeRow),
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |figures: &Figures| figures.get(self.sample_type).value;
        let total = value(&self.total);
        if self.rows.is_empty() {
            return writeln!(f, "The profile has no {}.", self.sample_type.name());
        }
        let figure = |figures: &Figures| amount(self.sample_type, value(figures));
        let width =
            self.rows.iter().map(|row| figure(&row.figures).chars().count()).max().unwrap_or_default();
        for row in &self.rows {
            let (figure, share) = (figure(&row.figures), percent(value(&row.figures), total));
            writeln!(
                f,
                "{figure:>width$}  {share:>7}  {:indent$}{}",
                "",
                row.function,
                indent = 2 * row.depth
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{Amount, Estimate, Function, FunctionIndex, Line, Location, LocationIndex};

    /// Stacks from the root on, with their live bytes.
    fn profile(stacks: &[(&[&str], f64)]) -> Profile {
        let mut profile = Profile::default();
        for (stack, bytes) in stacks {
            let mut sample = Sample::default();
            for name in stack.iter().rev() {
                profile.functions.push(Function { name: (*name).to_owned(), ..Function::default() });
                let function = FunctionIndex(profile.functions.len() as u32 - 1);
                sample.stack.push(LocationIndex(profile.locations.len() as u32));
                profile
                    .locations
                    .push(Location { lines: vec![Line { function, line: 1 }], ..Location::default() });
            }
            sample.figures.live = Amount { bytes: Estimate::exact(*bytes), ..Amount::default() };
            profile.samples.push(sample);
        }
        profile
    }

    #[test]
    fn callers_come_before_what_they_call_and_small_ones_are_added_up() {
        let profile = profile(&[
            (&["main", "run", "load", "push"], 600.0),
            (&["main", "run", "save"], 300.0),
            (&["main", "run", "load", "grow"], 90.0),
            (&["main", "run", "a"], 5.0),
            (&["main", "run", "b"], 4.0),
            (&["start"], 1.0),
            (&["other"], 0.0),
        ]);
        let text = "\
999 B    99.9%  main
999 B    99.9%  run
690 B    69.0%    load
600 B    60.0%      push
 90 B     9.0%      grow
300 B    30.0%    save
  9 B     0.9%    [2 smaller functions]
  1 B     0.1%  [1 smaller function]
";
        assert_eq!(tree(&profile, SampleType::LiveBytes, 0.01).to_string(), text);
        let all = tree(&profile, SampleType::LiveBytes, 0.0);
        assert!(all.rows.iter().all(|row| !row.function.starts_with('[')));
        assert_eq!(all.rows.len(), 9);
        let none = tree(&profile, SampleType::AllocBytes, 0.0);
        assert_eq!(none.to_string(), "The profile has no alloc_space.\n");
    }

    #[test]
    fn through_a_function_there_are_its_callers_and_callees() {
        let profile = profile(&[
            (&["main", "run", "load", "push"], 600.0),
            (&["main", "again", "load"], 60.0),
            (&["main", "run", "save"], 3340.0),
        ]);
        let text = "\
660 B    16.5%  main
600 B    15.0%    run
600 B    15.0%    load
600 B    15.0%    push
 60 B     1.5%    again
 60 B     1.5%    load
";
        // `again` has less than a twentieth of everything, and more of what goes through the function.
        assert_eq!(tree_through(&profile, "load", SampleType::LiveBytes, 0.05).to_string(), text);
        assert!(tree_through(&profile, "lo", SampleType::LiveBytes, 0.05).rows.is_empty());
    }

    #[test]
    fn a_stack_may_have_any_depth() {
        let names: Vec<String> = (0..200_000).map(|at| format!("f{}", at % 7)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let tree = tree(&profile(&[(&names, 8.0)]), SampleType::LiveBytes, 0.01);
        assert_eq!(tree.rows.len(), 200_000);
        assert!(tree.rows.iter().all(|row| row.depth == 0));
    }
}
