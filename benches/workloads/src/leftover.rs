//! What a session leaves of its memory after its end.

use crate::{
    block::Block,
    ladder::{Rung, Twenty},
    resident::resident,
    subject::{Answer, Session, Subject},
};

/// Holds `n` objects of as many stacks in a session, frees them and stops; tells the memory before the start, at
/// the height, and after the stop.
///
/// The program does the same once without a session before, so that what the allocator keeps of it is there.
pub(crate) fn leftover(n: u64, session: Session, subject: &mut dyn Subject) -> Answer<()> {
    let mut objects: Vec<Block> = Vec::with_capacity(n as usize);
    hold(n, &mut objects);
    objects.clear();
    subject.purge();
    println!("before {}", resident()?);
    subject.start(session)?;
    hold(n, &mut objects);
    let totals = subject.totals()?;
    println!("height {}", resident()?);
    objects.clear();
    subject.stop();
    subject.purge();
    println!("after {}", resident()?);
    println!("live_samples {}\nsites {}", totals.live_samples, totals.sites);
    Ok(())
}

#[inline(never)]
fn hold(n: u64, objects: &mut Vec<Block>) {
    for path in 0..n {
        objects.push(Twenty::enter(path));
    }
}
