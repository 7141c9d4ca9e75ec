//! What is asked of the shop.

use std::{collections::HashMap, sync::Arc};

use allometer::runner::Started;
use axum::{
    Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use tracing::Instrument;

use crate::{audit::Audit, cache::Cache};

#[derive(Debug)]
pub(crate) struct Shop {
    cache: Cache,
    audit: Audit,
    profiling: Started,
}

/// Products in the cache: some 16 MiB.
const CACHED: usize = 1024;

impl Shop {
    pub(crate) fn new(profiling: Started) -> Self {
        Self { cache: Cache::new(CACHED), audit: Audit::default(), profiling }
    }
}

pub(crate) fn routes(shop: Arc<Shop>) -> Router {
    Router::new()
        .route("/products/{number}", get(product))
        .route("/audit", post(audit))
        .route("/report", post(report))
        .with_state(shop)
}

async fn product(State(shop): State<Arc<Shop>>, Path(number): Path<u64>, headers: HeaderMap) -> String {
    let tenant = headers.get("x-tenant").and_then(|tenant| tenant.to_str().ok()).unwrap_or("nobody");
    let span = tracing::info_span!("request", tenant);
    answer(shop, number).instrument(span).await
}

async fn answer(shop: Arc<Shop>, number: u64) -> String {
    shop.audit.remember(&format!("GET /products/{number}; "));
    shop.cache.get(number).page()
}

async fn audit(State(shop): State<Arc<Shop>>, Query(words): Query<HashMap<String, bool>>) {
    shop.audit.switch(words.get("on").copied().unwrap_or_default());
}

async fn report(State(shop): State<Arc<Shop>>) -> StatusCode {
    match shop.profiling.runner {
        Some(runner) => {
            runner.request();
            StatusCode::ACCEPTED
        }
        None => StatusCode::NOT_FOUND,
    }
}
