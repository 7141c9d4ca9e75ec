//! Why a request is not answered with what it asked for.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};

use crate::content;

/// Why a request is not answered with what it asked for: one line, and a status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "a token is needed: as `Authorization: Bearer TOKEN`, or as the password when a browser asks for one"
    )]
    NoToken,
    #[error("the host `{}` is not known here: expected localhost, {} or a name that the program allows", .host.escape_debug(), .addresses)]
    Host { host: String, addresses: &'static str },
    #[error("the request comes from a page of `{}`, which is not this server", .origin.escape_debug())]
    Origin { origin: String },
    #[error("nothing is here: /debug/pprof/ lists what there is")]
    NoSuchPath,
    #[error("no CPU profile is here: heap profiles are at /debug/pprof/heap and /debug/pprof/allocs")]
    CpuProfile,
    #[error("{what} is not offered by this program")]
    NotOffered { what: &'static str },
    #[error("the method is {}: expected {allowed}", .method.escape_debug())]
    Method { method: String, allowed: &'static str },
    #[error("the parameter `{}` is not known: expected {known}", .name.escape_debug())]
    UnknownParameter { name: String, known: String },
    #[error("{name} is `{}`: expected {expected}", .value.escape_debug())]
    Parameter { name: &'static str, value: String, expected: String },
    #[error("the body is too long: expected at most {max} bytes")]
    Body { max: usize },
    #[cfg(feature = "tokio")]
    #[error("the body did not come: expected all of it within {seconds} seconds")]
    LateBody { seconds: u64 },
    #[error("another profile is being made: ask again in a second")]
    Busy,
    #[error("{max} requests wait for their `seconds` already: ask again when one of them is done")]
    Waiting { max: usize },
    #[error("no session is active")]
    Inactive,
    #[error("a session is active already")]
    AlreadyActive,
    #[error("the session that this is about is over")]
    OtherSession,
    #[error("the answer has {bytes} bytes: expected at most {max}; `min` leaves out small sites")]
    TooLong { bytes: usize, max: usize },
    #[error("answers of {max} bytes are on their way already: ask again when they have been read")]
    Clogged { max: usize },
    #[error("nothing of this kind is in the profile yet")]
    Nothing,
    #[error("no moment has this number now: expected one of `history`")]
    NoSuchMoment,
    #[error("the profiler cannot: {reason}")]
    Failed { reason: String },
    #[error("nobody waits for the answer any more")]
    Gone,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::Host { .. } | Self::Origin { .. } => StatusCode::FORBIDDEN,
            Self::NoSuchPath
            | Self::CpuProfile
            | Self::NotOffered { .. }
            | Self::NoSuchMoment
            | Self::Nothing => StatusCode::NOT_FOUND,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::UnknownParameter { .. } | Self::Parameter { .. } => StatusCode::BAD_REQUEST,
            Self::Body { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            #[cfg(feature = "tokio")]
            Self::LateBody { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::Gone => StatusCode::REQUEST_TIMEOUT,
            Self::Busy | Self::Waiting { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::AlreadyActive | Self::OtherSession => StatusCode::CONFLICT,
            Self::Inactive | Self::Clogged { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooLong { .. } | Self::Failed { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(crate) fn response(&self) -> Response<Bytes> {
        let mut response = content::TEXT.response(Bytes::from(format!("{self}\n")));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        // By which Go's own client knows that the body says what is wrong.
        headers.insert("x-go-pprof", HeaderValue::from_static("1"));
        match self {
            Self::NoToken => {
                let challenge = HeaderValue::from_static("Basic realm=\"allometer\", charset=\"UTF-8\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::Method { allowed, .. } => {
                headers.insert(header::ALLOW, HeaderValue::from_static(allowed));
            }
            Self::Busy | Self::Waiting { .. } | Self::Clogged { .. } => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}
