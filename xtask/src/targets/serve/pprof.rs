//! `go tool pprof`, which asks the running server.

use std::path::Path;

use crate::{
    error::Error,
    process,
    targets::{
        line::Figure,
        readers::{pprof, shown::Shown, table::Table},
        serve::{DEADLINE, served::Served},
    },
    workspace::Workspace,
};

const TOKEN: &str = "a-token-for-go-tool-pprof";
/// What is kept at one place, and at another.
const LEAKED: u64 = 100 * (32 << 10);

/// Each path, and what else of it: what go is told, where it asks, which figure it has to show first, and a function with how
/// much of that.
struct Asked {
    options: &'static [&'static str],
    path: &'static str,
    kind: &'static str,
    holds: Option<(&'static str, u64)>,
}

const HOLDS: Option<(&str, u64)> = Some(("served::leak", LEAKED));

const ASKED: [Asked; 9] = [
    Asked { options: &[], path: "heap", kind: "inuse_space", holds: HOLDS },
    Asked { options: &[], path: "allocs", kind: "alloc_space", holds: HOLDS },
    Asked {
        options: &["-sample_index=inuse_objects"],
        path: "heap",
        kind: "inuse_objects",
        holds: Some(("served::leak", 100)),
    },
    // As text, without names: it asks the server for those.
    Asked {
        options: &["-sample_index=inuse_space"],
        path: "heap?debug=1",
        kind: "inuse_space",
        holds: HOLDS,
    },
    Asked { options: &[], path: "heap?inlines=expanded", kind: "inuse_space", holds: HOLDS },
    Asked { options: &[], path: "heap?inlines=false&min=100000", kind: "inuse_space", holds: HOLDS },
    Asked {
        options: &[],
        path: "heap?type=alloc_objects",
        kind: "alloc_objects",
        holds: Some(("served::leak", 100)),
    },
    Asked { options: &[], path: "flamegraph?format=pprof", kind: "inuse_space", holds: HOLDS },
    // Nothing was allocated in that second, and what is live is there all the same.
    Asked { options: &["-seconds=1"], path: "heap", kind: "inuse_space", holds: HOLDS },
];

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let mut served = Served::start(workspace, "interval:1", &[&format!("token:{TOKEN}")])?;
    served.tell("leak 100")?;
    served.tell("keep 500")?;
    // As a browser: the token is the password.
    let base = served.client.url("/debug/pprof/").replace("http://", &format!("http://somebody:{TOKEN}@"));
    let ask = |options: &[&str], path: &str| -> Result<String, Error> {
        let url = format!("{base}{path}");
        pprof::print(workspace, &[&["-top"], options].concat(), Path::new(&url))
    };
    for asked in &ASKED {
        let text = ask(asked.options, asked.path)?;
        if let Some(fault) = asked.fault(&text) {
            return Ok(Figure::of(false, format!("{} {}: {fault}", asked.options.join(" "), asked.path)));
        }
    }
    let before =
        served.client.url("/debug/pprof/heap").replace("http://", &format!("http://somebody:{TOKEN}@"));
    let saved = workspace.target().join("serve/before.pb.gz");
    let authorization = format!("Bearer {TOKEN}");
    let body = served.client.get_with("/debug/pprof/heap", &[("authorization", &authorization)])?.body;
    std::fs::create_dir_all(workspace.target().join("serve"))
        .and_then(|()| std::fs::write(&saved, body))
        .map_err(|source| Error::Write { path: saved.clone(), source })?;
    served.tell("leak 50")?;
    let grown = ask(&[&format!("-base={}", saved.display())], "heap")?;
    if let Some(fault) = holds(&grown, "served::leak", LEAKED / 2) {
        return Ok(Figure::of(false, format!("-base: {fault}")));
    }
    let hint = refused(workspace, before.trim_end_matches("/debug/pprof/heap"))?;
    if !hint.contains("heap profiles are at /debug/pprof/heap") {
        return Ok(Figure::of(false, format!("a bare address: it says {hint}")));
    }
    let without = refused(workspace, &served.client.url("/debug/pprof/heap"))?;
    if !without.contains("401") || !without.contains("a token is needed") {
        return Ok(Figure::of(false, format!("without the token: it says {without}")));
    }
    let paths = ASKED.len();
    Ok(Figure::of(
        true,
        format!(
            "{paths} ways to ask, a base, a bare address, no token: each figure to the byte or as go rounds it"
        ),
    ))
}

impl Asked {
    /// What is wrong with what it shows.
    fn fault(&self, text: &str) -> Option<String> {
        let kind = text.lines().find_map(|line| line.strip_prefix("Type: ")).unwrap_or_default();
        if kind != self.kind {
            return Some(format!("it shows {kind} first, not {}", self.kind));
        }
        let (function, wanted) = self.holds?;
        holds(text, function, wanted)
    }
}

fn holds(text: &str, function: &str, wanted: u64) -> Option<String> {
    let table = match Table::parse(text) {
        Ok(table) => table,
        Err(fault) => return Some(fault),
    };
    // What stood between < and > in front of it is gone.
    if let Some(row) = table.rows.iter().find(|row| row.name.starts_with("::")) {
        return Some(format!("a function is called {}", row.name));
    }
    let Some(row) = table.rows.iter().find(|row| row.name.contains(function)) else {
        return Some(format!("there is no {function} in it"));
    };
    let is_so = Shown::read(&row.cumulative).is_some_and(|shown| shown.is(wanted as f64));
    (!is_so).then(|| format!("{function} has {}, not {wanted}", row.cumulative))
}

/// What go says where it gets nothing.
fn refused(workspace: &Workspace, url: &str) -> Result<String, Error> {
    let mut command = workspace.command("go");
    command.args(["tool", "pprof", "-top", url]);
    let output = process::output(&mut command, DEADLINE)?;
    match output.status.success() {
        true => Err(Error::reader("go tool pprof", format!("it is content with {url}"))),
        false => Ok(output.stderr),
    }
}
