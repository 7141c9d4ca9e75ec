use super::{
    tests::{modules, table},
    *,
};
use crate::sync::{Model, together};
use std::sync::Arc;

/// A table, and modules that stay.
struct Place {
    table: LateModules,
    modules: [Found; 3],
}

impl Place {
    fn new() -> Option<Arc<Self>> {
        Some(Arc::new(Self { table: table(MAX_MODULES), modules: modules()? }))
    }

    fn code(&self, n: usize) -> Code {
        // SAFETY: it stays.
        unsafe { self.table.code(&self.modules[n]) }.0
    }

    /// Which module a number stands for.
    fn module(&self, number: usize) -> Option<usize> {
        let record = self.table.record(number)?;
        // SAFETY: they stay.
        let is_it = |module: &Found| unsafe { module.bias() as u64 == record.bias };
        Some(self.modules.iter().position(is_it).unwrap())
    }

    fn find_own(&self, n: usize) -> Code {
        let code = self.code(n);
        assert!(matches!(code, Code::Late(number) if self.module(number) == Some(n)), "{code:?}");
        code
    }
}

#[test]
fn two_that_add_a_module_at_once_get_one_number() {
    Model::check(|| {
        let Some(place) = Place::new() else { return };
        let [one, other] = together(&place, [|place| place.find_own(0), |place| place.find_own(0)]);
        assert_eq!([one, other], [place.code(0); 2]);
        // What the slower one had written is not used again.
        let used = place.table.used.load(Relaxed);
        assert_eq!(place.code(1) == Code::Unknown, used == 2);
    });
}

#[test]
fn two_modules_of_one_chain_are_both_found() {
    Model::check(|| {
        let Some(place) = Place::new() else { return };
        let [one, other] = together(&place, [|place| place.find_own(0), |place| place.find_own(1)]);
        assert_ne!(one, other);
        assert_eq!([one, other], [place.code(0), place.code(1)]);
        assert_eq!(place.code(2), Code::Unknown, "there is no room for it");
    });
}

#[test]
fn the_last_room_goes_to_one() {
    Model::check(|| {
        let Some(place) = Place::new() else { return };
        place.find_own(0);
        let codes = together(&place, [|place| place.code(1), |place| place.code(2)]);
        assert!(
            [[Code::Late(1), Code::Unknown], [Code::Unknown, Code::Late(1)]].contains(&codes),
            "{codes:?}"
        );
        assert_eq!(codes, [place.code(1), place.code(2)]);
    });
}

#[test]
fn who_reads_a_number_finds_the_module_whole() {
    Model::check(|| {
        let Some(place) = Place::new() else { return };
        let add = |place: &Place| [0, 1].map(|n| place.find_own(n));
        let read = |place: &Place| {
            let seen = [1, 0].map(|number| place.module(number));
            assert!(seen[0].is_none_or(|n| n == 1) && seen[1].is_none_or(|n| n == 0), "{seen:?}");
            [Code::Unknown; 2]
        };
        together(&place, [add, read]);
        assert_eq!(place.module(0), Some(0));
    });
}

#[test]
fn a_reader_beside_two_that_add_sees_what_is_written() {
    Model::check(|| {
        let Some(place) = Place::new() else { return };
        let read = |place: &Place| {
            let _ = place.module(0);
            place.code(1)
        };
        let codes = together(&place, [|place| place.code(0), |place| place.code(1), read]);
        let known = codes.iter().filter(|code| matches!(code, Code::Late(_)));
        assert!(known.count() >= 1 && codes[0] != codes[1], "{codes:?}");
    });
}
