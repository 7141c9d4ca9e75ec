use super::*;
use crate::sync::{Model, together};
use std::sync::Arc;

/// Names that come into one chain of two.
const ALIKE: [&str; 2] = ["a", "c"];

#[test]
fn the_names_are_alike() {
    let [one, other] = ALIKE.map(|name| hash(name) & 1);
    assert_eq!(one, other);
}

#[test]
fn two_that_name_a_tag_at_once_get_one() {
    Model::check(|| {
        let once = Arc::new(NamesOnce::new());
        let name = |once: &NamesOnce| {
            let names = once.get().unwrap();
            let tag = names.intern("a");
            assert_eq!(names.name(tag), "a");
            tag
        };
        let [one, other] = together(&once, [name, name]);
        assert!(one == other && one != Tag::OTHERS);
    });
}

#[test]
fn two_names_of_one_chain_are_both_found() {
    fn name(once: &NamesOnce, names: [&str; 2]) -> [Tag; 2] {
        let table = once.get().unwrap();
        names.map(|name| {
            let tag = table.intern(name);
            assert_eq!(table.name(tag), name);
            tag
        })
    }
    Model::check(|| {
        let once = Arc::new(NamesOnce::new());
        once.get().unwrap();
        let [[one], [other]] =
            together(&once, [|once| [name(once, [ALIKE[0]; 2])[1]], |once| [name(once, [ALIKE[1]; 2])[1]]]);
        assert!(one != other && name(&once, ALIKE) == [one, other]);
    });
}
