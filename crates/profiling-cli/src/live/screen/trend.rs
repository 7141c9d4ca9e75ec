use std::time::Duration;

use allometer_views::quantity::{bytes, time};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType};

use super::Palette;
use crate::live::history::{History, Point};

/// Draws the live heap over time, and one standard error above and below it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, history: &History, palette: Palette) {
    let line = |y: fn(Point) -> f64| -> Vec<(f64, f64)> {
        history.points().map(|point| (point.at, y(point))).collect()
    };
    let heap = line(|point| point.bytes.value);
    let above = line(|point| point.bytes.value + point.bytes.standard_error());
    let below = line(|point| (point.bytes.value - point.bytes.standard_error()).max(0.0));
    let (Some(first), Some(last)) = (history.points().next(), history.points().next_back()) else { return };
    let least = below.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
    let most = above.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    // A heap that does not change is a line in the middle.
    let room = ((most - least) * 0.05).max(most * 0.01).max(1.0);
    let y = [(least - room).max(0.0), most + room];
    let x = [first.at, last.at.max(first.at + 1.0)];
    let ago = last.at - first.at;
    let ago = match Duration::try_from_secs_f64(ago) {
        _ if ago == 0.0 => String::new(),
        Ok(ago) if history.has_times => format!("{} ago", time(ago)),
        _ => format!("{ago:.0} readings ago"),
    };
    let dataset = |data, marker, style| {
        Dataset::default().data(data).marker(marker).graph_type(GraphType::Line).style(style)
    };
    let chart = Chart::new(vec![
        dataset(&above, Marker::Dot, palette.quiet()),
        dataset(&below, Marker::Dot, palette.quiet()),
        dataset(&heap, Marker::Braille, palette.trend()),
    ])
    .x_axis(Axis::default().bounds(x).labels([ago, "now".to_owned()]).style(palette.quiet()))
    .y_axis(Axis::default().bounds(y).labels(y.map(bytes)).style(palette.quiet()));
    frame.render_widget(chart, area);
}
