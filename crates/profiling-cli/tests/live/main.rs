//! The screen of `allometer live`, in a real terminal: tmux's. Where tmux is not installed, these tests say so
//! and do nothing; in CI they fail.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../cli/own.rs"]
mod own;
mod server;
mod terminal;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use allometer_profile::Profile;
use server::Server;
use terminal::Terminal;

const ALLOMETER: &str = env!("CARGO_BIN_EXE_allometer");

/// The shop after so many steps of two seconds, in each of which its carts have got larger.
fn profile(step: u32) -> Profile {
    let mut profile = own::profile(50.0 + 10.0 * f64::from(step));
    profile.metadata.duration += Duration::from_secs(2) * step;
    profile.metadata.elapsed = profile.metadata.duration;
    profile
}

fn served() -> Server {
    Server::start(|step| Ok(profile(step).to_pprof_gzip()))
}

#[test]
fn it_follows_a_service() {
    let server = served();
    let Some(terminal) = Terminal::start(120, 40, &[], &["live", "--every", "200ms", &server.url]) else {
        return;
    };
    terminal.see(&server.url);
    // Between any two readings: 30 samples that stand for 64.5 KiB each, in two seconds.
    terminal.see("967.5 KiB ± 175.3 a second");
    terminal.see("+1.3 MiB ± 0.3 in 2.0 s");
    terminal.see("s ago");
    let screen = terminal.see("<shop::cache::Cache>::insert");
    assert!(
        screen.contains("live▾") && screen.contains("not in the samples: live objects beyond the bound"),
        "{screen}"
    );

    // What is drawn with `<` and `>` is sorted by another column.
    terminal.press(&[">"]);
    terminal.see("cum live▾");
    terminal.press(&["/", "c", "a", "r", "t"]);
    terminal.see("/cart");
    terminal.see("function (1 of 7)");
    terminal.press(&["Enter", "Enter"]);
    let screen = terminal.see("inuse_space through shop::cart::Cart::add");
    let rows: Vec<&str> = screen.lines().skip_while(|line| !line.contains(" through ")).collect();
    assert!(rows[1].ends_with("shop::main") && rows[4].ends_with("shop::cart::Cart::add"), "{screen}");
    terminal.press(&["Escape"]);
    terminal.see("Enter tree");
    terminal.press(&["Escape"]);
    terminal.see("shop::import::read");

    terminal.resize(80, 24);
    terminal.see_where("a narrow screen", |screen| {
        screen.lines().all(|line| line.chars().count() <= 80)
            && screen.contains("q quit")
            && screen.contains("shop::main")
    });
    terminal.press(&["q"]);
    terminal.see("ended with 0");
    terminal.is_restored();
}

#[test]
fn a_pause_reads_nothing() {
    let server = served();
    let Some(terminal) = Terminal::start(100, 30, &[], &["live", "--every", "100ms", &server.url]) else {
        return;
    };
    terminal.see("4 readings");
    terminal.press(&["p"]);
    terminal.see("paused");
    // What was under way when the key came may still come in; then nothing does.
    let settled = server.settled();
    let screen =
        terminal.see_where("the last reading", |screen| screen.contains(&format!(" {settled} readings")));
    assert_eq!((server.settled(), terminal.screen()), (settled, screen));
    terminal.press(&["p"]);
    terminal.see(&format!("{} readings", settled + 1));
}

#[test]
fn after_a_fault_it_tries_again() {
    let server = Server::start(|step| match step {
        2..=12 => Err("503 Service Unavailable"),
        _ => Ok(profile(step).to_pprof()),
    });
    let Some(terminal) = Terminal::start(120, 30, &[], &["live", "--every", "300ms", &server.url]) else {
        return;
    };
    let screen = terminal.see("status 503: not now; trying again every 300ms");
    assert!(screen.contains("2 readings") && screen.contains("shop::cart::Cart::add"), "{screen}");
    // How many there are by the time that somebody looks is not for a test to say.
    terminal.see_where("more readings and no fault", |screen| {
        screen.contains(" readings") && !screen.contains(" 2 readings") && !screen.contains("503")
    });
}

#[test]
fn it_follows_a_file_that_is_written_again() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("heap.pb");
    let name = file.to_str().unwrap();
    let Some(terminal) = Terminal::start(150, 30, &[], &["live", "--every", "100ms", name]) else { return };
    terminal.see("No such file or directory (os error 2); trying again every 100ms");
    fs::write(&file, profile(0).to_pprof()).unwrap();
    terminal.see("the same profile as before");
    let half = profile(1).to_pprof();
    fs::write(&file, &half[..half.len() / 2]).unwrap();
    let screen = terminal.see("heap.pb: byte");
    assert!(screen.contains("shop::cart::Cart::add"), "{screen}");
    fs::write(&file, half).unwrap();
    terminal.see("after 14.5 s");
}

#[test]
fn a_terminal_is_given_back_when_the_program_is_ended() {
    for (signal, code) in [("TERM", 128 + 15), ("INT", 128 + 2), ("HUP", 128 + 1)] {
        let server = served();
        let Some(terminal) = Terminal::start(90, 30, &[], &["live", &server.url]) else { return };
        terminal.see("shop::main");
        terminal.kill(signal);
        terminal.see(&format!("ended with {code}"));
        terminal.is_restored();
    }
    let server = served();
    let Some(terminal) = Terminal::start(90, 30, &[], &["live", &server.url]) else { return };
    terminal.see("shop::main");
    terminal.press(&["/", "C-c"]);
    terminal.see("ended with 0");
    terminal.is_restored();
}

#[test]
fn it_ends_with_its_terminal() {
    let server = served();
    let Some(terminal) = Terminal::start(90, 30, &[], &["live", &server.url]) else { return };
    terminal.see("shop::main");
    terminal.close();
}

#[test]
fn there_are_colours_unless_they_are_not_wanted() {
    let has_colours = |variables: &[&str]| {
        let server = served();
        let terminal = Terminal::start(90, 30, variables, &["live", &server.url])?;
        terminal.see("shop::main");
        // The foreground colours of the palette.
        let text = terminal.screen_with_colours();
        Some(
            (30..=37).chain(90..=97).any(|colour| text.contains(&format!("\u{1b}[{colour}m")))
                || text.contains("[38;"),
        )
    };
    let Some(coloured) = has_colours(&[]) else { return };
    assert!(coloured);
    assert_eq!(has_colours(&["NO_COLOR=1"]), Some(false));
}

#[test]
fn without_a_terminal_it_is_wrong_usage() {
    let complaint = |arguments: &[&str]| {
        let output = Command::new(ALLOMETER).args(arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(
        complaint(&["live", "http://localhost:1/heap"]),
        "allometer: live draws on a terminal, and standard output is none\n"
    );
    assert_eq!(
        complaint(&["live", "-"]),
        "allometer: standard input cannot be read again: name a file or a URL\n"
    );
    assert!(complaint(&["live", "heap.pb", "--every", "1ms"]).contains("expected between 100ms and 24h"));
}
