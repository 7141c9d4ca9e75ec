use crate::{
    program::{OVER_MIMALLOC, Program},
    push::allocated_in_a_row,
    receiver::{Answer, Receiver},
};

#[test]
fn a_server_takes_its_time_and_the_program_works() {
    let receiver = Receiver::answering(&[Answer::Hold, Answer::Status(200)]);
    let mut ledger = Program::start(OVER_MIMALLOC, &receiver.url());
    let mut pushes = vec![receiver.next()];
    // The first one is held: all of this is done without its answer.
    for _ in 0..100 {
        ledger.order("check 1000");
    }
    receiver.release();
    pushes.push(receiver.next());
    ledger.order("enter 100");
    ledger.order("stop agent");
    ledger.end();
    pushes.extend(receiver.rest());
    assert_eq!(allocated_in_a_row(&pushes), (100_100, 100_100_000));
    assert_eq!(pushes.last().unwrap().entries().live_objects, 100);
}

/// Two requests in a row are held for longer than the agent waits, meanwhile its queue of ten fills.
#[test]
fn while_a_server_holds_its_answer_the_program_works() {
    let receiver = Receiver::answering(&[Answer::Hold, Answer::Hold, Answer::Status(200)]);
    let mut ledger = Program::start(OVER_MIMALLOC, &receiver.url());
    let mut pushes = vec![receiver.next()];
    // The first one is held, and nobody lets it go: to its end.
    for _ in 0..100 {
        ledger.order("check 1000");
    }
    for _ in 0..2 {
        // Once the agent has given up the one before.
        pushes.push(receiver.next());
        ledger.order("enter 100");
    }
    ledger.order("stop agent");
    let log = ledger.end();
    pushes.extend(receiver.rest());
    assert_eq!(allocated_in_a_row(&pushes), (100_200, 100_200_000));
    assert_eq!(pushes.last().unwrap().entries().live_objects, 200);
    assert_eq!(log.matches("Failed to send session").count(), 2, "{log}");
}

#[test]
fn an_agent_ends_though_its_server_hangs() {
    let receiver = Receiver::answering(&[Answer::Hold]);
    let mut ledger = Program::start(OVER_MIMALLOC, &receiver.url());
    ledger.order("enter 10");
    let mut pushes = vec![receiver.next()];
    ledger.order("stop agent");
    ledger.order("check 10");
    let log = ledger.end();
    pushes.extend(receiver.rest());
    assert_eq!(allocated_in_a_row(&pushes), (10, 10_000));
    assert_eq!(log.matches("Failed to send session").count(), pushes.len(), "{log}");
}

#[test]
fn a_program_ends_though_its_agent_waits() {
    let receiver = Receiver::answering(&[Answer::Hold]);
    let mut ledger = Program::start(OVER_MIMALLOC, &receiver.url());
    receiver.next();
    assert_eq!(ledger.end(), "");
}
