//! A shop: a service that answers with products, out of a cache, and keeps an audit log when it is told to. What of its memory
//! is where, its reports tell: `ALLOMETER="dir:reports" cargo run`.
//!
//! | request | what |
//! |---|---|
//! | `GET /products/{number}` | a product, for the tenant in the header `x-tenant` |
//! | `POST /audit?on=true` | from now on every request is kept: the leak |
//! | `POST /report` | a report now |
//! | `GET /debug/allometer/` | the profiler's page, and its other endpoints beside it |
//!
//! The variable `SHOP_HISTORY_MS` says how often the page gets a point, in milliseconds.

mod audit;
mod cache;
mod product;
mod profiler;
mod shop;

use std::{error::Error, sync::Arc};

use allometer::{SamplingAllocator, mimalloc::Mimalloc, tracing::TagLayer};
use tracing_subscriber::layer::SubscriberExt;

use shop::Shop;

#[global_allocator]
static ALLOC: SamplingAllocator<Mimalloc> = SamplingAllocator::new();

fn main() -> Result<(), Box<dyn Error>> {
    let profiling = allometer::init()?;
    tracing::subscriber::set_global_default(
        tracing_subscriber::registry().with(TagLayer::by_field("tenant")),
    )?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        // Whoever started it reads where it is.
        println!("listening on {}", listener.local_addr()?);
        let profiler = profiler::routes(profiling.reader.as_ref())?;
        axum::serve(listener, shop::routes(Arc::new(Shop::new(profiling))).merge(profiler)).await?;
        Ok(())
    })
}
