//! The terminal while it shows a screen.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::{DefaultTerminal, Frame};

use crate::error::Error;

/// What ends a program from outside. What the keys of a terminal end it with comes as keys.
#[cfg(unix)]
const ENDS: [i32; 3] =
    [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDS: [i32; 2] = [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT];

/// A terminal that shows a screen of its own, and is as it was once this is dropped, or after a panic.
pub(super) struct Terminal {
    terminal: DefaultTerminal,
    /// The signal that came, or 0.
    signal: Arc<AtomicUsize>,
}

/// What came in.
pub(super) enum Heard {
    Key(KeyEvent),
    /// It shall end, by this signal.
    End(i32),
    Nothing,
}

impl Terminal {
    pub(super) fn enter() -> Result<Self, Error> {
        let signal = Arc::new(AtomicUsize::new(0));
        for end in ENDS {
            signal_hook::flag::register_usize(end, Arc::clone(&signal), end as usize).map_err(broken)?;
        }
        match ratatui::try_init() {
            Ok(terminal) => Ok(Self { terminal, signal }),
            Err(error) => {
                // It may have got half of the way.
                let _ = ratatui::try_restore();
                Err(broken(error))
            }
        }
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<(), Error> {
        self.terminal.draw(draw).map(drop).map_err(broken)
    }

    /// Waits so long at most.
    pub(super) fn hear(&self, wait: Duration) -> Result<Heard, Error> {
        let event = match event::poll(wait) {
            Ok(false) => None,
            Ok(true) => Some(event::read().map_err(broken)?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            Err(error) => return Err(broken(error)),
        };
        let signal = self.signal.load(Ordering::Relaxed);
        Ok(match event {
            _ if signal != 0 => Heard::End(signal as i32),
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => Heard::Key(key),
            // Of another size, it is drawn anew.
            _ => Heard::Nothing,
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

/// Ends as if nobody had heard the signal, so that whoever sent it sees that.
pub(super) fn end_by(signal: i32) -> Result<(), Error> {
    signal_hook::low_level::emulate_default_handler(signal).map_err(broken)
}

fn broken(source: io::Error) -> Error {
    Error::Terminal { source }
}
