use crate::function_name::FunctionName;
use crate::{Profile, Sample};

impl Profile {
    /// Where a sample was allocated, for a line of text: its innermost functions that are not of the standard
    /// library, at most so many of them, with file and line where they are known.
    pub fn place(&self, sample: &Sample, functions: usize) -> String {
        let locations = sample.stack.iter().filter_map(|location| self.location(*location));
        let lines = locations.flat_map(|location| &location.lines);
        let names: Vec<String> = lines
            .filter_map(|line| {
                let function = self.function(line.function)?;
                Some(match function.file.rsplit('/').next() {
                    Some(file) if !file.is_empty() => format!("{} ({file}:{})", function.name, line.line),
                    _ => function.name.clone(),
                })
            })
            .collect();
        let first = names.iter().position(|name| !is_of_std(name)).unwrap_or(0);
        let shown: Vec<&str> = names.iter().skip(first).take(functions).map(String::as_str).collect();
        if shown.is_empty() { "[unknown]".to_owned() } else { shown.join(" < ") }
    }
}

/// Whether a function is of the standard library, to judge by its name: of its crates, or a trait's method for
/// a type of theirs.
pub fn is_of_std(name: &str) -> bool {
    FunctionName::new(name).is_of_std()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, FunctionIndex, Line, Location, LocationIndex};

    #[test]
    fn starts_at_the_program_s_own_functions() {
        let names =
            ["alloc::vec::push", "<alloc::vec::Vec<T> as X>::f", "app::keep", "core::ops::call", "app::main"];
        let functions = names.map(|name| Function { name: name.to_owned(), ..Function::default() }).to_vec();
        let mut profile = Profile { functions, ..Profile::default() };
        profile.functions[2].file = "/src/app.rs".to_owned();
        for function in 0..5 {
            let lines = vec![Line { function: FunctionIndex(function), line: 7 }];
            profile.locations.push(Location { lines, ..Location::default() });
        }
        let place = |locations: &[u32], functions| {
            let stack = locations.iter().copied().map(LocationIndex).collect();
            profile.place(&Sample { stack, ..Sample::default() }, functions)
        };
        assert_eq!(place(&[0, 1, 2, 3, 4], 1), "app::keep (app.rs:7)");
        assert_eq!(place(&[0, 1, 2, 3, 4], 9), "app::keep (app.rs:7) < core::ops::call < app::main");
        assert_eq!(place(&[0, 1], 1), "alloc::vec::push");
        assert_eq!(place(&[], 3), "[unknown]");
    }
}
