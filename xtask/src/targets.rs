//! The targets: figures that are measured, printed whatever they are, and held against what is asked for.
//!
//! | module | owns |
//! |---|---|
//! | `consumers` | groups that the consumers measure |
//! | `survival` | the one of these with lines of its own |
//! | `cost`, `memory` | the groups that the benches measure, a file for each kind of line |
//! | `readers` | what people see of profiles in other programs |
//! | `views` | what they see of them in ours |
//! | `native` | allocators' own profilers |
//! | `serve` | what a program answers about itself, and what people see of that |
//! | `promise`, `suite`, `looked` | lines that are promises, by tests of this repository, or by what a script found |
//! | `demo` | a real program that both look at |
//! | `scripts` | what looks at pages for both |
//! | `line` | one line of these, and running those that are asked for |
//! | `bench` | a provider's programs: building them, running them |
//! | `peer` | other profilers, to compare with |
//! | `said` | what they say |
//! | `callgrind` | counting instructions |
//! | `row`, `table` | what is printed |

pub(crate) mod bench;
pub(crate) mod callgrind;
mod consumers;
mod cost;
mod demo;
mod line;
mod looked;
mod memory;
mod native;
mod peer;
mod promise;
pub(crate) mod readers;
mod row;
mod said;
mod scripts;
pub(crate) mod serve;
mod suite;
mod survival;
mod table;
pub(crate) mod views;

use crate::{
    error::Error,
    targets::{consumers::Asked, table::Table},
    workspace::Workspace,
};

pub(crate) use callgrind::VALGRIND;
pub(crate) use consumers::{EXACTNESS, SURVIVAL};
pub(crate) use cost::write_hook;
pub(crate) use survival::OF_STRUCTURES;

pub(crate) const COST: &str = "cost";
pub(crate) const MEMORY: &str = "memory";
pub(crate) const NATIVE: &str = "native";
pub(crate) const READERS: &str = "readers";
pub(crate) const SERVE: &str = "serve";
pub(crate) const VIEWS: &str = "views";

/// Measures a group: `<group> [OPTION ..] [LINE ..]`, all lines unless told otherwise.
///
/// # Errors
///
/// [`Error::Targets`] when a line is not ok, after all lines were printed.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let Some((group, rest)) = arguments.split_first() else {
        return Err(Error::Usage("no group of targets".into()));
    };
    let lines = match group.as_str() {
        name if name == EXACTNESS.name => {
            let mut table = Table::default();
            EXACTNESS.add_to(&mut table, workspace, &Asked::read(rest)?)?;
            return held(&table);
        }
        name if name == SURVIVAL.name => return held(&survival::table(workspace, &Asked::read(rest)?)?),
        NATIVE => return held(&promise::table(&native::PROMISES, workspace, rest)?),
        READERS => return held(&readers::table(workspace, rest)?),
        SERVE => return held(&promise::table(&serve::PROMISES, workspace, rest)?),
        VIEWS => return held(&promise::table(&views::PROMISES, workspace, rest)?),
        COST => cost::LINES,
        MEMORY => memory::LINES,
        _ => {
            let groups =
                [EXACTNESS.name, SURVIVAL.name, COST, MEMORY, READERS, VIEWS, SERVE, NATIVE].join(", ");
            return Err(Error::Usage(format!("no group of targets is called {group:?}: there are {groups}")));
        }
    };
    if group == COST && !VALGRIND.ensure()? {
        return Err(Error::Missing(VALGRIND));
    }
    let tables = line::tables(workspace, lines, rest)?;
    if let Some(peers) = tables.peers {
        println!(
            "\nOther profilers on the same work, against the same targets; nothing is held against them:\n{peers}"
        );
    }
    held(&tables.ours)
}

/// Prints a table and holds it against its targets.
fn held(table: &Table) -> Result<(), Error> {
    println!("\n{table}");
    let short = table.not_ok();
    if short.is_empty() { Ok(()) } else { Err(Error::Targets(short)) }
}
