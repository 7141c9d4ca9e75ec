//! A service and its client, on loopback.

use std::error::Error;

use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Bytes, body::Incoming, service::service_fn};
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use regex::Regex;
use serde::{Deserialize, Serialize};
use tokio::{net::TcpListener, runtime::Runtime};

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Item {
    name: String,
    tags: Vec<String>,
    score: f64,
    parent: Option<Box<Item>>,
}

/// Serves `requests`, each with a list that is searched, and leaves the runtime to the caller.
pub(crate) fn serve(requests: usize) -> Result<Runtime, Box<dyn Error + Send + Sync>> {
    let runtime = Runtime::new()?;
    runtime
        .block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let connection = async move {
                        let service = service_fn(search);
                        Builder::new(TokioExecutor::new())
                            .serve_connection(TokioIo::new(stream), service)
                            .await
                    };
                    tokio::spawn(connection);
                }
            });
            let client = Client::builder(TokioExecutor::new()).build_http();
            for request in 0..requests {
                let body = Full::new(Bytes::from(serde_json::to_vec(&items(request))?));
                let request = Request::post(format!("http://{address}/")).body(body)?;
                client.request(request).await?.into_body().collect().await?;
            }
            Ok(())
        })
        .map(|()| runtime)
}

fn items(request: usize) -> Vec<Item> {
    let item = |number| Item {
        name: format!("item{number:03}"),
        tags: vec![format!("request{request}"); 3],
        score: number as f64,
        parent: None,
    };
    (0..50).map(|number| Item { parent: Some(Box::new(item(number + 1))), ..item(number) }).collect()
}

async fn search(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Box<dyn Error + Send + Sync>> {
    let body = request.into_body().collect().await?.to_bytes();
    let items: Vec<Item> = serde_json::from_slice(&body)?;
    let wanted = Regex::new(r"(?i)\bitem\d*[02468]\b")?;
    let found: Vec<&Item> = items.iter().filter(|item| wanted.is_match(&item.name)).collect();
    Ok(Response::new(Full::new(Bytes::from(serde_json::to_vec(&found)?))))
}
