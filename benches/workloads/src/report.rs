//! Reports, and what they take of memory.

use crate::{
    block::Block,
    ladder::{Rung, Twenty},
    subject::{Answer, Subject},
};

/// Holds an object of each of `n` stacks, and has all of that reported `reports` times; tells the length of the
/// last report, and of the same one packed.
pub(crate) fn report(n: u64, reports: u64, subject: &mut dyn Subject) -> Answer<()> {
    let held = hold(n);
    for number in 1..=reports {
        let report = subject.report()?;
        if number == reports {
            println!("report_bytes {}", report.len());
        }
    }
    drop(held);
    Ok(())
}

/// Holds the same, and tells the length of a packed report.
pub(crate) fn packed(n: u64, subject: &mut dyn Subject) -> Answer<()> {
    let held = hold(n);
    println!("packed_bytes {}", subject.packed_report()?.len());
    drop(held);
    Ok(())
}

/// Holds the same, and tells what one report has allocated at most at a time, and what of that stays: with the names
/// that it keeps, and when those are given up.
pub(crate) fn footprint(n: u64, subject: &mut dyn Subject) -> Answer<()> {
    let held = hold(n);
    let (before, _) = subject.allocated()?;
    let report = subject.report()?;
    let length = report.len();
    drop(report);
    let (after, peak) = subject.allocated()?;
    subject.forget_names();
    let (without_names, _) = subject.allocated()?;
    println!("report_bytes {length}\npeak {}", peak.saturating_sub(before));
    println!(
        "kept {}\nkept_without_names {}",
        after.saturating_sub(before),
        without_names.saturating_sub(before)
    );
    drop(held);
    Ok(())
}

#[inline(never)]
fn hold(n: u64) -> Vec<Block> {
    let mut held = Vec::with_capacity(n as usize);
    // Spread by an odd number, so that stacks differ from their innermost frames to their outermost.
    held.extend((0..n).map(|number| Twenty::enter(number.wrapping_mul(0x9e37_79b9))));
    held
}
