use allometer_profile::{Profile, SampleType};
use allometer_views::{Tree, TreeRow, tree_through};

/// What has less than this share of a function's memory is added up in its tree.
const LEAST: f64 = 0.01;
/// Callers that are shown above a function of whose tree only a part has room.
const CALLERS: usize = 3;

/// The stacks through a function, as a tree.
#[derive(Debug)]
pub(crate) struct CallTree {
    pub(crate) function: String,
    pub(crate) tree: Option<Tree>,
    /// The first row that is shown; none as long as nobody has scrolled.
    first: Option<usize>,
    /// Rows that there was room for when it was drawn last.
    pub(super) height: usize,
}

impl CallTree {
    pub(super) fn of(function: String) -> Self {
        Self { function, tree: None, first: None, height: 0 }
    }

    /// Takes the figures of another reading.
    pub(super) fn update(&mut self, profile: &Profile, sample_type: SampleType) {
        self.tree = Some(tree_through(profile, &self.function, sample_type, LEAST));
    }

    pub(super) fn scroll(&mut self, rows: isize) {
        let last = self.rows().len().saturating_sub(1);
        let first = self.first(self.height) as isize;
        self.first = Some(first.saturating_add(rows).clamp(0, last as isize) as usize);
    }

    /// The first of so many rows that are shown. Unless somebody has scrolled, that is the first of all where all of them have
    /// room; else it is a little above the function, for what calls it can be deep.
    pub(crate) fn first(&self, height: usize) -> usize {
        let rows = self.rows();
        let latest = rows.len().saturating_sub(height);
        let own = rows.iter().position(|row| row.function == self.function).unwrap_or(0);
        self.first.unwrap_or(own.saturating_sub(CALLERS).min(latest))
    }

    pub(crate) fn rows(&self) -> &[TreeRow] {
        self.tree.as_ref().map_or(&[], |tree| &tree.rows)
    }
}
