//! What kills profiled programs: tried over every provider, and on the structures by themselves.

use crate::{
    error::Error,
    targets::{
        consumers::{Asked, SURVIVAL},
        table::Table,
    },
    workspace::Workspace,
};

/// Measures the group: the quick form and all lines unless told otherwise.
pub(super) fn table(workspace: &Workspace, asked: &Asked) -> Result<Table, Error> {
    let mut table = Table::default();
    SURVIVAL.add_to(&mut table, workspace, asked)?;
    Ok(table)
}
