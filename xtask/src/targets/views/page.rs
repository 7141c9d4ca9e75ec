//! The page, in a browser: `xtask/views/page.mjs` looks at it, and holds it against what the command line says.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    error::Error,
    targets::{
        line::Figure,
        looked,
        scripts::Scripts,
        views::{profiles, program::Program, wide},
    },
    workspace::Workspace,
};

/// How many functions have to be the first ones, as `top` has them.
const FIRST: &str = "8";
/// How many things the script looks at: fewer are too few.
const CHECKS: usize = 53;

/// A page, and what is known of its profile.
struct Subject<'a> {
    name: &'a str,
    /// Earlier, and later.
    files: [PathBuf; 2],
    title: &'a str,
    search: &'a str,
    losses: Value,
    /// Freed objects of the first function and of all, where they are known.
    lifetimes: Value,
    evil: Value,
    sites: usize,
}

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let program = Program::build(workspace)?;
    let pages = profiles::directory(workspace, "pages")?;
    let pictures = profiles::directory(workspace, "pictures")?;
    let all = u64::from(wide::SITES);
    let demo = profiles::demo(workspace)?;
    let sites = program.json(&["info"], &[&demo[1]])?["stacks"].as_u64().unwrap_or(0) as usize;
    let subjects = [
        Subject {
            name: "demo",
            files: demo,
            title: "The demo",
            search: "punctuated",
            losses: json!([]),
            lifetimes: Value::Null,
            evil: Value::Null,
            sites,
        },
        Subject {
            name: "wide",
            files: profiles::wide(&pages)?,
            title: wide::EVIL,
            // Of those that are called, none has a pixel.
            search: "caller1",
            losses: json!([wide::EVIL]),
            // What number `n` freed is n + 1 objects, and the first function has two numbers.
            lifetimes: json!({ "first": 1 + all / 2 + 1, "all": all * (all + 1) / 2 }),
            evil: json!(wide::EVIL),
            sites: wide::SITES as usize,
        },
    ];
    let descriptions = subjects.iter().map(|subject| subject.describe(&program, &pages));
    let descriptions = descriptions.collect::<Result<Vec<_>, _>>()?;
    let scripts = Scripts::install(workspace, &[])?;
    looked::figure(scripts.script("views/page.mjs").arg(pictures).args(descriptions), CHECKS)
}

impl Subject<'_> {
    /// Writes the page, and a description for the script.
    fn describe(&self, program: &Program, directory: &Path) -> Result<PathBuf, Error> {
        let [before, after] = &self.files;
        let path = |end: &str| directory.join(format!("{}{end}", self.name));
        let html = path(".html");
        program.write(
            &["report", "--title", self.title, "--before", &before.to_string_lossy()],
            &[after],
            &html,
        )?;
        let folded = |figure: &str| {
            let to = path(&format!("-{figure}.folded"));
            program.write(&["folded", "--type", figure], &[after], &to).map(|()| to)
        };
        let description = json!({
            "name": self.name,
            "html": html,
            "search": self.search,
            "totals": program.text(&["top"], &[after])?.lines().next(),
            "losses": self.losses,
            "folded": { "live bytes": folded("live")?, "allocated bytes": folded("allocated")? },
            "top": { "live": top(program, "live", after)?, "allocated": top(program, "allocated", after)? },
            "lifetimes": self.lifetimes,
            "diff": {
                "function": diff(program, "function", before, after)?,
                "stack": diff(program, "stack", before, after)?,
            },
            "evil": self.evil,
            "sites": self.sites,
        });
        let to = path(".json");
        match fs::write(&to, description.to_string()) {
            Ok(()) => Ok(to),
            Err(source) => Err(Error::Write { path: to, source }),
        }
    }
}

/// The functions that are first.
fn top(program: &Program, by: &str, profile: &Path) -> Result<Value, Error> {
    let top = program.json(&["top", "-n", FIRST, "--sort", by], &[profile])?;
    let functions = top["functions"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(functions.iter().map(|row| row["function"].clone()).collect())
}

/// What changed, and how much more did.
fn diff(program: &Program, by: &str, before: &Path, after: &Path) -> Result<Value, Error> {
    let diff = program.json(&["diff", "--by", by], &[before, after])?;
    Ok(json!({ "rows": diff["rows"], "hidden": diff["hidden"]["rows"] }))
}
