//! What mimalloc's hooks cost where nothing uses them.

use crate::{
    error::Error,
    targets::{
        line::Figure,
        native::{instructions, mimalloc::Way},
    },
    workspace::Workspace,
};

/// What is parsed.
const SOURCES: &str = "crates/profile/src";
/// How often.
const TIMES: u64 = 2;
/// The most that they may add, of all instructions.
const LIMIT: f64 = 0.0025;

/// The instructions of a real program, against the same without hooks.
pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let [without, coarse, fine] =
        [Way::WithoutHooks, Way::AsItComes, Way::EachRequest].map(|way| of(workspace, way));
    let without = without?;
    let [coarse, fine] = [coarse? / without - 1.0, fine? / without - 1.0];
    let figure = format!(
        "{:.3} % as it comes, {:.2} % where it looks at each request, of {without:.0} instructions",
        100.0 * coarse,
        100.0 * fine
    );
    Ok(Figure::of(coarse <= LIMIT, figure))
}

/// Those of parsing everything once.
fn of(workspace: &Workspace, way: Way) -> Result<f64, Error> {
    let sources = workspace.path(SOURCES);
    instructions::per_step(workspace, &way.program(workspace, "parse")?, &[&sources.to_string_lossy()], TIMES)
}
