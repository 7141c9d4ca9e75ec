use serde::Serialize;

use crate::{Gap, GapRow};

/// Where the memory of a process is.
#[derive(Debug, Serialize)]
pub struct MemoryParts {
    total_bytes: u64,
    is_resident: bool,
    fragmentation: Option<f64>,
    retained_bytes: Option<u64>,
    parts: Vec<Part>,
}

#[derive(Debug, Serialize)]
struct Part {
    part: &'static str,
    title: &'static str,
    bytes: f64,
    bytes_error: f64,
    meaning: &'static str,
}

impl From<Gap> for MemoryParts {
    fn from(gap: Gap) -> Self {
        Self {
            total_bytes: gap.total,
            is_resident: gap.is_resident,
            fragmentation: gap.fragmentation,
            retained_bytes: gap.retained,
            parts: gap.rows.iter().map(Part::from).collect(),
        }
    }
}

impl From<&GapRow> for Part {
    fn from(row: &GapRow) -> Self {
        Self {
            part: row.part.name(),
            title: row.part.title(),
            bytes: row.bytes.value,
            bytes_error: row.bytes.standard_error(),
            meaning: row.meaning(),
        }
    }
}
