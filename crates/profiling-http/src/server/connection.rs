use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};

use http_body_util::Full;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::{Semaphore, watch},
    time::{self, Instant},
};

use crate::Endpoints;

/// How long a request, or the next one of a connection, may take to say what it wants.
const HEADERS: Duration = Duration::from_secs(10);
/// Most bytes of that, and how many headers.
const HEADERS_BYTES: usize = 16 << 10;
const HEADERS_COUNT: usize = 64;
/// How long an answer may take to be made: the longest span, and a body that comes slowly.
const MAKING: Duration = Duration::from_secs(120);
/// How long a client may take to read an answer.
const READING: Duration = Duration::from_secs(30);

/// What is said to who finds no place.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n\
    retry-after: 1\r\nconnection: close\r\ncontent-length: 54\r\n\r\ntoo many connections are open: ask again in a second\r\n";

/// Answers what comes by a connection, beside all others.
pub(super) fn take<S>(stream: S, endpoints: &Endpoints, places: &Arc<Semaphore>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    match Arc::clone(places).try_acquire_owned() {
        Ok(place) => {
            let endpoints = endpoints.clone();
            tokio::spawn(async move {
                answer(stream, endpoints).await;
                drop(place);
            });
        }
        Err(_) => {
            tokio::spawn(refuse(stream));
        }
    }
}

/// What the system takes at once is enough for it; nobody is waited for.
async fn refuse(mut stream: impl AsyncWrite + Unpin) {
    let _ = time::timeout(Duration::from_millis(100), stream.write_all(FULL)).await;
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, endpoints: Endpoints) {
    // By when there has to be an answer, or the next request.
    let (say, mut due) = watch::channel(Instant::now() + READING);
    let say = Arc::new(say);
    let service = service_fn(move |request| {
        say.send_replace(Instant::now() + MAKING);
        let (response, say) = (endpoints.respond(request), Arc::clone(&say));
        async move {
            let response = response.await;
            say.send_replace(Instant::now() + READING);
            Ok::<_, Infallible>(response.map(Full::new))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .max_buf_size(HEADERS_BYTES)
        .max_headers(HEADERS_COUNT)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    loop {
        let end = *due.borrow_and_update();
        tokio::select! {
            // What goes wrong on a connection ends it, and is nobody else's matter.
            _ = connection.as_mut() => return,
            () = time::sleep_until(end) => return,
            Ok(()) = due.changed() => {}
        }
    }
}
