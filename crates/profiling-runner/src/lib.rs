//! Reports that a program writes by itself: heap profiles in a directory, when its memory moves, by the clock, on
//! request, and at the end. `docs/reports.md` tells when, what, and how to read a listing of them.
//!
//! ```no_run
//! use allometer_core::{Config, Profiler};
//! use allometer_runner::Runner;
//!
//! let profiler = Profiler::start(Config::default())?;
//! let runner = Runner::start(profiler.reader(), "reports")?;
//! // … the program works …
//! runner.request(); // a report now, as well
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | owns |
//! |---|---|
//! | `runner`, `builder` | [`Runner`]: start, ask, stop |
//! | `init`, `words` | what the environment asks for: [`init`] |
//! | `settings` | when, what, how long: [`Settings`] |
//! | `attendant` | the thread: looks, writes, sleeps |
//! | `back_off` | how long what failed waits |
//! | `orders`, `wake` | what it is asked for, and how it is woken |
//! | `signals`, `at_exit` | who else asks: signals, the program's exit |
//! | `watch`, `crossing` | whether there is something to report |
//! | `measurements` | what the program's memory is like |
//! | `author`, `text`, `picture` | what stands in the files |
//! | `giant_report` | the same for giant requests |
//! | `giant_file`, `left_log`, `heir` | logs of giant requests that ended processes left, and who reports them |
//! | `archive` | the reports of one program in one place |
//! | `directory` | the directory, and whom it lets in |
//! | `written_report`, `temporary_name` | all files of a report, or none |
//! | `retention`, `stored_reports` | which reports stay |
//! | `event`, `listener`, `error`, `caught` | who is told what was done or failed |

mod archive;
mod at_exit;
mod attendant;
mod author;
mod back_off;
mod builder;
mod caught;
mod crossing;
mod directory;
mod error;
mod event;
mod giant_file;
mod giant_report;
mod heir;
mod init;
mod left_log;
mod listener;
mod measurements;
mod orders;
mod picture;
mod retention;
mod runner;
mod settings;
mod signals;
mod stored_reports;
mod temporary_name;
mod text;
mod wake;
mod watch;
mod words;
mod written_report;

pub use allometer_views::{ProgramName, ReportFile, ReportFormat, ReportName, ReportReason};
pub use builder::Builder;
pub use error::Error;
pub use event::Event;
pub use init::{Started, init};
pub use runner::Runner;
pub use settings::Settings;
