//! The terminal while it shows a screen.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::{DefaultTerminal, Frame};

use crate::error::Error;

/// A terminal that shows a screen of its own, and is as it was once this is dropped, or after a panic or a signal.
pub(super) struct Terminal {
    terminal: DefaultTerminal,
    /// Held by who writes to the terminal.
    pen: Arc<Mutex<()>>,
}

impl Terminal {
    pub(super) fn enter() -> Result<Self, Error> {
        let pen = Arc::default();
        #[cfg(unix)]
        end_on_signals(Arc::clone(&pen)).map_err(broken)?;
        match ratatui::try_init() {
            Ok(terminal) => Ok(Self { terminal, pen }),
            Err(error) => {
                // It may have got half of the way.
                let _ = ratatui::try_restore();
                Err(broken(error))
            }
        }
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<(), Error> {
        let _pen = self.pen.lock().unwrap_or_else(PoisonError::into_inner);
        self.terminal.draw(draw).map(drop).map_err(broken)
    }

    /// The key that was pressed, if one is within so long.
    pub(super) fn key(&self, wait: Duration) -> Result<Option<KeyEvent>, Error> {
        let event = match event::poll(wait) {
            Ok(false) => None,
            Ok(true) => Some(event::read().map_err(broken)?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            Err(error) => return Err(broken(error)),
        };
        Ok(match event {
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => Some(key),
            // Of another size, it is drawn anew.
            _ => None,
        })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing back.
        let _ = ratatui::try_restore();
        let _ = self.terminal.show_cursor();
    }
}

/// Gives the terminal back at a signal that ends the program, and ends as if nobody had heard it, so that whoever sent it sees
/// that.
///
/// From a thread of its own, which does not wait for who reads keys: of a terminal that is gone, crossterm 0.29 reads the end
/// again and again, and never comes back.
#[cfg(unix)]
fn end_on_signals(pen: Arc<Mutex<()>>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    // What the keys of a terminal end a program with comes as keys.
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let end = move || {
        for signal in signals.forever() {
            let _pen = pen.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = ratatui::try_restore();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(end).map(drop)
}

fn broken(source: io::Error) -> Error {
    Error::Terminal { source }
}
