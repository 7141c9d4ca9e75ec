use allometer_profile::Loss;

use crate::frames::printable;
use crate::quantity::{bytes, count, objects};

/// What the samples do not contain, for a line of text: `live objects beyond the bound: 3 events, 194 objects, 193.5 KiB`.
pub(crate) fn describe(loss: &Loss) -> String {
    let Loss { what, events, amount } = loss;
    let events =
        if *events == 1 { "1 event".to_owned() } else { format!("{} events", count(*events as f64)) };
    let (objects, bytes) = (objects(amount.objects.value), bytes(amount.bytes.value));
    format!("{}: {events}, {objects}, {bytes}", printable(what))
}
