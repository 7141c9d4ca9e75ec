//! The endpoints as a router for `axum`.

use axum::{Router, body::Body, extract::Request, response::Response, routing::any};

use crate::Endpoints;

/// The endpoints as a router, to be merged into the program's own: `/debug/pprof/…` and `/debug/allometer/…`. Below a prefix
/// (`Router::nest`) they work too.
///
/// A router does not know where the program listens. Without a token it answers only requests whose `Host` is this machine's own, which
/// keeps pages in browsers out, but not programs of other machines: where those can reach it, set a [token](crate::Builder::token).
///
/// ```no_run
/// use allometer_core::{Config, Profiler};
/// use allometer_http::{Endpoints, router};
///
/// let profiler = Profiler::start(Config::default())?;
/// let endpoints = Endpoints::reading(profiler.reader()).token("a long secret of my own")?.build()?;
/// let app: axum::Router = axum::Router::new().merge(router(endpoints));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn router<S: Clone + Send + Sync + 'static>(endpoints: Endpoints) -> Router<S> {
    let answer = any(move |request: Request| {
        let response = endpoints.respond(request);
        async move { response.await.map(Body::from) as Response }
    });
    let paths = [
        "/debug/pprof",
        "/debug/pprof/",
        "/debug/pprof/{*path}",
        "/debug/allometer",
        "/debug/allometer/",
        "/debug/allometer/{*path}",
    ];
    paths.into_iter().fold(Router::new(), |router, path| router.route(path, answer.clone()))
}
