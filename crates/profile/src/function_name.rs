/// The demangled name of a function, as a path: `alloc::vec::push<u8>`, `<app::Key as core::fmt::Debug>::fmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FunctionName<'name>(&'name str);

/// What may stand before the path of a type.
const BEFORE_A_PATH: [&str; 8] = ["<", "&", "[", "(", "*", "mut ", "const ", "dyn "];
const AS: &str = " as ";

impl<'name> FunctionName<'name> {
    pub(crate) fn new(name: &'name str) -> Self {
        Self(name)
    }

    /// The crate that it is of: for a trait's method that of the type, or of the trait where the type is a parameter.
    /// Empty where there is none: functions of C, markers, code without a name.
    pub(crate) fn crate_name(self) -> &'name str {
        let path = without_any(self.0, &BEFORE_A_PATH);
        let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
        let (first, rest) = path.split_at(end);
        match rest.strip_prefix(AS) {
            Some(of_a_trait) => Self(of_a_trait).crate_name(),
            None if rest.starts_with("::") => first,
            None => "",
        }
    }

    /// The last part of the path without its parameters: `push`, `fmt`.
    pub(crate) fn last(self) -> &'name str {
        let mut depth = 0_usize;
        let (mut start, mut end) = (0, self.0.len());
        let mut start_before = 0;
        let mut before = ' ';
        for (at, letter) in self.0.char_indices() {
            match letter {
                '<' => {
                    depth += 1;
                    if depth == 1 && at > start {
                        end = at;
                    } else if depth == 1 && at > 0 {
                        // The parameters come after another `::`.
                        (start, end) = (start_before, at.saturating_sub(2));
                    }
                }
                // That of `->` closes nothing.
                '>' if before != '-' => depth = depth.saturating_sub(1),
                ':' if depth == 0 && before == ':' => {
                    start_before = start;
                    (start, end) = (at + 1, self.0.len());
                }
                _ => {}
            }
            before = letter;
        }
        self.0.get(start..end).unwrap_or(self.0)
    }

    /// Whether it is of the standard library.
    pub(crate) fn is_of_std(self) -> bool {
        ["alloc", "core", "std"].contains(&self.crate_name())
    }

    /// The path from the crate on, where the name begins with a type that of the type.
    pub(crate) fn path(self) -> &'name str {
        without_any(self.0, &BEFORE_A_PATH)
    }
}

fn without_any<'text>(mut text: &'text str, prefixes: &[&str]) -> &'text str {
    while let Some(rest) = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_crate_and_a_last_part() {
        for (name, expected) in [
            ("app::main", ("app", "main")),
            ("alloc::vec::push<u8, alloc::alloc::Global>", ("alloc", "push")),
            ("<alloc::vec::Vec<T,A> as core::clone::Clone>::clone", ("alloc", "clone")),
            ("<&mut [app::Key] as core::fmt::Debug>::fmt", ("app", "fmt")),
            ("<T as alloc::slice::<impl [T]>::to_vec_in::ConvertVec>::to_vec", ("alloc", "to_vec")),
            ("<F as core::future::future::Future>::poll", ("core", "poll")),
            ("core::ops::function::FnOnce::call_once{{vtable.shim}}", ("core", "call_once{{vtable.shim}}")),
            ("app::apply::<fn(u8) -> app::Key>", ("app", "apply")),
            ("app::apply<fn(u8) -> app::Key>::inner", ("app", "inner")),
            ("app::run::{{closure}}", ("app", "{{closure}}")),
            ("malloc", ("", "malloc")),
            ("libc.so.6+0x12", ("", "libc.so.6+0x12")),
            ("[truncated]", ("", "[truncated]")),
            ("<", ("", "<")),
            ("a<>>::b", ("", "b")),
            ("", ("", "")),
        ] {
            let name = FunctionName::new(name);
            assert_eq!((name.crate_name(), name.last()), expected, "{name:?}");
        }
        assert!(FunctionName::new("<&str as core::fmt::Debug>::fmt").is_of_std());
        assert!(!FunctionName::new("alloc_counter::f").is_of_std());
    }
}
