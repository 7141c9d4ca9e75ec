use super::*;
use allometer_profile::{
    Amount, Estimate, Figures, LiveObject, Metadata, Profile, ProfileBuilder, RawFrame, Symbolizer,
};

/// A shop after so many seconds, whose cache holds so many mebibytes; its index and its names do not change.
pub(in crate::live) fn profile(seconds: u64, cache: f64) -> Profile {
    let metadata = Metadata {
        live: true,
        sample_interval: 524_288,
        provider: Some("mimalloc".to_owned()),
        session: Some(7),
        start: std::time::UNIX_EPOCH.checked_add(Duration::from_secs(1_790_000_000)),
        duration: Duration::from_secs(seconds),
        elapsed: Duration::from_secs(seconds),
        ..Metadata::default()
    };
    let amount = |objects: f64, mebibytes: f64| {
        let bytes = mebibytes * 1_048_576.0;
        let estimate = |value: f64, noise: f64| Estimate { value, variance: value * noise };
        Amount { objects: estimate(objects, objects / 100.0), bytes: estimate(bytes, 524_288.0) }
    };
    let mut builder = ProfileBuilder::new(metadata);
    let frames = |names: &[&'static str]| names.iter().copied().map(RawFrame::Marker).collect::<Vec<_>>();
    for (stack, objects, live, alloc) in [
        (&["shop::Cache::insert", "shop::serve", "shop::main"][..], 2000.0, cache, 2.0 * cache),
        (&["shop::Index::add", "shop::load", "shop::main"], 90_000.0, 8.0, 8.0),
        (&["shop::name", "shop::Index::add", "shop::load", "shop::main"], 500.0, 2.0, 400.0),
    ] {
        let figures = Figures { alloc: amount(2.0 * objects, alloc), live: amount(objects, live) };
        // One for each mebibyte.
        let births = 0..live as u64;
        builder.add(frames(stack), figures).live_objects = births
            .map(|birth| LiveObject {
                birth: Duration::from_millis(1000 * objects as u64 + birth),
                size: 1024,
                amount: amount(objects / live, 1.0),
            })
            .collect();
    }
    builder.finish(&mut Symbolizer::new())
}

/// A state that has read the shop at 10 and 12 seconds.
pub(in crate::live) fn state() -> State {
    let mut state = State::new("http://localhost:6060/debug/pprof/heap", Duration::from_secs(2));
    let [first, second] = [profile(10, 16.0), profile(12, 24.0)];
    state.receive(Ok(Reading::new(first.clone(), None)));
    state.receive(Ok(Reading::new(second, Some(&first))));
    state
}

pub(in crate::live) fn press(state: &mut State, keys: &[KeyCode]) {
    for key in keys {
        state.press(KeyEvent::new(*key, KeyModifiers::NONE));
    }
}

fn letters(text: &str) -> Vec<KeyCode> {
    text.chars().map(KeyCode::Char).collect()
}

fn shown(state: &State) -> Vec<&str> {
    let top = &state.reading.as_ref().unwrap().top;
    state.table.shown.iter().map(|at| &*top.rows[*at].function).collect()
}

fn selected(state: &State) -> &str {
    &state.table.selected(state.reading.as_ref().map(|reading| &*reading.top)).unwrap().function
}

#[test]
fn rows_are_sorted_by_the_chosen_column() {
    let mut state = state();
    let by_live =
        ["shop::Cache::insert", "shop::Index::add", "shop::name", "shop::main", "shop::serve", "shop::load"];
    assert_eq!(shown(&state), by_live);
    press(&mut state, &[KeyCode::Char('>')]);
    assert_eq!(state.table.order(), Some(TopOrder::Cumulative(SampleType::LiveBytes)));
    assert_eq!(shown(&state)[0], "shop::main");
    press(&mut state, &[KeyCode::Char('s')]);
    assert_eq!((state.table.order(), shown(&state)[0]), (Some(TopOrder::LiveObjects), "shop::Index::add"));
    assert_eq!(state.sample_type(), SampleType::LiveObjects);
    press(&mut state, &[KeyCode::Char('r')]);
    assert_eq!(*shown(&state).last().unwrap(), "shop::Index::add");
    press(&mut state, &[KeyCode::Char('r'), KeyCode::Char('<'), KeyCode::Char('S'), KeyCode::Left]);
    assert_eq!(
        state.table.order(),
        Some(TopOrder::AllocatedObjects),
        "from the first it goes on with the last"
    );
    press(&mut state, &[KeyCode::Left]);
    assert_eq!((state.table.order(), shown(&state)[0]), (Some(TopOrder::Allocated), "shop::name"));
    state.receive(Ok(Reading::new(profile(14, 24.0), None)));
    assert_eq!(shown(&state)[0], "shop::name", "another reading is in the same order");
}

#[test]
fn the_selected_function_stays_selected() {
    let mut state = state();
    press(&mut state, &[KeyCode::Down]);
    assert_eq!(selected(&state), "shop::Index::add");
    // Now the index is the first.
    state.receive(Ok(Reading::new(profile(14, 1.0), None)));
    assert_eq!(
        (selected(&state), state.table.position(&state.reading.as_ref().unwrap().top)),
        ("shop::Index::add", 0)
    );
    press(&mut state, &[KeyCode::End]);
    assert_eq!(selected(&state), "shop::serve");
    press(&mut state, &[KeyCode::Down, KeyCode::PageUp]);
    assert_eq!(selected(&state), "shop::Index::add");
}

#[test]
fn a_search_leaves_what_has_it_in_its_name() {
    let mut state = state();
    press(&mut state, &[&[KeyCode::Char('/')], &*letters("INDEXq")].concat());
    assert_eq!((shown(&state), state.is_ending), (vec![], false), "letters are no commands");
    press(&mut state, &[KeyCode::Backspace]);
    assert_eq!(shown(&state), ["shop::Index::add"]);
    press(&mut state, &[KeyCode::Enter]);
    state.receive(Ok(Reading::new(profile(14, 24.0), None)));
    assert_eq!((shown(&state), state.focus), (vec!["shop::Index::add"], Focus::Table));
    press(&mut state, &[KeyCode::Esc]);
    assert_eq!(shown(&state).len(), 6);
    press(&mut state, &[&[KeyCode::Char('/')], &*letters("name"), &[KeyCode::Esc]].concat());
    assert_eq!((shown(&state).len(), state.focus), (6, Focus::Table));
}

#[test]
fn enter_opens_the_tree_of_the_selected_function() {
    let mut state = state();
    press(&mut state, &[KeyCode::Down, KeyCode::Enter]);
    let rows = |state: &State| {
        let tree = state.tree.as_ref().unwrap().tree.as_ref().unwrap();
        tree.rows.iter().map(|row| row.function.clone()).collect::<Vec<_>>()
    };
    assert_eq!(rows(&state), ["shop::main", "shop::load", "shop::Index::add", "shop::name"]);
    press(&mut state, &[KeyCode::Up]);
    assert_eq!(rows(&state), ["shop::main", "shop::serve", "shop::Cache::insert"], "it follows the table");
    let bytes =
        |state: &State| state.tree.as_ref().unwrap().tree.as_ref().unwrap().rows[0].figures.live.bytes.value;
    assert_eq!(bytes(&state), 24.0 * 1_048_576.0);
    state.receive(Ok(Reading::new(profile(14, 30.0), None)));
    assert_eq!(bytes(&state), 30.0 * 1_048_576.0, "and the readings");
    assert_eq!(state.tree.as_ref().unwrap().first(2), 0);
    state.drawn(2);
    press(&mut state, &[KeyCode::Tab, KeyCode::Down, KeyCode::Down]);
    assert_eq!((selected(&state), state.tree.as_ref().unwrap().first(2)), ("shop::Cache::insert", 2));
    press(&mut state, &[KeyCode::Esc, KeyCode::Down]);
    assert!(state.tree.is_none());
    assert_eq!(selected(&state), "shop::Index::add", "keys are the table's again");
}

#[test]
fn a_deep_tree_begins_a_little_above_its_function_and_scrolls_from_there() {
    let mut builder = ProfileBuilder::new(Metadata { live: true, ..Metadata::default() });
    let names: Vec<&'static str> = vec!["a", "b", "leaf", "f", "g", "h", "i", "j", "k", "main"];
    let page = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(4096.0) };
    builder.add(names.into_iter().map(RawFrame::Marker), Figures { alloc: page, live: page });
    let mut state = State::new("heap.pb", Duration::from_secs(2));
    state.receive(Ok(Reading::new(builder.finish(&mut Symbolizer::new()), None)));
    press(&mut state, &[&[KeyCode::Char('/')], &*letters("leaf"), &[KeyCode::Enter; 2]].concat());
    let first = |state: &State, height| state.tree.as_ref().unwrap().first(height);
    assert_eq!([5, 8, 10, 20].map(|height| first(&state, height)), [4, 2, 0, 0]);
    state.drawn(8);
    press(&mut state, &[KeyCode::Tab, KeyCode::Down]);
    assert_eq!(first(&state, 8), 3);
    press(&mut state, &[KeyCode::End, KeyCode::Up]);
    assert_eq!(first(&state, 8), 8);
    press(&mut state, &[KeyCode::Home]);
    assert_eq!(first(&state, 8), 0);
}

#[test]
fn after_a_fault_the_last_good_picture_stays() {
    let mut state = state();
    state.receive(Err("heap.pb.gz: gone".to_owned()));
    assert_eq!((state.trouble.as_deref(), state.readings), (Some("heap.pb.gz: gone"), 2));
    assert_eq!(shown(&state).len(), 6);
    state.receive(Ok(Reading::new(profile(14, 24.0), None)));
    assert_eq!((state.trouble.as_deref(), state.readings), (None, 3));
}

#[test]
fn keys_before_the_first_reading_do_no_harm() {
    let mut state = State::new("a\u{7}", Duration::from_secs(2));
    let all = [KeyCode::Enter, KeyCode::Tab, KeyCode::Down, KeyCode::End, KeyCode::Left, KeyCode::Esc];
    press(&mut state, &all);
    press(&mut state, &letters("sSr<>p/x"));
    assert!(state.is_paused && state.reading.is_none() && state.tree.is_none());
    assert_eq!(state.source, r"a\u{7}");
    state.press(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert!(state.is_ending, "also while something is searched for");
    press(&mut state, &[KeyCode::Esc, KeyCode::Char('q')]);
    state.receive(Ok(Reading::new(Profile::default(), None)));
    press(&mut state, &all);
    assert!(state.tree.is_none());
}
