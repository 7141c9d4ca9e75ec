//! M1: what is there before anything is asked for.

use std::fs;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
    },
};

/// Bytes of static memory that is written to, and of each thread's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Statics {
    process: u64,
    thread: u64,
}

/// By the program's symbols: those of the crates that are measured.
pub(super) fn measure(bench: &Bench) -> Result<Figure, Error> {
    let path = bench.path(Program::Profiled);
    let file = fs::read(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
    let statics = Statics::read(&file).map_err(|source| Error::Object { path, source })?;
    let Statics { process, thread } = statics;
    // A sampler without either would be one whose symbols are called otherwise.
    let ok = (1..=64 << 10).contains(&process) && (1..=128).contains(&thread);
    Ok(Figure::of(ok, format!("{process} B, {thread} B a thread")))
}

impl Statics {
    fn read(file: &[u8]) -> Result<Self, object::Error> {
        let object = object::File::parse(file)?;
        let mut statics = Self::default();
        for symbol in object.symbols() {
            let Some(section) = symbol.section_index() else { continue };
            if !is_ours(symbol.name()?) {
                continue;
            }
            match object.section_by_index(section)?.kind() {
                SectionKind::Data | SectionKind::UninitializedData => statics.process += symbol.size(),
                SectionKind::Tls | SectionKind::UninitializedTls => statics.thread += symbol.size(),
                _ => {}
            }
        }
        Ok(statics)
    }
}

/// Whether a mangled name is of a crate that a profiled program has, and not of the bench's own.
fn is_ours(name: &str) -> bool {
    let name = rustc_demangle::demangle(name).to_string();
    let path = name.trim_start_matches('<');
    let is_bench =
        ["allometer_subject::", "allometer_workloads::"].iter().any(|start| path.starts_with(start));
    path.starts_with("allometer") && !is_bench
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_told_apart() {
        assert!(is_ours("_ZN14allometer_core7process7PROCESS17hb203e3b43487e55bE"));
        assert!(!is_ours("_ZN19allometer_workloads5block5block17h95c5f87bd453f413E"));
        assert!(!is_ours("malloc"));
    }

    #[test]
    fn this_program_holds_none() {
        let file = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(Statics::read(&file).unwrap(), Statics::default());
    }
}
