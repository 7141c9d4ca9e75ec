//! The profiler's endpoints among the shop's own.

use std::{env, error::Error, time::Duration};

use allometer::{
    Reader,
    http::{Endpoints, router},
};
use axum::Router;

/// None where no session runs.
pub(crate) fn routes(reader: Option<&Reader>) -> Result<Router, Box<dyn Error>> {
    let Some(reader) = reader else { return Ok(Router::new()) };
    let mut endpoints = Endpoints::reading(reader.clone());
    if let Ok(milliseconds) = env::var("SHOP_HISTORY_MS") {
        endpoints = endpoints.history(Some(Duration::from_millis(milliseconds.parse()?)));
    }
    Ok(router(endpoints.build()?))
}
