use allometer_contract::Values;

use crate::{
    program::{OVER_MIMALLOC, Program},
    push::allocated_in_a_row,
    receiver::{Answer, Receiver},
};

/// The agent would end at an error of a report, and its stop would then wait for ever.
#[test]
fn an_agent_outlives_its_session() {
    let receiver = Receiver::answering(&[Answer::Status(200)]);
    let mut ledger = Program::start(OVER_MIMALLOC, &receiver.url());
    ledger.order("enter 10");
    let before = receiver.until(|push| push.entries().live_objects == 10);
    assert_eq!(allocated_in_a_row(&before), (10, 10_000));
    ledger.order("stop profiler");
    let mut after = receiver.until(|push| push.metadata.start.is_none());
    let mut empty = after.split_off(after.len() - 1);
    ledger.order("enter 10");
    empty.push(receiver.next());
    ledger.order("stop agent");
    let log = ledger.end();
    empty.extend(receiver.rest());
    assert!(empty.len() >= 3, "{}", empty.len());
    for push in &empty {
        assert_eq!(push.profile.total(), Values::default());
    }
    let warning = "the heap of this interval is reported as empty: the session is not active";
    assert_eq!(log.matches(warning).count(), empty.len(), "{log}");
}
