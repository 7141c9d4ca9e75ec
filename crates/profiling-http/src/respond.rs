//! Answers as futures, on tokio.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Limited};
use tokio::{task, time};

use crate::{Endpoints, Reply, endpoints::MAX_BODY, place::Client, refusal::Refusal};

/// How long a body may take to come, in seconds.
const PATIENCE: u64 = 10;

impl Endpoints {
    /// Answers a request on a runtime of tokio: what takes time is done on its threads for blocking work, and waiting for `seconds`
    /// is done on none.
    ///
    /// Where the future is dropped, since the client has gone, nothing waits any more; a profile that is being made is given up
    /// when its present part is done.
    ///
    /// # Panics
    ///
    /// Outside of a runtime, or in one without time.
    pub fn respond<B>(
        &self,
        request: Request<B>,
    ) -> impl Future<Output = Response<Bytes>> + Send + 'static + use<B>
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let endpoints = self.clone();
        async move {
            // Nobody's body is read who is not answered.
            if let Err(refusal) = endpoints.admit(&request) {
                return refusal.response();
            }
            let (head, body) = request.into_parts();
            let body = match read(body).await {
                Ok(body) => body,
                Err(refusal) => return refusal.response(),
            };
            let request = Request::from_parts(head, body);
            let client = Client::default();
            let _presence = client.presence();
            let of_work = client.clone();
            match blocking(move || endpoints.answer_for(&request, &of_work)).await {
                Ok(Reply::Now(response)) => response,
                Ok(Reply::Later(later)) => {
                    time::sleep(later.wait()).await;
                    let finished = blocking(move || later.finish_for(&client)).await;
                    finished.unwrap_or_else(|refusal| refusal.response())
                }
                Err(refusal) => refusal.response(),
            }
        }
    }
}

async fn read<B>(body: B) -> Result<Bytes, Refusal>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let whole = Limited::new(body, MAX_BODY).collect();
    match time::timeout(Duration::from_secs(PATIENCE), whole).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(_)) => Err(Refusal::Body { max: MAX_BODY }),
        Err(_) => Err(Refusal::LateBody { seconds: PATIENCE }),
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    // It panics, or the runtime ends: the program's own fault or wish.
    task::spawn_blocking(work).await.map_err(|error| Refusal::Failed { reason: error.to_string() })
}
