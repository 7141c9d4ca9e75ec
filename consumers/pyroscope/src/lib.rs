//! A ledger, with its heap profiled for Pyroscope: `mimalloc URL` does what lines on its standard input say, and answers
//! each with `done`.
//!
//! | line | what |
//! |---|---|
//! | `enter N` | N entries, which are kept |
//! | `check N` | N entries, one after the other, which are not |
//! | `check N for NAME` | the same, under a tag |
//! | `clear` | forgets all entries |
//! | `stop profiler` | ends the session |
//! | `stop agent` | stops the agent and waits for its end |
//!
//! With the end of its input it ends, whatever the agent is doing.

mod ledger;
mod order;
mod profiling;

use std::{
    env,
    error::Error,
    io::{self, Write},
};

use ledger::Ledger;
use order::Order;
use profiling::Profiling;

/// What each of the programs does, over its own allocator.
///
/// # Errors
///
/// There is no URL; profiling cannot start or stop; a line that is not understood.
pub fn run() -> Result<(), Box<dyn Error>> {
    env_logger::Builder::new().filter_level(log::LevelFilter::Warn).init();
    let url = env::args().nth(1).ok_or("no URL: expected that of a Pyroscope")?;
    let mut profiling = Profiling::start(&url)?;
    let mut ledger = Ledger::default();
    for line in io::stdin().lines() {
        match line?.parse()? {
            Order::Enter(entries) => ledger.enter(entries),
            Order::Check { entries, name } => {
                let _tagged = name.map(|name| allometer::tag(&name));
                ledger.check(entries);
            }
            Order::Clear => ledger.clear(),
            Order::StopProfiler => profiling.stop_profiler(),
            Order::StopAgent => profiling.stop_agent()?,
        }
        println!("done");
        io::stdout().flush()?;
    }
    Ok(())
}
