use object::{Object, ObjectSymbol, ReadRef, SymbolKind};

/// The symbol that covers each of `addresses` (sorted, without repetitions), in the same order.
///
/// One pass over the table and no index of it: the addresses of a profile are few, the symbols of a large
/// program are many. The dynamic symbols are only looked at for what the full table does not have, as a
/// stripped library has no other.
pub(super) fn find<'data, R: ReadRef<'data>>(
    object: &object::File<'data, R>,
    addresses: &[u64],
) -> Vec<Option<&'data str>> {
    let mut found = vec![None; addresses.len()];
    take_from(object.symbols(), addresses, &mut found);
    if found.contains(&None) {
        take_from(object.dynamic_symbols(), addresses, &mut found);
    }
    found.into_iter().map(|best| best.map(|best: Covering| best.name)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Covering<'data> {
    start: u64,
    global: bool,
    name: &'data str,
}

/// Symbols without a size cover nothing: a missing name is better than that of a neighbour.
fn take_from<'data, S: ObjectSymbol<'data>>(
    symbols: impl Iterator<Item = S>,
    addresses: &[u64],
    found: &mut [Option<Covering<'data>>],
) {
    for symbol in symbols.filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition()) {
        let start = symbol.address();
        let end = start.saturating_add(symbol.size());
        let first = addresses.partition_point(|&address| address < start);
        let covered = addresses.iter().skip(first).take_while(|&&address| address < end).count();
        if covered == 0 {
            continue;
        }
        let Ok(name) = symbol.name() else { continue };
        let candidate = Covering { start, global: symbol.is_global(), name };
        for best in found.iter_mut().skip(first).take(covered) {
            if best.is_none_or(|best| best.is_worse_than(candidate)) {
                *best = Some(candidate);
            }
        }
    }
}

impl Covering<'_> {
    /// The symbol that starts last is the most precise; of several names for one start the public one is meant.
    fn is_worse_than(&self, other: Covering<'_>) -> bool {
        (self.start, self.global) < (other.start, other.global)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefers_the_later_start_and_the_public_name() {
        let covering = |start, global| Covering { start, global, name: "" };
        assert!(covering(1, true).is_worse_than(covering(2, false)));
        assert!(covering(2, false).is_worse_than(covering(2, true)));
        assert!(!covering(2, true).is_worse_than(covering(2, true)));
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    #[test]
    fn finds_functions_of_this_program() {
        let bias = crate::mappings::read()[0].bias;
        let data = std::fs::read("/proc/self/exe").unwrap();
        let object = object::File::parse(&*data).unwrap();
        let mut addresses =
            [find_one as *const () as u64 - bias, finds_functions_of_this_program as *const () as u64 - bias];
        let own = addresses[0];
        addresses.sort_unstable();
        let names = find(&object, &addresses);
        let position = addresses.iter().position(|&address| address == own).unwrap();
        assert!(names[position].unwrap().contains("find_one"));
        assert!(names[1 - position].unwrap().contains("finds_functions_of_this_program"));
        assert_eq!(find_one(&object, u64::MAX), None);
    }

    #[inline(never)]
    fn find_one<'data>(object: &object::File<'data>, address: u64) -> Option<&'data str> {
        find(object, &[address])[0]
    }
}
