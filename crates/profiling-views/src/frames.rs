use std::borrow::Cow;

use allometer_profile::{Location, Profile, Sample, is_of_std};

/// What a stack without frames is called.
pub(crate) const EMPTY_STACK: &str = "[empty stack]";

/// The names of the functions of a stack, leaf first, inlined ones included. Never empty.
pub(crate) fn leaf_first<'profile>(
    profile: &'profile Profile,
    sample: &'profile Sample,
) -> Vec<Cow<'profile, str>> {
    let mut names = Vec::new();
    for location in sample.stack.iter().filter_map(|&index| profile.location(index)) {
        let before = names.len();
        let functions = location.lines.iter().filter_map(|line| profile.function(line.function));
        names.extend(functions.map(|function| printable(&function.name)));
        if names.len() == before {
            names.push(Cow::Owned(unnamed(profile, location)));
        }
    }
    if names.is_empty() {
        names.push(Cow::Borrowed(EMPTY_STACK));
    }
    names
}

/// The position of the function that a stack's memory belongs to: the innermost one that is not of the standard library,
/// since nearly every stack ends in the same few functions of that; of nothing else, the leaf.
pub(crate) fn owner(leaf_first: &[impl AsRef<str>]) -> usize {
    leaf_first.iter().position(|name| !is_of_std(name.as_ref())).unwrap_or(0)
}

/// The name of a place of which no function is known, as profiles of other programs have them.
pub(crate) fn unnamed(profile: &Profile, location: &Location) -> String {
    let Some(address) = location.address else { return "[unknown]".to_owned() };
    let address = address.lookup().get();
    match location.mapping.and_then(|index| profile.mapping(index)) {
        Some(mapping) => {
            let module = mapping.path.rsplit('/').next().unwrap_or_default();
            format!("{}+{:#x}", printable(module), address.wrapping_sub(mapping.start))
        }
        None => format!("{address:#x}"),
    }
}

/// The text with its control characters escaped: names come from files and go to terminals.
///
/// ```
/// assert_eq!(allometer_views::printable("red\u{1b}[31m"), "red\\u{1b}[31m");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let escape = |letter: char| match letter.is_control() {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    Cow::Owned(text.chars().map(escape).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{Function, FunctionIndex, Line, LocationIndex, ReturnAddress};

    fn function(name: &str) -> Function {
        Function { name: name.to_owned(), ..Function::default() }
    }

    fn location(functions: &[u32]) -> Location {
        let line = |&function| Line { function: FunctionIndex(function), line: 1 };
        let address = Some(ReturnAddress::new(0x2001));
        Location { address, mapping: None, lines: functions.iter().map(line).collect() }
    }

    fn names(stack: &[u32]) -> Vec<String> {
        let profile = Profile {
            functions: vec![function("inlined"), function("outer"), function("red\u{1b}[31m\n")],
            locations: vec![location(&[0, 1]), location(&[2]), location(&[]), location(&[9])],
            ..Profile::default()
        };
        let stack = stack.iter().map(|&index| LocationIndex(index)).collect();
        let sample = Sample { stack, ..Sample::default() };
        leaf_first(&profile, &sample).into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn inlined_functions_come_first() {
        assert_eq!(names(&[0, 1]), ["inlined", "outer", r"red\u{1b}[31m\n"]);
    }

    #[test]
    fn there_is_always_a_name() {
        assert_eq!(names(&[]), ["[empty stack]"]);
        assert_eq!(names(&[2, 3]), ["0x2000", "0x2000"]);
        assert_eq!(names(&[77]), ["[empty stack]"]);
    }
}
