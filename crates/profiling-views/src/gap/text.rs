use std::fmt;

use super::Gap;
use crate::quantity::{bytes, bytes_with_error, percent};

impl fmt::Display for Gap {
    /// A line for each part, and one below for what it means; without a title.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let (title, size) = (row.part.title(), bytes_with_error(row.bytes));
            let share = percent(row.bytes.value, self.total as f64);
            writeln!(f, "  {title:<34}{size:>18} {share:>7}")?;
            writeln!(f, "    {}", row.meaning())?;
        }
        let title = if self.is_resident { "in memory" } else { "the allocator's" };
        writeln!(f, "  {title:<34}{:>18}", bytes(self.total as f64))?;
        if let Some(ratio) = self.fragmentation {
            writeln!(f, "  pages in use are {ratio:.2} times what is in blocks")?;
        }
        if let Some(retained) = self.retained.filter(|&retained| retained > 0) {
            writeln!(
                f,
                "  {} more of addresses are kept, with no memory behind them",
                bytes(retained as f64)
            )?;
        }
        Ok(())
    }
}
