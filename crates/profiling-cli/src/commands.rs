//! The commands. A new one is a module here, with its arguments and a `run`, and a line in each of the two lists.

mod completions;
mod convert;
mod diff;
mod flamegraph;
mod folded;
mod info;
#[cfg(feature = "live")]
mod live;
mod merge;
mod range;
mod report;
mod stats;
mod symbolize;
mod timeline;
mod top;
mod tree;

use clap::Subcommand;

use crate::error::Error;

/// What can be asked. The comment of each command's arguments is its help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Top(top::Top),
    Tree(tree::Tree),
    Diff(diff::Diff),
    Info(info::Info),
    Stats(stats::Stats),
    #[cfg(feature = "live")]
    Live(live::Live),
    Flamegraph(flamegraph::Flamegraph),
    Folded(folded::Folded),
    Report(report::Report),
    Timeline(timeline::Timeline),
    Range(range::Range),
    Convert(convert::Convert),
    Merge(merge::Merge),
    Symbolize(symbolize::Symbolize),
    Completions(completions::Completions),
}

impl Command {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Top(top) => top.run(),
            Self::Tree(tree) => tree.run(),
            Self::Diff(diff) => diff.run(),
            Self::Info(info) => info.run(),
            Self::Stats(stats) => stats.run(),
            #[cfg(feature = "live")]
            Self::Live(live) => live.run(),
            Self::Flamegraph(flamegraph) => flamegraph.run(),
            Self::Folded(folded) => folded.run(),
            Self::Report(report) => report.run(),
            Self::Timeline(timeline) => timeline.run(),
            Self::Range(range) => range.run(),
            Self::Convert(convert) => convert.run(),
            Self::Merge(merge) => merge.run(),
            Self::Symbolize(symbolize) => symbolize.run(),
            Self::Completions(completions) => completions.run(),
        }
    }
}
