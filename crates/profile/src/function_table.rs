use rustc_hash::FxHashMap;

use crate::symbols::Frame;
use crate::{Function, FunctionIndex, Line, SymbolsFound};

/// The functions of a profile while they are being found: each once, in the order in which they were first met.
#[derive(Default)]
pub(crate) struct FunctionTable {
    functions: Vec<Function>,
    positions: FxHashMap<Function, FunctionIndex>,
}

impl FunctionTable {
    pub(crate) fn add(&mut self, function: Function) -> FunctionIndex {
        if let Some(&index) = self.positions.get(&function) {
            return index;
        }
        let index = self.push(function.clone());
        self.positions.insert(function, index);
        index
    }

    /// Adds a function that is known to be a new one.
    pub(crate) fn push(&mut self, function: Function) -> FunctionIndex {
        // More of them would not fit into memory.
        let index = FunctionIndex(self.functions.len() as u32);
        self.functions.push(function);
        index
    }

    /// The lines of a location, from the functions at its address.
    pub(crate) fn lines(&mut self, frames: &[Frame]) -> Vec<Line> {
        frames.iter().map(|frame| Line { function: self.add(named(frame)), line: frame.line }).collect()
    }

    /// The line of a location that has no function: viewers drop what has none.
    pub(crate) fn line_called(&mut self, name: String) -> Line {
        let function = Function { system_name: name.clone(), name, file: String::new() };
        Line { function: self.add(function), line: 0 }
    }

    pub(crate) fn into_functions(self) -> Vec<Function> {
        self.functions
    }
}

fn named(frame: &Frame) -> Function {
    Function {
        name: frame.name.to_string(),
        system_name: frame.system_name.to_string(),
        file: frame.file.to_string(),
    }
}

/// The name of code of which nothing is known but its place in a file.
pub(crate) fn name_of_offset(module: &str, address: u64) -> String {
    format!("{module}+{address:#x}")
}

impl SymbolsFound {
    /// Notes what was found at an address of the mapping.
    pub(crate) fn add(&mut self, frames: &[Frame]) {
        self.functions |= !frames.is_empty();
        self.files |= frames.iter().any(|frame| !frame.file.is_empty());
        self.lines |= frames.iter().any(|frame| frame.line != 0);
        // Files come from the debug information, which has the inlined functions too.
        self.inlines |= self.files;
    }
}
