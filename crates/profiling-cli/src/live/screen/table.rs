use allometer_profile::SampleType;
use allometer_views::{Top, TopColumn, TopRow};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::Palette;
use crate::live::feed::Reading;
use crate::live::state::{State, Table};

/// Letters that the name of a function has at least.
const NAME: usize = 30;
/// Between two columns.
const GAP: usize = 2;

/// Draws the rows around the selected one, with as many columns as there is room for.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, reading: &Reading, palette: Palette) {
    let top = &*reading.top;
    let height = usize::from(area.height.saturating_sub(1));
    let selected = state.table.position(top);
    let shown = &state.table.shown;
    // The selected row is in the middle where it can be.
    let first = selected.saturating_sub(height / 2).min(shown.len().saturating_sub(height));
    let rows: Vec<&TopRow> =
        shown.iter().skip(first).take(height).filter_map(|at| top.rows.get(*at)).collect();
    let columns = columns(top, &rows, &state.table, usize::from(area.width));
    let room = usize::from(area.width).saturating_sub(columns.iter().map(|column| column.width + GAP).sum());

    let mut head: Vec<Span<'_>> = Vec::new();
    for column in &columns {
        let is_sorted = Some(column.column) == state.table.column();
        let style = if is_sorted { palette.sorted() } else { palette.title() };
        head.push(Span::raw(" ".repeat(column.width - column.title.chars().count())));
        head.push(Span::styled(column.title.clone(), style));
        head.push(Span::raw(" ".repeat(GAP)));
    }
    let all = if shown.len() == top.rows.len() {
        String::new()
    } else {
        format!(" ({} of {})", shown.len(), top.rows.len())
    };
    head.push(Span::styled(format!("function{all}"), palette.title()));
    let mut lines = vec![Line::from(head)];
    for (at, row) in rows.iter().enumerate() {
        let mut text: String = columns
            .iter()
            .map(|column| format!("{:>width$}  ", column.cells[at], width = column.width))
            .collect();
        text.push_str(&ending(&row.function, room));
        let is_selected = first + at == selected;
        lines.push(if is_selected {
            Line::styled(format!("{text:<width$}", width = usize::from(area.width)), palette.selected())
        } else {
            Line::raw(text)
        });
    }
    if rows.is_empty() {
        lines.push(Line::styled("no function has that in its name", palette.quiet()));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// A column as it is shown.
struct Shown {
    column: TopColumn,
    title: String,
    cells: Vec<String>,
    width: usize,
}

/// The columns that there is room for, the least important ones left out; never the first, nor that which the table is
/// sorted by.
fn columns(top: &Top, rows: &[&TopRow], table: &Table, room: usize) -> Vec<Shown> {
    let order = table.order();
    let arrow = if table.is_reversed { "▴" } else { "▾" };
    let shown = |column: TopColumn| {
        let is_sorted = Some(column.order()) == order && column.title() != "%";
        let title = format!("{}{}", column.title(), if is_sorted { arrow } else { "" });
        let cells: Vec<String> = rows.iter().map(|row| top.cell(row, column)).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).chain([title.chars().count()]).max();
        Shown { column, title, cells, width: width.unwrap_or_default() }
    };
    let mut columns: Vec<Shown> = top.columns().into_iter().map(shown).collect();
    while columns.iter().map(|column| column.width + GAP).sum::<usize>() + NAME > room {
        let may_go = |(at, column): &(usize, &Shown)| {
            *at > 0 && (Some(column.column.order()) != order || column.title == "%")
        };
        let least = columns.iter().enumerate().filter(may_go).max_by_key(|(_, column)| rank(column.column));
        match least.map(|(at, _)| at) {
            Some(at) => drop(columns.remove(at)),
            None => break,
        }
    }
    columns
}

/// The larger, the sooner a column is left out.
fn rank(column: TopColumn) -> u8 {
    match column {
        TopColumn::CumulativeShare(_) => 9,
        TopColumn::Lifetime => 8,
        TopColumn::Objects(SampleType::AllocObjects) => 7,
        TopColumn::MeanSize => 6,
        TopColumn::Peak => 5,
        TopColumn::OwnShare(_) => 4,
        TopColumn::Objects(_) => 3,
        TopColumn::Cumulative(_) => 2,
        _ => 1,
    }
}

/// As much of a name as there is room for: its end says more than its beginning.
pub(super) fn ending(name: &str, room: usize) -> String {
    let letters = name.chars().count();
    if letters <= room {
        return name.to_owned();
    }
    let rest: String = name.chars().skip(letters + 1 - room.max(1)).collect();
    format!("…{rest}")
}
