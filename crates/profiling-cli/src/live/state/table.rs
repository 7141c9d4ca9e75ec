use allometer_views::{Top, TopColumn, TopOrder, TopRow};

/// The rows of the table: which are shown, in which order, and which one is selected.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Functions are shown whose name has it in it, large and small letters the same.
    pub(crate) search: String,
    pub(crate) is_reversed: bool,
    /// Positions in the rows of the [`Top`], in the order in which they are shown.
    pub(crate) shown: Vec<usize>,
    /// Those of them that a table can be sorted by: of columns with the same order, the first.
    columns: Vec<TopColumn>,
    /// What it is sorted by, once somebody has chosen; the first one otherwise.
    sorted_by: Option<TopColumn>,
    /// The name of the selected function, which stays the selected one in whatever row it is.
    selected: Option<String>,
}

impl Table {
    /// Takes new rows, or puts those there are into their order.
    pub(super) fn update(&mut self, top: &Top) {
        self.columns.clear();
        for column in top.columns() {
            if self.columns.iter().all(|known| known.order() != column.order()) {
                self.columns.push(column);
            }
        }
        let search = self.search.to_lowercase();
        let is_shown = |row: &TopRow| row.function.to_lowercase().contains(&search);
        self.shown = (0..top.rows.len()).filter(|position| is_shown(&top.rows[*position])).collect();
        if let Some(order) = self.order() {
            self.shown.sort_by(|a, b| order.compare(&top.rows[*a], &top.rows[*b]));
        }
        if self.is_reversed {
            self.shown.reverse();
        }
    }

    /// What it is sorted by.
    pub(crate) fn order(&self) -> Option<TopOrder> {
        self.column().map(TopColumn::order)
    }

    /// The column that it is sorted by.
    pub(crate) fn column(&self) -> Option<TopColumn> {
        let chosen = self.sorted_by.filter(|column| self.columns.contains(column));
        chosen.or_else(|| self.columns.first().copied())
    }

    /// Sorts by the column so many to the right.
    pub(super) fn sort_by_next(&mut self, by: isize) {
        let at = self.columns.iter().position(|column| Some(*column) == self.column());
        if let Some(at) = at {
            let next = (at as isize + by).rem_euclid(self.columns.len() as isize);
            self.sorted_by = self.columns.get(next as usize).copied();
        }
    }

    /// Selects the row so many further down.
    pub(super) fn step(&mut self, top: &Top, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        let next = (self.position(top) as isize).saturating_add(by).clamp(0, last as isize);
        let row = self.shown.get(next as usize).and_then(|position| top.rows.get(*position));
        self.selected = row.map(|row| row.function.clone());
    }

    /// Which of the shown rows is selected: the first, unless somebody has chosen one that is shown.
    pub(crate) fn position(&self, top: &Top) -> usize {
        let Some(selected) = &self.selected else { return 0 };
        let is_selected =
            |position: &usize| top.rows.get(*position).is_some_and(|row| row.function == *selected);
        self.shown.iter().position(is_selected).unwrap_or(0)
    }

    /// The selected row, if there is one.
    pub(super) fn selected<'top>(&self, top: Option<&'top Top>) -> Option<&'top TopRow> {
        let top = top?;
        top.rows.get(*self.shown.get(self.position(top))?)
    }
}
