use allometer_profile::{Amount, Growth};
use serde::Serialize;

use crate::{Basis, Diff, DiffBy, DiffRow, FALSE_DISCOVERY_RATE};

/// The value of `schema` of a comparison.
const SCHEMA: &str = "allometer-diff/1";

/// What changed between two profiles as one JSON object, for programs: the rows of the [`Diff`], with their stacks. Its fields
/// are described in `docs/formats.md`.
pub fn json_diff(diff: &Diff) -> String {
    // As in `json`.
    serde_json::to_string(&Changes::of(diff)).unwrap_or_default()
}

#[derive(Serialize)]
struct Changes<'diff> {
    schema: &'static str,
    basis: &'static str,
    by: &'static str,
    false_discovery_rate: f64,
    total: Total,
    rows: Vec<Row<'diff>>,
    hidden: Hidden,
}

#[derive(Serialize)]
struct Total {
    #[serde(flatten)]
    change: Change,
    p_value: f64,
    is_significant: bool,
}

#[derive(Serialize)]
struct Row<'diff> {
    place: &'diff str,
    stack: &'diff [String],
    before: f64,
    after: f64,
    #[serde(flatten)]
    change: Change,
    p_value: f64,
}

#[derive(Serialize)]
struct Hidden {
    rows: usize,
    #[serde(flatten)]
    change: Change,
}

/// Of the live heap, in bytes and objects.
#[derive(Serialize)]
struct Change {
    growth: f64,
    growth_error: f64,
    objects_growth: f64,
    objects_growth_error: f64,
}

impl Change {
    fn of(growth: &Growth) -> Self {
        let Amount { objects, bytes } = growth.amount;
        Self {
            growth: bytes.value,
            growth_error: bytes.standard_error(),
            objects_growth: objects.value,
            objects_growth_error: objects.standard_error(),
        }
    }
}

impl<'diff> Changes<'diff> {
    fn of(diff: &'diff Diff) -> Self {
        let row = |row: &'diff DiffRow| Row {
            place: &row.place,
            stack: &row.stack,
            before: row.before.bytes.value,
            after: row.after.bytes.value,
            change: Change::of(&row.growth),
            p_value: row.p_value,
        };
        Self {
            schema: SCHEMA,
            basis: match diff.basis {
                Basis::SharedSamples => "shared samples",
                Basis::AssumedIndependent => "assumed independent",
            },
            by: match diff.by {
                DiffBy::Stack => "stack",
                DiffBy::Function => "function",
            },
            false_discovery_rate: FALSE_DISCOVERY_RATE,
            total: Total {
                change: Change::of(&diff.total),
                p_value: diff.total_p_value,
                is_significant: diff.total_p_value <= FALSE_DISCOVERY_RATE,
            },
            rows: diff.rows.iter().map(row).collect(),
            hidden: Hidden { rows: diff.hidden, change: Change::of(&diff.hidden_growth) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{diff, diff::tests::profile};

    #[test]
    fn rows_have_their_stacks_and_the_rest_is_summed_up() {
        let before = profile(Some(7), &[("cache", (0..50).collect())]);
        let after = profile(Some(7), &[("leak", (0..36).collect()), ("cache", (5..52).collect())]);
        let value: serde_json::Value = serde_json::from_str(&json_diff(&diff(&before, &after))).unwrap();
        assert_eq!(value["schema"], "allometer-diff/1");
        assert_eq!(value["basis"], "shared samples");
        let rows = value["rows"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["stack"][0]), (1, &"leak".into()));
        assert_eq!((&rows[0]["place"], &rows[0]["before"]), (&"leak < main".into(), &0.0.into()));
        assert_eq!(rows[0]["growth"], rows[0]["after"]);
        assert_eq!((&value["hidden"]["rows"], &value["hidden"]["growth"]), (&1.into(), &(-3145728.0).into()));
        assert_eq!(value["total"]["is_significant"], true);
        assert!(rows[0]["growth_error"].as_f64().unwrap() > 6e6);
    }
}
