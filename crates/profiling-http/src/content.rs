//! What an answer is made of, and how a browser may treat it.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content(&'static str);

pub(crate) const TEXT: Content = Content("text/plain; charset=utf-8");
pub(crate) const HTML: Content = Content("text/html; charset=utf-8");
pub(crate) const JSON: Content = Content("application/json");
pub(crate) const SVG: Content = Content("image/svg+xml");
pub(crate) const PPROF: Content = Content("application/octet-stream");
/// The text that Prometheus reads.
pub(crate) const METRICS: Content = Content("text/plain; version=0.0.4; charset=utf-8");

/// For all answers: taken for nothing else than they are, kept nowhere, in no page of somebody else, and with no other network than
/// the server itself. Pages and pictures have their scripts and styles in them.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; connect-src 'self'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
];

impl Content {
    /// The answer that all went well.
    pub(crate) fn response(self, body: Bytes) -> Response<Bytes> {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.0));
        response
    }

    /// What was asked for is elsewhere.
    pub(crate) fn moved(self, to: &'static str) -> Response<Bytes> {
        let mut response = self.response(Bytes::new());
        *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(to));
        response
    }

    /// The same, to be kept under this name.
    pub(crate) fn attachment(self, body: Bytes, name: &'static str) -> Response<Bytes> {
        let mut response = self.response(body);
        if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
        }
        response
    }
}
