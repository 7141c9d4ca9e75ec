//! The group as a test program: `[X3 ..] [--full]`.

use std::{
    env,
    process::{Command, exit},
    time::Duration,
};

use allometer_core::SamplingAllocator;
use allometer_provider::{Custom, Provider};

use crate::{
    Scripted,
    line::{Form, Line},
    lines,
    outcome::Outcome,
    subject::Subject,
};

/// Names the one line that a process is to measure; without it the process starts one for each.
const LINE: &str = "ALLOMETER_EXACTNESS_LINE";
/// How a row starts.
const ROW: &str = "LINE ";

/// Measures the lines that the command line names, or all, over the program's global allocator; prints a
/// row for each, and ends the process: with success if all are ok.
///
/// It is the whole `main` of a test without the standard harness. A row is
/// `LINE <number> | <target> | <ok or SHORT> | <measured> | <what must be the same over all providers>`.
pub fn run<A: Provider>(allocator: &'static SamplingAllocator<A>) -> ! {
    measure(Subject::new(allocator, None))
}

/// The same over an allocator that does as it is told, and with the lines that need one.
pub fn run_scripted(allocator: &'static SamplingAllocator<Custom<Scripted>>) -> ! {
    measure(Subject::new(allocator, Some(allocator.provider().get())))
}

fn measure(subject: Subject) -> ! {
    let order = match Order::read(env::args().skip(1)) {
        Ok(order) => order,
        Err(error) => {
            eprintln!("{error}");
            exit(2)
        }
    };
    if let Ok(number) = env::var(LINE) {
        let line = lines::ALL.iter().find(|line| line.number == number).expect("a line of this group");
        println!("{}", (line.run)(&subject, order.form).row(line));
        exit(0)
    }
    let wanted = lines::ALL.iter().filter(|line| order.wants(line));
    let mut all_ok = true;
    for line in wanted {
        let row = in_own_process(line, order.form);
        all_ok &= row.contains("| ok |");
        println!("{row}");
    }
    exit(if all_ok { 0 } else { 1 })
}

/// What the command line asks for.
struct Order {
    /// Empty: all.
    numbers: Vec<String>,
    form: Form,
}

impl Order {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut order = Self { numbers: Vec::new(), form: Form::Quick };
        for argument in arguments {
            match argument.as_str() {
                "--full" => order.form = Form::Full,
                number if lines::ALL.iter().any(|line| line.number == number) => {
                    order.numbers.push(argument);
                }
                other => return Err(format!("no line is called {other:?}; the one option is --full")),
            }
        }
        Ok(order)
    }

    fn wants(&self, line: &Line) -> bool {
        self.numbers.is_empty() || self.numbers.iter().any(|number| number == line.number)
    }
}

/// The row of a line that a process of its own measured.
fn in_own_process(line: &Line, form: Form) -> String {
    let failed = |why: String| Outcome::new().with(false, why).row(line);
    let mut command = match env::current_exe() {
        Ok(program) => Command::new(program),
        Err(error) => return failed(format!("this program cannot be found: {error}")),
    };
    command.env(LINE, line.number);
    if form == Form::Full {
        command.arg("--full");
    }
    // Generous: it tells a hang from slow work, on any machine.
    let limit = Duration::from_secs(form.pick(300, 3 * 3600));
    let text = match allometer_contract::output(command, limit) {
        Ok(text) => text,
        Err(error) => return failed(error),
    };
    let row = text.lines().find(|text| text.starts_with(ROW));
    row.map_or_else(|| failed("it ended without a result".into()), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(arguments: &[&str]) -> Result<Order, String> {
        Order::read(arguments.iter().map(|&argument| argument.to_owned()))
    }

    #[test]
    fn a_command_line_names_lines_and_a_form() {
        let of = order(&["X3", "--full"]).unwrap();
        assert!(of.form == Form::Full && of.wants(&crate::x03_poisson::LINE));
        let all = order(&[]).unwrap();
        assert!(all.form == Form::Quick && lines::ALL.iter().all(|line| all.wants(line)));
        assert!(order(&["X99"]).is_err_and(|error| error.contains("X99")));
    }

    #[test]
    fn numbers_are_in_order_and_name_one_line_each() {
        let numbers = lines::ALL.iter().map(|line| line.number.strip_prefix('X').unwrap().parse::<u32>());
        let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().unwrap();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        assert!(lines::ALL.iter().all(|line| !line.target.is_empty()));
    }
}
