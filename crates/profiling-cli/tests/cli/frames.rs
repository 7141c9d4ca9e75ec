//! Which functions of a stack are shown: inlined ones or not, those that run futures or not; in text and on the page.

use allometer_profile::Profile;

use crate::own::profile;
use crate::run::run_with_input;

const INLINED: &str = "::grow_one";
const CALLER: &str = "shop::cart::Cart::add";
const POLL: &str = "tokio::runtime::task::raw::poll";

/// The shop, in which `grow_one` was inlined into `Cart::add`.
fn shop() -> Profile {
    let mut profile = profile(50.0);
    let callers = profile.locations[1].lines.clone();
    profile.locations[0].lines.extend(callers);
    // What was the place of the caller is that of both.
    for sample in &mut profile.samples {
        sample.stack.retain(|index| index.0 != 1);
    }
    profile
}

/// Which of the three functions a view has.
fn shown(arguments: &[&str]) -> [bool; 3] {
    let text = run_with_input(arguments, &shop().to_pprof()).text();
    assert!(text.contains("shop::main"), "{arguments:?}: {text}");
    [INLINED, CALLER, POLL].map(|name| text.contains(name))
}

#[test]
fn inlined_functions_and_polls_are_shown_or_not() {
    for view in [
        &["tree", "--least", "0"][..],
        &["folded"],
        &["flamegraph"],
        &["report"],
        &["convert", "-", "-o", "-", "--to", "json"],
    ] {
        let shown = |more: &[&str]| shown(&[view, more].concat());
        assert_eq!(shown(&[]), [true; 3], "{view:?}");
        assert_eq!(shown(&["--expand-inlines"]), [true; 3], "{view:?}");
        assert_eq!(shown(&["--without-inlines"]), [false, true, true], "{view:?}");
        assert_eq!(shown(&["--fold-async"]), [true, true, false], "{view:?}");
        assert_eq!(shown(&["--fold-async", "--without-inlines"]), [false, true, false], "{view:?}");
    }
}

#[test]
fn what_an_inlined_function_allocates_is_its_callers() {
    let first = |arguments: &[&str]| {
        let text = run_with_input(arguments, &shop().to_pprof()).text();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let row = json["functions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["function"] == CALLER)
            .unwrap()
            .clone();
        (row, json["total"].clone())
    };
    let (with, total) = first(&["top", "--json"]);
    // `grow_one` is of the standard library: what it holds was its caller's before.
    assert_eq!(first(&["top", "--json", "--without-inlines"]), (with, total));
}

#[test]
fn the_page_knows_which_are_inlined_until_each_has_a_place_of_its_own() {
    let page = |more: &[&str]| run_with_input(&[&["report"], more].concat(), &shop().to_pprof()).text();
    // Of the three, this one is marked.
    let marked = r#""inlined":true"#;
    assert_eq!(page(&[]).matches(marked).count(), 1);
    assert_eq!(page(&["--expand-inlines"]).matches(marked).count(), 0);
    assert_eq!(page(&["--without-inlines"]).matches(marked).count(), 0);
}

#[test]
fn both_at_once_is_wrong_usage() {
    let answer = run_with_input(&["top", "--expand-inlines", "--without-inlines"], &shop().to_pprof());
    assert_eq!(answer.code, Some(2));
}
