//! The page of a running program, in a browser: `xtask/serve/page.mjs` uses it.

use std::{fs, thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    error::Error,
    targets::{
        line::Figure,
        looked,
        scripts::Scripts,
        serve::{
            client::Client,
            served::Served,
            shop::{Shop, TENANTS},
        },
    },
    workspace::Workspace,
};

/// How many things the script looks at: fewer are too few.
const CHECKS: usize = 41;
/// How often the page gets a point.
const EVERY: Duration = Duration::from_millis(500);
const SITES: usize = 10_000;
const TOKEN: &str = "a-token-for-the-browser";
const EVIL: &str = "</script><img src=x onerror=alert(1)>";

/// The service, with its customers, which begins to leak.
pub(super) fn shop(workspace: &Workspace) -> Result<Figure, Error> {
    let shop = Shop::start(workspace, "on,interval:32KiB,lifetimes:true", EVERY)?;
    for number in 0..300 {
        Shop::buy(&shop.client, number)?;
    }
    moments(&shop.client, &[], 3)?;
    let before = shop.client.post("/audit?on=true")?.status;
    if before != 200 {
        return Err(Error::reader("the shop", format!("it answers {before}")));
    }
    for number in 300..600 {
        Shop::buy(&shop.client, number)?;
    }
    moments(&shop.client, &[], 5)?;
    // What they buy goes on while the page is looked at.
    let _customers = shop.customers(Duration::from_millis(100));
    look(
        workspace,
        json!({
            "name": "shop",
            "url": shop.client.url("/debug/allometer/"),
            "search": "shop::",
            "leak": "audit",
            "losses": [],
            "lifetimes": true,
            "tags": TENANTS,
            "controls": false,
            "purge": false,
            "sites": sites(&shop.client, &[])?,
        }),
    )
}

/// Ten thousand sites, and all that is rare.
pub(super) fn wide(workspace: &Workspace) -> Result<Figure, Error> {
    let token = format!("token:{TOKEN}");
    let history = format!("history:{}", EVERY.as_millis());
    let words = ["control", "purge", &token, &history];
    // At interval 1 nothing is thinned: what is beyond the bound is a loss.
    let mut served = Served::start(workspace, "interval:1,live_samples:11000,lifetimes:true", &words)?;
    let authorization = format!("Bearer {TOKEN}");
    let headers = [("authorization", &*authorization)];
    served.tell(&format!("keep {SITES}"))?;
    moments(&served.client, &headers, 3)?;
    served.tell("evil")?;
    served.tell("leak 20")?;
    served.tell("keep 3000")?;
    // So many sites leave room for no more.
    moments(&served.client, &headers, 3)?;
    look(
        workspace,
        json!({
            "name": "wide",
            "url": served.client.url("/debug/allometer/"),
            "token": TOKEN,
            "search": "holder",
            "leak": EVIL,
            "losses": ["objects beyond the live bound"],
            "lifetimes": true,
            "tags": [EVIL],
            "controls": true,
            "purge": true,
            "sites": sites(&served.client, &headers)?,
            "evil": EVIL,
        }),
    )
}

fn look(workspace: &Workspace, description: Value) -> Result<Figure, Error> {
    let directory = workspace.target().join("serve");
    let pictures = directory.join("pictures");
    let to = directory.join(format!("{}.json", description["name"].as_str().unwrap_or_default()));
    let written = fs::create_dir_all(&pictures).and_then(|()| fs::write(&to, description.to_string()));
    written.map_err(|source| Error::Write { path: to.clone(), source })?;
    let scripts = Scripts::install(workspace, &[])?;
    looked::figure(scripts.script("serve/page.mjs").arg(pictures).arg(to), CHECKS)
}

fn read(client: &Client, path: &str, headers: &[(&str, &str)]) -> Result<Value, Error> {
    let answer = client.get_with(path, headers)?;
    serde_json::from_slice(&answer.body).map_err(|source| Error::Json { command: client.url(path), source })
}

/// Waits until there are so many moments.
fn moments(client: &Client, headers: &[(&str, &str)], wanted: usize) -> Result<(), Error> {
    // Each comes with its time: more than that are an end, too.
    for _ in 0..100 * wanted {
        let history = read(client, "/debug/allometer/history", headers)?;
        if history["moments"].as_array().map_or(0, Vec::len) >= wanted {
            return Ok(());
        }
        thread::sleep(EVERY / 10);
    }
    Err(Error::reader("history", format!("there are no {wanted} moments")))
}

fn sites(client: &Client, headers: &[(&str, &str)]) -> Result<usize, Error> {
    let stats = read(client, "/debug/pprof/stats", headers)?;
    Ok(stats["sites"].as_u64().unwrap_or(0) as usize)
}
