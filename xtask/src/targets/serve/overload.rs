//! More clients than can be served.

use std::{
    collections::BTreeMap,
    io::Read,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use crate::{
    error::Error,
    targets::{
        line::Figure,
        serve::{client::Client, served::Served, taken::Taken},
    },
    workspace::Workspace,
};

pub(super) const CLIENTS: usize = 100;
const REQUESTS: usize = 12;
/// More than have room.
const SLOW_READERS: usize = 40;
/// How often each of them asks for an answer until it has one.
const TRIES: usize = 60;
/// How often a slow reader reads, twice a second: for longer than it is allowed.
const SIPS: usize = 80;
const HALF_OPEN: usize = 20;
/// What the server keeps of answers at most, as `docs/endpoints.md` has it.
const ANSWERS: u64 = 64 << 20;
/// What a profile may take while it is made, 64 connections, and what the allocator keeps of all that.
const ROOM: u64 = 96 << 20;
/// Asks for much: each answer is more than the system keeps of a connection.
const PATH: &str = "/debug/pprof/heap?format=debug";

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let mut served = Served::start(workspace, "interval:1", &[])?;
    served.tell("keep 3000")?;
    // One profile made, with all that it takes.
    let length = served.client.get(PATH)?.body.len();
    let taken = Taken { process: served.child.id() };
    let (resident, files) = (taken.resident()?, taken.files()?);
    let most = AtomicU64::new(resident);
    let statuses = Mutex::new(BTreeMap::<u16, usize>::new());
    let (is_over, cut) = (AtomicBool::new(false), AtomicU64::new(0));
    let client = served.client.clone();
    thread::scope(|scope| -> Result<(), Error> {
        let watch = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                if let Ok(now) = taken.resident() {
                    most.fetch_max(now, Relaxed);
                }
                thread::sleep(Duration::from_millis(5));
            }
        });
        let end = End(&is_over);
        let _half_open = (0..HALF_OPEN)
            .map(|_| client.asking("GET /debug/pprof/heap HTTP/1.1\r\nhost: local"))
            .collect::<Result<Vec<_>, _>>()?;
        let readers: Vec<_> = (0..SLOW_READERS).map(|_| scope.spawn(|| sip(&client, length, &cut))).collect();
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| ask(&client, &statuses))).collect();
        clients.into_iter().for_each(|client| drop(client.join()));
        readers.into_iter().for_each(|reader| drop(reader.join()));
        drop(end);
        let _ = watch.join();
        Ok(())
    })?;
    let statuses = statuses.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (most, cut) = (most.into_inner(), cut.into_inner());
    let after = recovered(&served.client, taken, files)?;
    let grown = most.saturating_sub(resident);
    let expected = [200, 429, 503];
    let are_known = statuses.keys().all(|status| expected.contains(status));
    let some = |status| statuses.get(&status).copied().unwrap_or(0) > 0;
    let is_bounded = grown <= ANSWERS + ROOM;
    let measured = format!(
        "{CLIENTS} clients, {} requests of {:.1} MiB: {statuses:?}; {cut} slow readers cut off; {:.0} MiB more at most, {after}",
        statuses.values().sum::<usize>(),
        length as f64 / 1_048_576.0,
        grown as f64 / 1_048_576.0,
    );
    Ok(Figure::of(are_known && some(429) && cut > 0 && is_bounded, measured))
}

/// Says that it is over, whatever happens.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// A client without patience.
fn ask(client: &Client, statuses: &Mutex<BTreeMap<u16, usize>>) {
    for _ in 0..REQUESTS {
        // Zero for who was not even answered.
        let status = client.get(PATH).map_or(0, |answer| answer.status);
        *statuses.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }
}

/// A client that reads a little now and then; counts those that are cut off before they have read their answer.
fn sip(client: &Client, length: usize, cut: &AtomicU64) {
    let request = format!("GET {PATH} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let mut sip = [0; 512];
    for _ in 0..TRIES {
        let Ok(mut stream) = client.asking(&request) else { continue };
        let is_answer =
            matches!(stream.read(&mut sip), Ok(read) if sip[..read].starts_with(b"HTTP/1.1 200 "));
        if !is_answer {
            thread::sleep(Duration::from_millis(200));
            continue;
        }
        for _ in 0..SIPS {
            thread::sleep(Duration::from_millis(500));
            let _ = stream.read(&mut sip);
        }
        // What the system had of it is still there.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        let read = rest.len() + (SIPS + 1) * sip.len();
        cut.fetch_add(u64::from(read < length), Relaxed);
        return;
    }
}

/// Waits until a client is served again, and connections are closed.
fn recovered(client: &Client, taken: Taken, files: usize) -> Result<String, Error> {
    for tries in 0..600 {
        let status = client.get("/debug/pprof/heap")?.status;
        let open = taken.files()?;
        if status == 200 && open <= files {
            return Ok(format!("all closed and served after {tries} tries"));
        }
        thread::sleep(Duration::from_millis(100));
    }
    Err(Error::reader("the server", format!("{} files are open, {files} were before", taken.files()?)))
}
