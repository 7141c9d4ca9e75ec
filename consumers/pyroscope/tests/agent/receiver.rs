use std::{
    collections::VecDeque,
    error::Error,
    net::SocketAddr,
    sync::{Arc, Mutex, mpsc},
};

use http_body_util::{BodyExt, Empty};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    http::request::Parts,
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, runtime::Runtime, sync::watch};

use crate::{PATIENCE, push::Push};

/// A server on loopback. It shows each request that it has read whole, and then answers as it is told to.
pub(crate) struct Receiver {
    address: SocketAddr,
    pushes: mpsc::Receiver<(Parts, Bytes)>,
    released: watch::Sender<bool>,
    /// Ends what is left of it when it is dropped.
    _runtime: Runtime,
}

/// What a request is answered with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Status(u16),
    /// The connection is closed without an answer.
    Close,
    /// None, until [`Receiver::release`]; then 200.
    Hold,
}

/// What all connections know.
struct Desk {
    answers: Mutex<VecDeque<Answer>>,
    /// When there are no more of these.
    last: Answer,
    pushes: mpsc::Sender<(Parts, Bytes)>,
    released: watch::Receiver<bool>,
}

impl Receiver {
    /// Gives these answers, one after the other, and then the last one for ever.
    pub(crate) fn answering(answers: &[Answer]) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, pushes) = mpsc::channel();
        let (released, is_released) = watch::channel(false);
        let desk = Arc::new(Desk {
            answers: Mutex::new(answers.iter().copied().collect()),
            last: *answers.last().unwrap(),
            pushes: sender,
            released: is_released,
        });
        runtime.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let desk = desk.clone();
                tokio::spawn(http1::Builder::new().serve_connection(
                    TokioIo::new(stream),
                    service_fn(move |request| answer(desk.clone(), request)),
                ));
            }
        });
        Self { address, pushes, released, _runtime: runtime }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next request, once there is one.
    pub(crate) fn next(&self) -> Push {
        let (head, body) = self.pushes.recv_timeout(PATIENCE).expect("no push");
        Push::new(head, &body)
    }

    /// The next requests, until one is what is looked for.
    pub(crate) fn until(&self, is_it: impl Fn(&Push) -> bool) -> Vec<Push> {
        let mut pushes = vec![self.next()];
        while !pushes.last().is_some_and(&is_it) {
            assert!(pushes.len() < 30, "it does not come: {:?}", pushes.last());
            pushes.push(self.next());
        }
        pushes
    }

    /// All that have come and were not looked at.
    pub(crate) fn rest(&self) -> Vec<Push> {
        self.pushes.try_iter().map(|(head, body)| Push::new(head, &body)).collect()
    }

    /// Answers all that is held, now and later.
    pub(crate) fn release(&self) {
        self.released.send_replace(true);
    }
}

/// An error closes the connection.
async fn answer(
    desk: Arc<Desk>,
    request: Request<Incoming>,
) -> Result<Response<Empty<Bytes>>, Box<dyn Error + Send + Sync>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let answer = desk.answers.lock().unwrap().pop_front().unwrap_or(desk.last);
    desk.pushes.send((head, body))?;
    let status = match answer {
        Answer::Status(status) => status,
        Answer::Close => return Err("closed".into()),
        Answer::Hold => {
            desk.released.clone().wait_for(|released| *released).await?;
            200
        }
    };
    Ok(Response::builder().status(status).body(Empty::new())?)
}
