use super::*;
use crate::sync::{Model, together};
use std::sync::Arc;

fn table(max_tags: usize) -> Arc<Admitted<'static>> {
    let mut layout = Layout::default();
    let place = AdmittedPlace::new(&mut layout, max_tags);
    let arena = Reservation::new(layout.bytes()).unwrap();
    // SAFETY: the arena is forgotten below; the place is used once.
    let table = unsafe { place.table(&arena) };
    std::mem::forget(arena);
    Arc::new(table)
}

fn of(tags: &Admitted<'static>, number: u16) -> Option<Tag> {
    tags.of(Tag::of_number(number))
}

#[test]
fn one_tag_takes_one_place() {
    Model::check(|| {
        let tags = table(2);
        let [one, other] = together(&tags, [|tags| of(tags, 2), |tags| of(tags, 2)]);
        assert!(one == Tag::of_number(2) && one == other);
        assert_eq!((tags.len(), of(&tags, 3)), (1, Tag::of_number(3)));
    });
}

#[test]
fn the_last_place_goes_to_one() {
    Model::check(|| {
        let tags = table(1);
        let counted = together(&tags, [|tags| of(tags, 2), |tags| of(tags, 3)]);
        assert_eq!(counted.iter().filter(|tag| **tag == Some(Tag::OTHERS)).count(), 1);
        assert_eq!((tags.len(), tags.refused()), (1, 1));
        assert_eq!([of(&tags, 2), of(&tags, 3)], counted);
    });
}
