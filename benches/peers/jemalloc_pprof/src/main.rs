//! The workloads with jemalloc's own profiler, as jemalloc_pprof has it run.

use std::process::ExitCode;

use allometer_workloads::{Answer, Session, Subject, Totals};
use tikv_jemalloc_ctl::raw;
use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOC: Jemalloc = Jemalloc;

/// Compiled in and there, but not active until a session starts.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static CONFIGURATION: &[u8; 48] = b"prof:true,prof_active:false,lg_prof_sample:19  \0";

/// It always follows what it samples.
struct Peer;

impl Subject for Peer {
    fn start(&mut self, session: Session) -> Answer<()> {
        let control = jemalloc_pprof::PROF_CTL.as_ref().ok_or("jemalloc has no profiler")?;
        // SAFETY: jemalloc(3) has `prof.reset` take the logarithm of a new interval, as a size_t.
        unsafe { raw::write(b"prof.reset\0", session.interval.ilog2() as usize)? };
        control.blocking_lock().activate()?;
        Ok(())
    }

    fn totals(&self) -> Answer<Totals> {
        Err("jemalloc tells only in a dump".into())
    }

    fn stop(&mut self) {
        if let Some(control) = jemalloc_pprof::PROF_CTL.as_ref() {
            let _ = control.blocking_lock().deactivate();
        }
    }
}

fn main() -> ExitCode {
    allometer_workloads::run(Peer)
}
