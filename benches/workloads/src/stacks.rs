//! What a session takes of memory for distinct stacks.

use crate::{
    block::free,
    ladder::{Rung, TwentyFour},
    resident::resident,
    subject::{Answer, Session, Subject},
};

/// Allocates a block at the end of each of `n` paths and frees it; tells the memory at the start and, `tellings`
/// times, along the way.
pub(crate) fn stacks(n: u64, tellings: u64, session: Session, subject: &mut dyn Subject) -> Answer<()> {
    // What the process takes once, whoever profiles it.
    descend(0..1);
    println!("resident 0 {}", resident()?);
    subject.start(session)?;
    let at = |telling: u64| n * telling / tellings;
    for telling in 0..tellings {
        descend(at(telling)..at(telling + 1));
        println!("resident {} {}", at(telling + 1), resident()?);
    }
    Ok(())
}

#[inline(never)]
fn descend(paths: std::ops::Range<u64>) {
    for path in paths {
        free(TwentyFour::enter(path));
    }
}
