//! The models of what has no locks, whether they see the orders of memory that the code asks for, and larger
//! scenarios.
//!
//! | module | owns |
//! |---|---|
//! | `place` | a place where an order is asked for, by a name that survives edits |
//! | `program` | the compiled models, and a run of some of them |
//! | `unseen` | the places whose order no model needs, as `docs/models.md` lists them |

mod place;
mod program;
mod unseen;

use std::{collections::BTreeMap, fmt};

use self::{
    place::Place,
    program::{LOOM, Model, Program, SHUTTLE},
};
use crate::{beside, error::Error, workspace::Workspace};

/// Models that are run beside each other.
const THREADS: usize = 2;
/// Most executions of a model that planted mistakes are put to: what only larger ones meet takes too long.
const PLANTED: u64 = 8000;

/// Runs all models; with `--planted` also once for each place where an order stronger than the weakest is asked
/// for, with the weakest in its place: then some model has to fail.
///
/// # Errors
///
/// A model that fails; a mistake that none sees, or that is listed as such and is seen.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let with_mistakes = match arguments {
        [] => false,
        [word] if word == "--planted" => true,
        _ => return Err(Error::Usage("models takes nothing, or --planted".into())),
    };
    println!("{}", check(workspace, with_mistakes)?);
    Ok(())
}

/// The same; answers what was done in one line.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn check(workspace: &Workspace, with_mistakes: bool) -> Result<String, Error> {
    let program = Program::build(workspace, LOOM)?;
    let models = run_all(&program)?;
    let schedules = run_all(&Program::build(workspace, SHUTTLE)?)?;
    let mut done = format!("loom: {}, shuttle: {}", counted(&models), counted(&schedules));
    if with_mistakes {
        done = format!("{done}, {}", check_mistakes(workspace, &program, &models)?);
    }
    Ok(done)
}

/// The models without the larger scenarios, which take as long to compile and see less.
///
/// # Errors
///
/// A model that fails.
pub(crate) fn quick(workspace: &Workspace) -> Result<String, Error> {
    Ok(format!("loom: {}", counted(&run_all(&Program::build(workspace, LOOM)?)?)))
}

/// Runs every model of a program, and says of each how many executions it had.
fn run_all(program: &Program) -> Result<Vec<Model>, Error> {
    let models = program.run_all()?;
    models.iter().for_each(|model| println!("{:>8} {}", model.executions, model.name));
    Ok(models)
}

fn counted(models: &[Model]) -> String {
    let executions: u64 = models.iter().map(|model| model.executions).sum();
    format!("{executions} executions of {} models", models.len())
}

/// What became of one weakened order.
enum Outcome {
    CaughtBy(String),
    Missed,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CaughtBy(model) => write!(f, "caught by {model}"),
            Self::Missed => f.write_str("not caught"),
        }
    }
}

fn check_mistakes(workspace: &Workspace, program: &Program, models: &[Model]) -> Result<String, Error> {
    let places = place::named(workspace, models)?;
    let unseen = unseen::listed(workspace)?;
    let outcomes = plant(program, &places, models)?;
    let mut faults = Vec::new();
    for (name, outcome) in &outcomes {
        match (outcome, unseen.contains(name)) {
            (Outcome::CaughtBy(_), false) | (Outcome::Missed, true) => {}
            (Outcome::CaughtBy(model), true) => {
                faults.push(format!("{name} is listed as unseen, and caught by {model}"));
            }
            (Outcome::Missed, false) => faults.push(format!("{name} is caught by no model")),
        }
    }
    let met = |name: &&String| !outcomes.contains_key(*name);
    faults.extend(unseen.iter().filter(met).map(|name| format!("{name} is listed as unseen, and not there")));
    let caught = outcomes.values().filter(|outcome| matches!(outcome, Outcome::CaughtBy(_))).count();
    let done = format!(
        "{caught} of {} planted mistakes caught, {} listed as ones that no model needs to see",
        outcomes.len(),
        unseen.len()
    );
    if faults.is_empty() { Ok(done) } else { Err(Error::Models(faults)) }
}

/// Weakens each place, and runs the models that met it, those with few executions first, until one fails.
fn plant(program: &Program, places: &[Place], models: &[Model]) -> Result<BTreeMap<String, Outcome>, Error> {
    let outcomes = beside::each(THREADS, places, |place| {
        let outcome = plant_one(program, place, models)?;
        println!("{}: {outcome}", place.name);
        Ok((place.name.clone(), outcome))
    })?;
    Ok(outcomes.into_iter().collect())
}

fn plant_one(program: &Program, place: &Place, models: &[Model]) -> Result<Outcome, Error> {
    let meets = |model: &&Model| model.places.contains(&place.location) && model.executions <= PLANTED;
    let mut met: Vec<&Model> = models.iter().filter(meets).collect();
    met.sort_by_key(|model| model.executions);
    for model in met {
        if program.fails(&model.name, &place.location)? {
            return Ok(Outcome::CaughtBy(model.name.clone()));
        }
    }
    Ok(Outcome::Missed)
}
