mod call_tree;
mod palette;
mod summary;
mod table;
mod trend;

pub(crate) use palette::Palette;

use jiff::fmt::friendly::SpanPrinter;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::state::{Focus, State};

/// Rows of a screen that has room for a picture of the trend.
const TALL: u16 = 16;
/// Columns of a screen that has room for a tree beside the table.
const WIDE: u16 = 160;

/// Draws the state, and nothing else. It is answered how many rows of the tree there is room for.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &State, palette: Palette) -> usize {
    let area = frame.area();
    let head = summary::lines(state, palette);
    let [above, middle, below] =
        Layout::vertical([Constraint::Length(head.len() as u16), Constraint::Min(0), Constraint::Length(2)])
            .areas(area);
    frame.render_widget(Paragraph::new(head), above);
    frame.render_widget(Paragraph::new(foot(state, palette)), below);
    let Some(reading) = &state.reading else { return 0 };

    let is_wide = area.width >= WIDE;
    // Where there is little room, a tree that is open is worth more than the trend.
    let has_trend = area.height >= TALL && (state.tree.is_none() || is_wide || area.height >= 2 * TALL);
    let trend_height = if has_trend { (area.height / 4).clamp(5, 12) } else { 0 };
    let [trend, rest] =
        Layout::vertical([Constraint::Length(trend_height), Constraint::Min(0)]).areas(middle);
    if has_trend {
        trend::draw(frame, trend, &state.history, palette);
    }
    let Some(tree) = &state.tree else {
        table::draw(frame, rest, state, reading, palette);
        return 0;
    };
    let half = [Constraint::Fill(1), Constraint::Fill(1)];
    let [first, second]: [Rect; 2] =
        if is_wide { Layout::horizontal(half).spacing(2) } else { Layout::vertical(half) }.areas(rest);
    table::draw(frame, first, state, reading, palette);
    call_tree::draw(frame, second, tree, state.focus == Focus::Tree, palette)
}

/// What is wrong, or searched for, and what can be done.
fn foot(state: &State, palette: Palette) -> Vec<Line<'_>> {
    let first = match (&state.trouble, state.focus) {
        (_, Focus::Search) => {
            Line::from(vec![Span::raw("/"), Span::raw(&*state.table.search), Span::raw("█")])
        }
        (Some(trouble), _) => {
            let again = SpanPrinter::new().unsigned_duration_to_string(&state.every);
            Line::styled(format!("{trouble}; trying again every {again}"), palette.trouble())
        }
        (None, _) if state.reading.is_none() => Line::raw("reading …"),
        (None, _) if !state.table.search.is_empty() => Line::raw(format!("/{}", state.table.search)),
        (None, _) => Line::default(),
    };
    let keys = match state.focus {
        Focus::Search => "Enter keeps the search, Esc clears it",
        Focus::Tree => "q quit  p pause  ↑↓ scroll  Tab table  Esc close the tree",
        Focus::Table if state.tree.is_some() => {
            "q quit  p pause  ↑↓ select  < > sort  r reverse  / search  Tab tree  Esc close"
        }
        Focus::Table => "q quit  p pause  ↑↓ select  < > sort  r reverse  / search  Enter tree",
    };
    vec![first, Line::styled(keys, palette.quiet())]
}

#[cfg(test)]
mod tests;
