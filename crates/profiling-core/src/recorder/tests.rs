//! Sessions that come and go, one after the other.

use super::*;
use crate::{SiteId, live::Entry};

#[test]
fn without_a_session_nothing_is_held() {
    let recorder = Recorder::new();
    assert!(recorder.hold(0).is_none() && recorder.hold(1).is_none());
    // A free that was let through by a filter whose session has ended since.
    recorder.freed(0x1000);
    let config = Config::default().sample_interval(64);
    let (number, owner) = recorder.start(&config, Teller::Hook).unwrap();
    assert!(recorder.hold(number).is_some() && recorder.hold(0).is_none());
    assert!(matches!(recorder.start(&config, Teller::Hook), Err(Error::AlreadyActive)));
    recorder.stop(number, owner);
    recorder.freed(0x1000);
    assert!(recorder.hold(number).is_none());
}

#[test]
fn a_request_is_picked_in_its_session_only() {
    let (recorder, thread) = (Recorder::new(), Thread::new());
    let (number, owner) = recorder.start(&Config::default().sample_interval(1), Teller::Hook).unwrap();
    let epoch = recorder.epoch();
    assert_eq!(epoch.number(), number);
    assert!(thread.charge(epoch, 8) && recorder.pick(&thread, epoch, 8).is_some());
    assert!(thread.charge(epoch, 8) && recorder.pick(&thread, epoch, 8).is_some(), "every request");
    thread.inside(|| assert!(recorder.pick(&thread, epoch, 8).is_none()));
    recorder.stop(number, owner);
    assert!(recorder.pick(&thread, epoch, 8).is_none(), "a hook that comes late");
}

#[test]
fn frees_look_at_the_filter_that_has_grown() {
    let recorder = Recorder::new();
    let (number, owner) = recorder.start(&Config::default(), Teller::Hook).unwrap();
    let word = || recorder.read_by_all.filter.load(Relaxed);
    let first = word();
    let address = |n: usize| 0x7f00_0000_1000 + n * 64;
    let hold = recorder.hold(number).unwrap();
    let live = &hold.tables().live;
    for n in 0..5000 {
        let entry = Entry { site: SiteId::FULL, size: 64, birth: 0, doublings: 0 };
        assert!(live.take_room() && live.insert(address(n), entry));
        if live.is_ahead(0) {
            recorder.follow_table(&hold);
        }
        assert!((0..=n).step_by(500).all(|n| recorder.look(address(n)).may_be_at(address(n))));
    }
    assert_ne!(word(), first);
    assert!((0..5000).all(|n| recorder.look(address(n)).may_be_at(address(n))));
    recorder.stop(number, owner);
    // A hook that is late leaves the word alone.
    (5000..20_000).for_each(|n| {
        let entry = Entry { site: SiteId::FULL, size: 64, birth: 0, doublings: 0 };
        assert!(live.take_room() && live.insert(address(n), entry));
        recorder.follow_table(&hold);
    });
    assert_eq!(word(), FilterWord::NONE.0);
    assert!(recorder.look(address(1)).is_empty());
}
