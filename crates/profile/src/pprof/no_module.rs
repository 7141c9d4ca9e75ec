use crate::{Mapping, MappingIndex, Profile, SymbolsFound};

/// The file of the mapping for what is in no module: markers, and code of which nothing is known. None looks for
/// symbols of a name in brackets.
const PATH: &str = "[no module]";

/// A mapping for what is in none, since some readers look every location's mapping up, and end where there is none.
/// It is the last one of a file, and in no profile.
pub(super) fn mapping() -> Mapping {
    let symbols = SymbolsFound { functions: true, ..SymbolsFound::default() };
    Mapping { path: PATH.to_owned(), symbols, ..Mapping::default() }
}

/// Takes it away from a profile that was read.
pub(super) fn take_away(profile: &mut Profile) {
    if profile.mappings.pop_if(|last| *last == mapping()).is_none() {
        return;
    }
    let index = Some(MappingIndex(profile.mappings.len() as u32));
    let inside = profile.locations.iter_mut().filter(|location| location.mapping == index);
    inside.for_each(|location| location.mapping = None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    #[test]
    fn only_the_last_mapping_is_taken_away() {
        let other = Mapping { limit: 1, ..mapping() };
        let locations: Vec<Location> = [None, Some(0), Some(1)]
            .map(|index| Location { mapping: index.map(MappingIndex), ..Location::default() })
            .into();
        let mut profile =
            Profile { mappings: vec![other.clone(), mapping()], locations, ..Profile::default() };
        take_away(&mut profile);
        take_away(&mut profile);
        assert_eq!(profile.mappings, [other]);
        assert!(profile.locations.iter().map(|location| location.mapping).eq([
            None,
            Some(MappingIndex(0)),
            None
        ]));
    }
}
