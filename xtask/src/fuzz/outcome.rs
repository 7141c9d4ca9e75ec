use std::fmt;

/// What libFuzzer says of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    executions: u64,
    /// Edges of the program that an input reached.
    edges: u64,
    /// Most memory, in MiB, the sanitizer's included.
    peak: u64,
    /// Empty when the run ended without a crash.
    pub(super) complaint: String,
}

/// A target that does less than this is none.
const FEWEST_EXECUTIONS: u64 = 100;
/// Lines of a crash that are shown.
const SHOWN: usize = 40;

impl Outcome {
    pub(super) fn of(success: bool, said: &str) -> Self {
        let after = |mark: &str| {
            let at = said.rfind(mark)? + mark.len();
            said.get(at..)?.split_whitespace().next()?.parse().ok()
        };
        let number = |mark| after(mark).unwrap_or_default();
        let executions = number("stat::number_of_executed_units:");
        let complaint = match success {
            true if executions >= FEWEST_EXECUTIONS => String::new(),
            true => format!("it hardly ran: {executions} executions"),
            false => crash(said),
        };
        Self { executions, edges: number(" cov: "), peak: number("stat::peak_rss_mb:"), complaint }
    }

    pub(super) fn is_good(&self) -> bool {
        self.complaint.is_empty()
    }
}

/// What was found, and where the input is.
fn crash(said: &str) -> String {
    let found = said.lines().skip_while(|line| !is_complaint(line)).take(SHOWN);
    let written = said.lines().filter(|line| line.contains("Test unit written to"));
    let lines: Vec<&str> = found.chain(written).collect();
    if lines.is_empty() { "it ended without a word".to_owned() } else { lines.join("\n") }
}

fn is_complaint(line: &str) -> bool {
    line.contains("panicked at") || line.contains("ERROR:") || line.contains("SUMMARY:")
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executions, edges, peak, .. } = self;
        let crashes = if self.is_good() { "no crash" } else { "CRASHED" };
        write!(f, "{executions:>9} executions  {edges:>5} edges  {peak:>3} MiB  {crashes}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_statistics() {
        let said = "#2 INITED cov: 9 ft: 9\n#99 DONE   cov: 4690 ft: 10817 corp: 9/1b\n\
                    stat::number_of_executed_units: 109022\nstat::average_exec_per_sec:     2659\n\
                    stat::peak_rss_mb:              261\n";
        let outcome = Outcome::of(true, said);
        assert_eq!(outcome.to_string(), "   109022 executions   4690 edges  261 MiB  no crash");
        assert!(outcome.is_good());
    }

    #[test]
    fn a_crash_and_a_target_that_does_nothing_are_complaints() {
        let said = "thread '<unnamed>' panicked at targets/walk.rs:7:\nthe walk goes back\n\
                    Test unit written to ./crash-1\nstat::number_of_executed_units: 500\n";
        let outcome = Outcome::of(false, said);
        assert!(outcome.complaint.contains("goes back") && outcome.complaint.contains("crash-1"));
        assert!(!Outcome::of(true, "stat::number_of_executed_units: 3").is_good());
        assert!(!Outcome::of(true, "").is_good());
    }
}
