mod call_tree;
mod table;

pub(crate) use call_tree::CallTree;
pub(crate) use table::Table;

use std::time::Duration;

use allometer_profile::SampleType;
use allometer_views::{TopOrder, printable};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::feed::Reading;
use super::history::History;

/// Rows that a page key moves by.
const PAGE: isize = 10;

/// All that is on the screen. Keys and readings change it; it knows nothing of the terminal.
#[derive(Debug)]
pub(crate) struct State {
    /// What is read, to be shown.
    pub(crate) source: String,
    pub(crate) every: Duration,
    /// The last good one.
    pub(crate) reading: Option<Reading>,
    /// Good readings so far.
    pub(crate) readings: usize,
    pub(crate) history: History,
    /// Why the last reading failed, if it did.
    pub(crate) trouble: Option<String>,
    pub(crate) table: Table,
    /// The tree of the selected function, where it is open.
    pub(crate) tree: Option<CallTree>,
    pub(crate) focus: Focus,
    pub(crate) is_paused: bool,
    pub(crate) is_ending: bool,
}

/// Where keys go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Table,
    /// The words that are searched for.
    Search,
    Tree,
}

impl State {
    pub(crate) fn new(source: &str, every: Duration) -> Self {
        Self {
            source: printable(source).into_owned(),
            every,
            reading: None,
            readings: 0,
            history: History::default(),
            trouble: None,
            table: Table::default(),
            tree: None,
            focus: Focus::Table,
            is_paused: false,
            is_ending: false,
        }
    }

    /// Takes what was read, or why nothing was: then the last good picture stays.
    pub(crate) fn receive(&mut self, reading: Result<Reading, String>) {
        match reading {
            Err(trouble) => self.trouble = Some(trouble),
            Ok(reading) => {
                self.trouble = None;
                self.readings += 1;
                self.history.add(&reading.change, reading.profile.total().live.bytes);
                self.table.update(&reading.top);
                self.reading = Some(reading);
                self.update_tree();
            }
        }
    }

    /// Does what a key stands for.
    pub(crate) fn press(&mut self, key: KeyEvent) {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            self.is_ending |= key.code == KeyCode::Char('c');
            return;
        }
        match self.focus {
            Focus::Search => self.search(key.code),
            Focus::Table | Focus::Tree => self.command(key.code),
        }
    }

    fn search(&mut self, key: KeyCode) {
        match key {
            KeyCode::Esc => {
                self.table.search.clear();
                self.focus = Focus::Table;
            }
            KeyCode::Enter | KeyCode::Up | KeyCode::Down => self.focus = Focus::Table,
            KeyCode::Backspace => drop(self.table.search.pop()),
            KeyCode::Char(letter) => self.table.search.push(letter),
            _ => return,
        }
        self.arrange();
    }

    fn command(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char('q') => self.is_ending = true,
            KeyCode::Char('p') => self.is_paused = !self.is_paused,
            KeyCode::Char('/') => self.focus = Focus::Search,
            KeyCode::Char('>' | 's') | KeyCode::Right => self.sort(|table| table.sort_by_next(1)),
            KeyCode::Char('<' | 'S') | KeyCode::Left => self.sort(|table| table.sort_by_next(-1)),
            KeyCode::Char('r') => self.sort(|table| table.is_reversed = !table.is_reversed),
            KeyCode::Up => self.step(-1),
            KeyCode::Down => self.step(1),
            KeyCode::PageUp => self.step(-PAGE),
            KeyCode::PageDown => self.step(PAGE),
            KeyCode::Home => self.step(isize::MIN),
            KeyCode::End => self.step(isize::MAX),
            KeyCode::Enter => {
                let function = self.table.selected(self.reading.as_ref().map(|reading| &*reading.top));
                self.tree = function.map(|row| CallTree::of(row.function.clone()));
                self.update_tree();
            }
            KeyCode::Tab if self.tree.is_some() => {
                self.focus = if self.focus == Focus::Tree { Focus::Table } else { Focus::Tree };
            }
            KeyCode::Esc if self.tree.is_some() => {
                self.tree = None;
                self.focus = Focus::Table;
            }
            KeyCode::Esc => {
                self.table.search.clear();
                self.arrange();
            }
            _ => {}
        }
    }

    fn sort(&mut self, change: impl FnOnce(&mut Table)) {
        change(&mut self.table);
        self.arrange();
        self.update_tree();
    }

    /// Puts the rows into their order anew.
    fn arrange(&mut self) {
        if let Some(reading) = &self.reading {
            self.table.update(&reading.top);
        }
    }

    fn step(&mut self, rows: isize) {
        match (self.focus, &mut self.tree, &self.reading) {
            (Focus::Tree, Some(tree), _) => tree.scroll(rows),
            (_, tree, Some(reading)) => {
                self.table.step(&reading.top, rows);
                if let (Some(tree), Some(row)) = (tree, self.table.selected(Some(&reading.top))) {
                    if tree.function != row.function {
                        *tree = CallTree::of(row.function.clone());
                    }
                    self.update_tree();
                }
            }
            _ => {}
        }
    }

    /// Takes how many rows of the tree there was room for.
    pub(crate) fn drawn(&mut self, tree_height: usize) {
        if let Some(tree) = &mut self.tree {
            tree.height = tree_height;
        }
    }

    fn update_tree(&mut self) {
        let sample_type = self.sample_type();
        if let (Some(tree), Some(reading)) = (&mut self.tree, &self.reading) {
            tree.update(&reading.profile, sample_type);
        }
    }

    /// The figure that the tree is about: that of the column which the table is sorted by.
    pub(crate) fn sample_type(&self) -> SampleType {
        let has_live = self.reading.as_ref().is_none_or(|reading| reading.profile.metadata.live);
        match self.table.order() {
            Some(TopOrder::Allocated) => SampleType::AllocBytes,
            Some(TopOrder::AllocatedObjects) => SampleType::AllocObjects,
            Some(TopOrder::LiveObjects) => SampleType::LiveObjects,
            Some(TopOrder::Cumulative(sample_type)) => sample_type,
            _ if has_live => SampleType::LiveBytes,
            _ => SampleType::AllocBytes,
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
