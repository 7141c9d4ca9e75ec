//! A service and its clients on loopback. The profile is taken while every request holds memory in three async
//! functions that await each other: `answer`, `gather`, `load`.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use allometer::{Config, Profiler, SamplingAllocator, mimalloc::Mimalloc};
use consumer_readers::{Answer, path, write};
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response, body::Bytes, body::Incoming, server::conn::http1::Builder, service::service_fn,
};
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioIo},
};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    runtime::{Builder as Threads, Runtime},
    sync::Barrier,
    task::JoinSet,
};

#[global_allocator]
static ALLOC: SamplingAllocator<Mimalloc> = SamplingAllocator::new();

/// Small, for a program that is done in a moment.
const SAMPLE_INTERVAL: u64 = 4 << 10;
const REQUESTS: usize = 16;
/// How much a request holds in each function.
const PAGE_BYTES: usize = 32 << 10;
const PARTS_BYTES: usize = 64 << 10;
const ROWS_BYTES: usize = 128 << 10;

/// Where all requests and `main` wait for each other.
type Gate = Arc<Barrier>;

fn main() -> Answer<()> {
    let path = path()?;
    let profiler = Profiler::start(Config::default().sample_interval(SAMPLE_INTERVAL))?;
    let runtime: Runtime = Threads::new_multi_thread().worker_threads(2).enable_all().build()?;
    let gate = Gate::new(Barrier::new(REQUESTS + 1));
    let profile = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        tokio::spawn(serve(listener, gate.clone()));
        let mut clients = JoinSet::new();
        (0..REQUESTS).for_each(|number| drop(clients.spawn(ask(address, number))));
        gate.wait().await;
        let snapshot = profiler.snapshot()?;
        gate.wait().await;
        while let Some(answered) = clients.join_next().await {
            answered??;
        }
        Answer::Ok(snapshot.profile())
    })?;
    Ok(write(&profile, &path)?)
}

async fn serve(listener: TcpListener, gate: Gate) {
    while let Ok((stream, _)) = listener.accept().await {
        let gate = gate.clone();
        let service = service_fn(move |request| answer(request, gate.clone()));
        tokio::spawn(Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn ask(address: SocketAddr, number: usize) -> Answer<()> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let body = Full::new(Bytes::from(json!({ "number": number }).to_string()));
    let response = client.request(Request::post(format!("http://{address}/")).body(body)?).await?;
    response.into_body().collect().await?;
    Ok(())
}

async fn answer(request: Request<Incoming>, gate: Gate) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut page = vec![b' '; PAGE_BYTES];
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let parts = gather(&asked, &gate).await;
    page.extend_from_slice(&parts);
    Ok(Response::new(Full::new(page.into())))
}

async fn gather(asked: &Value, gate: &Gate) -> Vec<u8> {
    let mut parts = vec![b'.'; PARTS_BYTES];
    let rows = load(asked, gate).await;
    parts.extend_from_slice(&rows);
    parts
}

async fn load(asked: &Value, gate: &Gate) -> Vec<u8> {
    let mut rows = vec![b'-'; ROWS_BYTES];
    // All requests are here; the profile is taken; all go on.
    gate.wait().await;
    gate.wait().await;
    rows.extend_from_slice(asked.to_string().as_bytes());
    rows
}
