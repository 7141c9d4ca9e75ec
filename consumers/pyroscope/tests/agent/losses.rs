use std::net::TcpListener;

use crate::{
    program::{OVER_MIMALLOC, Program},
    push::{Push, allocated_in_a_row},
    receiver::{Answer, Receiver},
};

/// What the agent has brought to a server that answers so, while the program goes on: at least as many reports as there
/// are answers. And what is in the log.
fn brought(answers: &[Answer]) -> (Vec<Push>, String) {
    let receiver = Receiver::answering(answers);
    let mut ledger = Program::start(OVER_MIMALLOC, &receiver.url());
    let mut pushes = Vec::new();
    for _ in answers {
        ledger.order("check 10");
        pushes.push(receiver.next());
    }
    ledger.order("enter 5");
    ledger.order("stop agent");
    let log = ledger.end();
    pushes.extend(receiver.rest());
    (pushes, log)
}

/// What was refused is in no other report, and nothing of what was taken is.
#[test]
fn what_a_server_refuses_is_lost_and_said() {
    let refusals = [401, 429, 500];
    let answers = [200, 401, 200, 429, 500, 200].map(Answer::Status);
    let (pushes, log) = brought(&answers);
    assert_eq!(allocated_in_a_row(&pushes), (65, 65_000));
    assert_eq!(pushes.last().unwrap().entries().live_objects, 5);
    for refusal in refusals {
        assert_eq!(log.matches(&format!("Sending Session failed {refusal}")).count(), 1, "{log}");
    }
    assert_eq!(log.lines().count(), refusals.len(), "{log}");
}

/// On a new connection, and on one that served before.
#[test]
fn what_a_connection_closes_upon_is_lost_and_said() {
    let ok = Answer::Status(200);
    let (pushes, log) = brought(&[Answer::Close, ok, Answer::Close, ok]);
    assert_eq!(allocated_in_a_row(&pushes), (45, 45_000));
    assert_eq!(log.matches("Failed to send session").count(), 2, "{log}");
    assert_eq!(log.lines().count(), 2, "{log}");
}

#[test]
fn without_a_server_the_program_works() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut ledger = Program::start(OVER_MIMALLOC, &format!("http://{nobody}"));
    ledger.order("enter 1000");
    ledger.order("stop agent");
    ledger.order("check 1000");
    let log = ledger.end();
    assert!(log.contains("Failed to send session"), "{log}");
}
