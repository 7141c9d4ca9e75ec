use allometer_views::quantity::{amount, percent};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::Palette;
use super::table::ending;
use crate::live::state::CallTree;

/// Draws the stacks through a function: who calls it, itself, what it calls.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    tree: &CallTree,
    has_focus: bool,
    palette: Palette,
) -> usize {
    let height = usize::from(area.height.saturating_sub(1));
    let Some(calls) = &tree.tree else { return height };
    let first = tree.first(height);
    let number = calls.rows.len();
    let part = match number > height {
        true => format!(", rows {} to {} of {number}", first + 1, number.min(first + height)),
        false => String::new(),
    };
    let title = format!("{} through {}{part}", calls.sample_type.name(), tree.function);
    let style = if has_focus { palette.sorted() } else { palette.title() };
    let width = usize::from(area.width);
    let mut lines = vec![Line::styled(ending(&title, width), style)];
    let value = |figures: allometer_profile::Figures| figures.get(calls.sample_type).value;
    let all = value(calls.total);
    let shown = calls.rows.iter().skip(first).take(height);
    let figures: Vec<String> =
        shown.clone().map(|row| amount(calls.sample_type, value(row.figures))).collect();
    let figure_width = figures.iter().map(|figure| figure.chars().count()).max().unwrap_or_default();
    // Of what is deep, the indent that all have in common says nothing.
    let common = shown.clone().map(|row| row.depth).min().unwrap_or_default();
    for (row, figure) in shown.zip(figures) {
        let indent = 2 * (row.depth - common);
        let left =
            format!("{figure:>figure_width$}  {:>6}  {:indent$}", percent(value(row.figures), all), "");
        let name = ending(&row.function, width.saturating_sub(left.chars().count()));
        let line = format!("{left}{name}");
        lines.push(if row.function == tree.function {
            Line::styled(line, palette.title())
        } else {
            Line::raw(line)
        });
    }
    if calls.rows.is_empty() {
        lines.push(Line::styled("nothing of it in the last reading", palette.quiet()));
    }
    frame.render_widget(Paragraph::new(lines), area);
    height
}
