use crate::{Mapping, Profile, SymbolsFound};

/// The file of the mapping for what is in no module: markers, and code of which nothing is known. No reader looks
/// for symbols of a name in brackets.
const PATH: &str = "[no module]";

/// A mapping for what is in none, since some readers look every location's mapping up, and end where there is none.
/// It is the last one of a file, and in no profile.
pub(super) fn mapping() -> Mapping {
    let symbols = SymbolsFound { functions: true, ..SymbolsFound::default() };
    Mapping { path: PATH.to_owned(), symbols, ..Mapping::default() }
}

/// Takes it away from a profile that was read, as often as it is there: what is left is written and read as the same.
pub(super) fn take_away(profile: &mut Profile) {
    while profile.mappings.pop_if(|last| *last == mapping()).is_some() {}
    let len = profile.mappings.len();
    for location in &mut profile.locations {
        location.mapping = location.mapping.filter(|index| (index.0 as usize) < len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Location, MappingIndex};

    #[test]
    fn it_is_taken_away_from_the_end() {
        let other = Mapping { limit: 1, ..mapping() };
        let location =
            |index: Option<u32>| Location { mapping: index.map(MappingIndex), ..Location::default() };
        let mut profile = Profile {
            mappings: vec![mapping(), other.clone(), mapping(), mapping()],
            locations: [None, Some(0), Some(1), Some(2), Some(3)].map(location).into(),
            ..Profile::default()
        };
        take_away(&mut profile);
        assert_eq!(profile.mappings, [mapping(), other]);
        let left = [None, Some(0), Some(1), None, None].map(location);
        assert_eq!(profile.locations, left);
    }
}
