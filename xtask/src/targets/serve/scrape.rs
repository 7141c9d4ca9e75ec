//! Scrapers that take differences of what is cumulative, as Alloy and Parca do.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use crate::{
    error::Error,
    targets::{
        line::Figure,
        serve::{
            client::{Client, allocated},
            served::Served,
        },
    },
    workspace::Workspace,
};

/// How often each of them scrapes: Alloy does each 15 seconds. How often makes no difference to what is cumulative.
const SCRAPERS: [Duration; 2] = [Duration::from_millis(900), Duration::from_millis(1300)];
const SCRAPES: usize = 8;
/// How often one may find the server busy, and how long it waits then.
const TRIES: usize = 200;
const BUSY: Duration = Duration::from_millis(20);
/// What the program allocates all the time.
const WORK: &str = "served::block";
const BLOCK_BYTES: f64 = 1000.0;

/// Blocks of the program's own count before and after a scrape, and as that has them.
struct Scrape {
    before: f64,
    objects: f64,
    bytes: f64,
    after: f64,
    /// The session's age, in seconds.
    at: f64,
}

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let mut served = Served::start(workspace, "interval:1", &[])?;
    served.tell("work")?;
    let client = served.client.clone();
    let served = Mutex::new(served);
    let count = || -> Result<f64, Error> {
        let mut served = served.lock().unwrap_or_else(PoisonError::into_inner);
        let said = served.child.ask("count")?;
        said.parse().map_err(|_| served.child.fault(&format!("it counts {said:?}")))
    };
    let is_over = AtomicBool::new(false);
    let (scrapes, spans) = thread::scope(|scope| {
        let third = scope.spawn(|| spans(&client, &is_over));
        let two = SCRAPERS.map(|every| {
            scope.spawn({
                let (client, count) = (&client, &count);
                move || scrapes(client, count, every)
            })
        });
        let two = two.map(|thread| thread.join().unwrap_or(Err(Error::Interrupted)));
        is_over.store(true, Relaxed);
        (two, third.join().unwrap_or(Err(Error::Interrupted)))
    });
    let spans = spans?;
    let mut said = Vec::new();
    for scrapes in scrapes {
        match rates(&scrapes?) {
            Ok(text) => said.push(text),
            Err(fault) => return Ok(Figure::of(false, fault)),
        }
    }
    Ok(Figure::of(spans > 0, format!("{}; {spans} spans beside them", said.join("; "))))
}

fn scrapes(
    client: &Client,
    count: impl Fn() -> Result<f64, Error>,
    every: Duration,
) -> Result<Vec<Scrape>, Error> {
    let mut scrapes = Vec::new();
    let mut tries = 0;
    while scrapes.len() < SCRAPES {
        let before = count()?;
        let profile = match client.profile("/debug/pprof/allocs") {
            Ok(profile) => profile,
            Err(error) if tries == TRIES => return Err(error),
            // The other one may be served just now: Alloy would come again at its next time.
            Err(_) => {
                tries += 1;
                thread::sleep(BUSY);
                continue;
            }
        };
        let amount = allocated(&profile, WORK);
        let (objects, bytes) = (amount.objects.value, amount.bytes.value);
        scrapes.push(Scrape {
            before,
            objects,
            bytes,
            after: count()?,
            at: profile.metadata.elapsed.as_secs_f64(),
        });
        thread::sleep(every);
    }
    Ok(scrapes)
}

/// What is wrong with the rates, or what they are.
fn rates(scrapes: &[Scrape]) -> Result<String, String> {
    for scrape in scrapes {
        let Scrape { before, objects, bytes, after, .. } = *scrape;
        // One that is made is counted a moment later.
        if !(before..=after + 1.0).contains(&objects) || bytes != objects * BLOCK_BYTES {
            return Err(format!(
                "{objects} objects and {bytes} bytes, where the program counted {before} to {after}"
            ));
        }
    }
    let (Some(first), Some(last)) = (scrapes.first(), scrapes.last()) else {
        return Err("no scrape".to_owned());
    };
    let rates =
        scrapes.windows(2).map(|pair| (pair[1].bytes - pair[0].bytes) / (pair[1].at - pair[0].at) / 1e6);
    let (least, most) =
        rates.fold((f64::MAX, 0.0_f64), |(least, most), rate| (least.min(rate), most.max(rate)));
    if least <= 0.0 {
        return Err(format!("a rate of {least} MB/s"));
    }
    let objects = last.objects - first.objects;
    Ok(format!(
        "{} scrapes, {least:.1} to {most:.1} MB/s, {objects} objects, each scrape within what the program counted",
        scrapes.len()
    ))
}

/// Asks for spans until it is over; answers how many there were.
fn spans(client: &Client, is_over: &AtomicBool) -> Result<usize, Error> {
    let mut spans = 0;
    while !is_over.load(Relaxed) {
        let Ok(profile) = client.profile("/debug/pprof/heap?seconds=1") else { continue };
        let amount = allocated(&profile, WORK);
        if amount.objects.value <= 0.0 || !profile.metadata.is_interval {
            return Err(Error::reader("heap?seconds=1", format!("{amount:?} in a second of work")));
        }
        spans += 1;
    }
    Ok(spans)
}
