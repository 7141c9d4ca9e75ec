//! What a session takes of memory for live samples.

use crate::{
    block::{Block, block},
    resident::resident,
    subject::{Answer, Session, Subject},
};

/// Size of an object, in bytes.
const SIZE: usize = 16;
/// From how many objects on the memory is told.
const FIRST: u64 = 1000;
/// It is told each time their number has grown by one part in so many.
const STEP: u64 = 100;

/// Allocates `n` objects and holds them; tells the memory at the start, at each of many numbers of objects from
/// a thousand on, when all are freed, and after the stop.
pub(crate) fn load(n: u64, session: Session, subject: &mut dyn Subject) -> Answer<()> {
    // The room for the objects and the figures is taken, and written to, before the session.
    let mut objects: Vec<Block> = Vec::new();
    objects.resize_with(n as usize, || block(0));
    let mut figures = vec![(u64::MAX, u64::MAX); 2000];
    figures.clear();
    figures.push((0, resident()?));
    subject.start(session)?;
    let mut next = FIRST;
    for (number, slot) in (1..).zip(&mut objects) {
        *slot = block(SIZE);
        if number == next || number == n {
            figures.push((number, resident()?));
            next = number + number / STEP;
        }
    }
    objects.iter_mut().for_each(|slot| *slot = block(0));
    let freed = resident()?;
    subject.stop();
    let stopped = resident()?;
    for (number, bytes) in figures {
        println!("resident {number} {bytes}");
    }
    println!("freed {freed}\nstopped {stopped}");
    Ok(())
}
