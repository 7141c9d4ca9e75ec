use crate::{Error, Place, Table};

/// From the ids of a table to positions in it. Sorted, since a stranger could choose ids that all meet in one place
/// of a hash table.
pub(super) struct Positions {
    table: Table,
    by_id: Vec<(u64, u32)>,
}

impl Positions {
    pub(super) fn of(table: Table, ids: impl ExactSizeIterator<Item = u64>) -> Result<Self, Error> {
        let (len, max) = (ids.len(), u32::MAX as usize);
        if len > max {
            return Err(Error::TooMany { table, len, max });
        }
        let mut by_id: Vec<(u64, u32)> = ids.zip(0..).collect();
        if let Some(zero) = by_id.iter().position(|&(id, _)| id == 0) {
            return Err(Error::ZeroId { table, position: zero });
        }
        by_id.sort_unstable();
        match by_id.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(Error::DuplicateId { table, id: pair[0].0 }),
            None => Ok(Self { table, by_id }),
        }
    }

    pub(super) fn find(&self, id: u64, place: Place) -> Result<u32, Error> {
        // Where ids are dense, as most writers make them, each stands at its own place.
        let near = usize::try_from(id).ok().and_then(|id| self.by_id.get(id.wrapping_sub(1)));
        if let Some(&(_, position)) = near.filter(|&&(other, _)| other == id) {
            return Ok(position);
        }
        let found = self.by_id.binary_search_by_key(&id, |&(id, _)| id).ok();
        let position = found.and_then(|found| self.by_id.get(found)).map(|&(_, position)| position);
        position.ok_or(Error::NoSuchId { place, table: self.table, id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_need_not_be_in_order() {
        let ids = [9, u64::MAX, 1, 2, 3, 7];
        let positions = Positions::of(Table::Location, ids.into_iter()).unwrap();
        for (id, position) in ids.into_iter().zip(0..) {
            assert_eq!(positions.find(id, Place::Header).unwrap(), position);
        }
        assert!([0, 4, 6, 8, u64::MAX - 1].iter().all(|id| positions.find(*id, Place::Header).is_err()));
    }
}
