//! A screen that follows a profile: the command `live`.
//!
//! | module | what it is about |
//! |---|---|
//! | `feed` | the thread that reads, again and again |
//! | `change` | what lies between two readings: growth, rate |
//! | `history` | the live heap over time |
//! | `state` | what is on the screen: keys and readings go in |
//! | `screen` | the state as text |
//! | `terminal` | the terminal, given back however it ends |

mod change;
mod feed;
mod history;
mod screen;
mod state;
mod terminal;

pub(crate) use feed::Source;

use std::io::{self, IsTerminal};
use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use crate::error::Error;
use feed::Feed;
use screen::Palette;
use state::State;
use terminal::Terminal;

/// How long a reading waits at most until it is shown.
const WAIT: Duration = Duration::from_millis(50);

/// Follows the profile until somebody ends it.
pub(crate) fn run(source: Source, every: Duration) -> Result<(), Error> {
    if !io::stdout().is_terminal() {
        return Err(Error::Usage("live draws on a terminal, and standard output is none"));
    }
    let mut state = State::new(&source.input.to_string(), every);
    let palette = Palette::of_environment();
    let feed = Feed::start(source, every)?;
    let mut terminal = Terminal::enter()?;
    while !state.is_ending {
        let mut tree_height = 0;
        terminal.draw(|frame| tree_height = screen::draw(frame, &state, palette))?;
        state.drawn(tree_height);
        let was_paused = state.is_paused;
        if let Some(key) = terminal.key(WAIT)? {
            state.press(key);
        }
        loop {
            match feed.next() {
                Ok(reading) => state.receive(reading),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Err(Error::FeedEnded),
            }
        }
        if state.is_paused != was_paused {
            feed.pause(state.is_paused);
        }
    }
    Ok(())
}
