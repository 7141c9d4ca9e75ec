//! A server of its own, for programs that have none.

mod address;
mod connection;
mod listener;

use std::{
    io, mem, process,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use allometer_profile::Source;
use tokio::sync::oneshot;

use crate::{Endpoints, Error};
pub use address::Address;
use listener::Listener;

/// Serves endpoints on a thread of its own, until it is dropped.
///
/// At most 64 connections are open at once; who comes then is told so, and sent away. A request has ten seconds to say what it wants,
/// and a client half a minute to read the answer.
#[derive(Debug)]
pub struct Server {
    address: Address,
    /// Dropped to end it.
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Where the thread is: a forked child has none.
    process: u32,
}

/// Serves a session that is only read, or any other source: [`Server::start`] with [`Endpoints::reading`].
///
/// ```no_run
/// use allometer_core::{Config, Profiler};
///
/// let profiler = Profiler::start(Config::default())?;
/// let server = allometer_http::serve("127.0.0.1:6060", profiler.reader())?;
/// println!("http://{}/debug/allometer/", server.address());
/// // … the program works, and `go tool pprof http://127.0.0.1:6060/debug/pprof/heap` looks …
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`Server::start`] and of [`Builder::build`](crate::Builder::build).
pub fn serve(address: &str, source: impl Source + 'static) -> Result<Server, Error> {
    Server::start(address, Endpoints::reading(source).build()?)
}

impl Server {
    /// Starts to serve at `address`: a loopback address with a port such as `127.0.0.1:6060` or `localhost:6060` (0 stands for any that is free), any
    /// other address where the endpoints have a token, or `unix:PATH`, a socket for this user alone. What is left of a socket that nobody listens
    /// at any more is replaced.
    ///
    /// # Errors
    ///
    /// [`Error::Address`], [`Error::Exposed`], [`Error::Listen`], [`Error::Thread`].
    pub fn start(address: &str, endpoints: Endpoints) -> Result<Self, Error> {
        let session = Arc::clone(&endpoints.0.session);
        session.left_out(|| {
            let address: Address = address.parse()?;
            address.check(endpoints.has_token())?;
            let failed = |cause| Error::Listen { address: address.clone(), cause };
            let listener = Listener::bind(&address).map_err(failed)?;
            let bound = listener.address(&address).map_err(failed)?;
            let (end, ended) = oneshot::channel();
            let (started, start) = mpsc::channel();
            let of_thread = Arc::clone(&session);
            let run = move || of_thread.left_out(|| run(listener, endpoints, ended, &started));
            let thread = thread::Builder::new().name("heap-endpoints".to_owned()).spawn(run);
            let thread = thread.map_err(|cause| Error::Thread { cause })?;
            // It says whether there is a runtime before it serves.
            let began = start.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
            began.map_err(|cause| Error::Thread { cause })?;
            Ok(Self { address: bound, end: Some(end), thread: Some(thread), process: process::id() })
        })
    }

    /// Where it listens, with the port that it got.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Ends it: open connections are closed, and a Unix socket is removed. Dropping it does the same.
    pub fn stop(&mut self) {
        let (Some(thread), Some(end)) = (self.thread.take(), self.end.take()) else { return };
        if self.process != process::id() {
            // A child's copy: there is no such thread, and its number may be another one's.
            mem::forget((thread, end));
            return;
        }
        drop(end);
        // If it panicked, that was printed.
        let _ = thread.join();
        self.address.remove();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The life of the thread.
fn run(
    listener: Listener,
    endpoints: Endpoints,
    ended: oneshot::Receiver<()>,
    started: &mpsc::Sender<io::Result<()>>,
) {
    // One thread for all connections, and few for what takes time: one makes a profile, the others say that it does.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(4)
        .thread_name("heap-endpoints")
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(cause) => {
            let _ = started.send(Err(cause));
            return;
        }
    };
    runtime.block_on(async {
        let listener = match listener.into_tokio() {
            Ok(listener) => listener,
            Err(cause) => {
                let _ = started.send(Err(cause));
                return;
            }
        };
        let _ = started.send(Ok(()));
        tokio::select! {
            () = listener.serve(endpoints) => {}
            _ = ended => {}
        }
    });
    // A profile that is being made is not waited for.
    runtime.shutdown_background();
}
