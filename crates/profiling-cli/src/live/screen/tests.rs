use super::*;
use crate::live::feed::Reading;
use crate::live::state::tests::{press, profile, state};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::style::{Color, Modifier};
use std::time::Duration;

const PLAIN: Palette = Palette { has_colours: false };

fn drawn(state: &State, width: u16, height: u16, palette: Palette) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            draw(frame, state, palette);
        })
        .unwrap();
    terminal.backend().buffer().clone()
}

/// The lines of a screen, without the blanks at their ends.
fn lines(state: &State, width: u16, height: u16) -> String {
    let buffer = drawn(state, width, height, PLAIN);
    let line = |y| {
        let text: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        text.trim_end().to_owned()
    };
    (0..height).map(|y| line(y) + "\n").collect()
}

/// Compares with what is kept beside this file; with `GOLDEN=write` in the environment, keeps it there instead.
fn assert_is(golden: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/live/screen/tests").join(golden);
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), text, "{golden}:\n{text}");
}

#[test]
fn a_small_terminal_has_all_that_matters() {
    assert_is("small.txt", &lines(&state(), 80, 24));
}

#[test]
fn a_tree_is_below_the_table_or_beside_it() {
    let mut state = state();
    press(&mut state, &[KeyCode::Down, KeyCode::Enter]);
    assert_is("small-tree.txt", &lines(&state, 80, 24));
    assert_is("wide-tree.txt", &lines(&state, 170, 24));
}

#[test]
fn a_fault_stands_below_the_last_good_picture() {
    let mut state = state();
    state.receive(Err("http://localhost:6060/: status 503: no session runs".to_owned()));
    press(&mut state, &[KeyCode::Char('p')]);
    let text = lines(&state, 100, 24);
    let fault = "http://localhost:6060/: status 503: no session runs; trying again every 2s";
    assert!(text.contains(fault) && text.contains("shop::Cache::insert"), "{text}");
    assert!(text.lines().next().unwrap().ends_with("2 readings, every 2s  paused"), "{text}");
}

#[test]
fn the_mean_rate_is_that_of_all_readings() {
    let mut state = state();
    let [before, after] = [profile(12, 24.0), profile(20, 24.0)];
    state.receive(Ok(Reading::new(after, Some(&before))));
    let text = lines(&state, 80, 24);
    // 16 MiB in two seconds, and nothing in eight.
    assert!(text.contains("\nrate       0 B a second; mean of 10.0 s: 1.6 MiB ± 0.3\n"), "{text}");
}

#[test]
fn before_the_first_reading_it_says_so() {
    let mut state = State::new("heap.pb.gz", Duration::from_millis(500));
    let text = lines(&state, 80, 5);
    assert_eq!(
        text.lines().map(str::trim_end).collect::<Vec<_>>()[..3],
        ["heap.pb.gz  0 readings, every 500ms", "", ""]
    );
    assert!(text.contains("\nreading …\n"), "{text}");
    state.receive(Err("heap.pb.gz: not there".to_owned()));
    assert!(lines(&state, 80, 5).contains("\nheap.pb.gz: not there; trying again every 500ms\n"));
}

#[test]
fn a_search_says_how_many_there_are() {
    let mut state = state();
    press(&mut state, &[KeyCode::Char('/'), KeyCode::Char('i'), KeyCode::Char('n')]);
    let text = lines(&state, 80, 24);
    assert!(text.contains("\n/in█\n") && text.contains("function (3 of 6)"), "{text}");
    press(&mut state, &[KeyCode::Char('?'), KeyCode::Enter]);
    let text = lines(&state, 80, 24);
    assert!(text.contains("no function has that in its name") && text.contains("\n/in?\n"), "{text}");
}

#[test]
fn the_selected_row_is_always_to_be_seen() {
    let mut state = state();
    for (steps, function) in [(0, "shop::Cache::insert"), (3, "shop::main"), (5, "shop::load")] {
        press(&mut state, &[&[KeyCode::Home][..], &vec![KeyCode::Down; steps]].concat());
        // Five lines at the top, two below, the header: two rows.
        let buffer = drawn(&state, 80, 10, PLAIN);
        let selected: Vec<String> = (0..10)
            .filter(|y| buffer[(0, *y)].modifier.contains(Modifier::REVERSED))
            .map(|y| (0..80).map(|x| buffer[(x, y)].symbol()).collect())
            .collect();
        assert!(matches!(&*selected, [row] if row.contains(function)), "{function} {selected:?}");
    }
}

#[test]
fn without_live_objects_there_is_what_was_allocated() {
    let mut allocations = profile(10, 16.0);
    allocations.metadata.live = false;
    let mut state = State::new("heap.pb.gz", Duration::from_secs(2));
    state.receive(Ok(Reading::new(allocations, None)));
    let text = lines(&state, 80, 24);
    assert!(!text.contains("live") && text.contains("allocated▾"), "{text}");
    assert!(text.contains("rate       known after the next reading"), "{text}");
}

#[test]
fn colours_are_left_out_where_they_are_not_wanted() {
    let mut state = state();
    press(&mut state, &[KeyCode::Enter, KeyCode::Char('p')]);
    state.receive(Err("gone".to_owned()));
    let coloured = |palette| {
        let buffer = drawn(&state, 120, 40, palette);
        buffer.content.iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
    };
    assert_eq!(coloured(PLAIN), 0);
    assert!(coloured(Palette { has_colours: true }) > 0);
}

#[test]
fn any_size_can_be_drawn() {
    let mut state = state();
    for keys in [&[][..], &[KeyCode::Enter, KeyCode::Tab, KeyCode::Down]] {
        press(&mut state, keys);
        for width in [1, 2, 7, 20, 79, 200] {
            for height in [1, 2, 3, 4, 5, 6, 7, 9, 16, 33, 60] {
                lines(&state, width, height);
            }
        }
    }
}
