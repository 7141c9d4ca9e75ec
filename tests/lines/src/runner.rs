//! A group as a test program: `[X3 ..] [--full]`.

use std::{
    env,
    process::{Command, exit},
    time::Duration,
};

use crate::{Form, Line, Outcome, Part, Verdict};

/// Names the one part that a process is to measure, by its line's number and its own name; without it the process
/// starts one for each.
const PART: &str = "ALLOMETER_PART";

/// How long the process of a part may take. Generous: it tells a hang from slow work, on any machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// In the quick form.
    pub quick: Duration,
    /// In the full form.
    pub full: Duration,
}

/// Measures those of `lines` that the command line names, or all; prints a row for each, and ends the process: with
/// success if all are ok.
///
/// It is the whole `main` of a test without the standard harness. A row is
/// `LINE <number> | <target> | <ok, SHORT or elsewhere> | <measured> | <what must be the same over all providers>`.
pub fn run<S>(lines: &[Line<S>], subject: &S, limits: Limits) -> ! {
    let numbers: Vec<&str> = lines.iter().map(|line| line.number).collect();
    let order = match Order::read(env::args().skip(1), &numbers) {
        Ok(order) => order,
        Err(error) => {
            eprintln!("{error}");
            exit(2)
        }
    };
    if let Ok(wanted) = env::var(PART) {
        let mut parts = lines.iter().flat_map(|line| {
            let parts = (line.parts)(subject).iter();
            parts.map(|part| (name(line, part), part))
        });
        let (_, part) = parts.find(|(name, _)| *name == wanted).expect("a part of this group");
        println!("{}", (part.run)(subject, order.form).part());
        exit(0)
    }
    let limit = order.form.pick(limits.quick, limits.full);
    let mut all_ok = true;
    for line in lines.iter().filter(|line| order.wants(line.number)) {
        let parts = (line.parts)(subject);
        let nothing = if parts.is_empty() { Outcome::elsewhere() } else { Outcome::new() };
        let outcome = parts.iter().fold(nothing, |outcome, part| {
            outcome.and(part.name, in_own_process(&name(line, part), order.form, limit))
        });
        let row = outcome.row(line.number, line.target);
        all_ok &= !row.contains("| SHORT |");
        println!("{row}");
    }
    exit(if all_ok { 0 } else { 1 })
}

fn name<S>(line: &Line<S>, part: &Part<S>) -> String {
    format!("{} {}", line.number, part.name)
}

/// What the command line asks for.
struct Order {
    /// Empty: all.
    numbers: Vec<String>,
    form: Form,
}

impl Order {
    fn read(arguments: impl Iterator<Item = String>, numbers: &[&str]) -> Result<Self, String> {
        let mut order = Self { numbers: Vec::new(), form: Form::Quick };
        for argument in arguments {
            match argument.as_str() {
                "--full" => order.form = Form::Full,
                number if numbers.contains(&number) => order.numbers.push(argument),
                other => return Err(format!("no line is called {other:?}; the one option is --full")),
            }
        }
        Ok(order)
    }

    fn wants(&self, line: &str) -> bool {
        self.numbers.is_empty() || self.numbers.iter().any(|number| number == line)
    }
}

/// What a process of its own measures for a part.
fn in_own_process(part: &str, form: Form, limit: Duration) -> Outcome {
    let mut command = match env::current_exe() {
        Ok(program) => Command::new(program),
        Err(error) => return Outcome::failed(format!("this program cannot be found: {error}")),
    };
    command.env(PART, part);
    if form == Form::Full {
        command.arg("--full");
    }
    match allometer_contract::output(command, limit) {
        Ok(text) => {
            let outcome = Outcome::read_part(&text);
            let outcome = outcome.unwrap_or_else(|| Outcome::failed("it ended without a result"));
            if outcome.verdict == Verdict::Short {
                eprintln!("{part} is short:\n{text}");
            }
            outcome
        }
        Err(error) => {
            eprintln!("{part}: {error}");
            Outcome::failed(error.lines().next().unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(arguments: &[&str]) -> Result<Order, String> {
        Order::read(arguments.iter().map(|&argument| argument.to_owned()), &["X1", "X3"])
    }

    #[test]
    fn a_command_line_names_lines_and_a_form() {
        let of = order(&["X3", "--full"]).unwrap();
        assert!(of.form == Form::Full && of.wants("X3") && !of.wants("X1"));
        let all = order(&[]).unwrap();
        assert!(all.form == Form::Quick && all.wants("X1") && all.wants("X3"));
        assert!(order(&["X99"]).is_err_and(|error| error.contains("X99")));
    }
}
