use allometer_contract::Values;

use crate::{
    program::{OVER_ITS_OWN, OVER_MIMALLOC, Program},
    push::{Push, allocated_in_a_row},
    receiver::{Answer, Receiver},
};

/// The agent's answers to a server that is well, over an allocator.
fn arrives(program: &str, provider: &str) {
    let receiver = Receiver::answering(&[Answer::Status(200)]);
    let mut ledger = Program::start(program, &receiver.url());
    ledger.order("enter 100");
    ledger.order("check 50");
    let mut pushes = receiver.until(|push| push.entries().live_bytes == 100_000);
    ledger.order("check 7 for acme");
    ledger.order("enter 30");
    // What is live is live in each report, not only in that of its interval.
    pushes.extend(receiver.until(|push| push.entries().live_bytes == 130_000));
    pushes.extend(receiver.until(|push| push.entries() == Values::new((0, 0), (130, 130_000))));
    ledger.order("clear");
    ledger.order("enter 3");
    ledger.order("stop agent");
    let log = ledger.end();
    pushes.extend(receiver.rest());

    assert_eq!(log, "");
    assert_eq!(allocated_in_a_row(&pushes), (190, 190_000));
    let last = pushes.last().unwrap();
    assert_eq!((last.entries().live_objects, last.entries().live_bytes), (3, 3000));
    let tagged: Values =
        pushes.iter().map(|push| push.profile.at_with_tag("ledger::entry", Some("acme"))).sum();
    assert_eq!(tagged, Values::new((7, 7000), (0, 0)));
    for push in &pushes {
        is_well_addressed(push);
        assert_eq!(push.metadata.provider.as_deref(), Some(provider));
        assert_eq!((push.metadata.sample_interval, push.profile.period()), (1, 1));
    }
}

fn is_well_addressed(push: &Push) {
    let label = |name: &str| push.labels.get(name).map(String::as_str);
    assert_eq!(label("__name__"), Some("memory"));
    assert_eq!(label("service_name"), Some("ledger"));
    assert_eq!(label("__delta__"), Some("false"));
    assert_eq!((label("region"), label("stage")), (Some("eu"), Some("test")));
    assert_eq!(push.header("content-type"), "application/proto");
    assert_eq!(push.header("content-encoding"), "gzip");
    // scribe:secret
    assert_eq!(push.header("authorization"), "Basic c2NyaWJlOnNlY3JldA==");
    assert_eq!(push.header("x-scope-orgid"), "acme");
}

#[test]
fn everything_arrives_exactly() {
    arrives(OVER_MIMALLOC, "mimalloc");
}

#[test]
fn everything_arrives_over_any_allocator() {
    arrives(OVER_ITS_OWN, "by hand");
}
