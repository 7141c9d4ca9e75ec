//! What there is, at which path, and how it is asked for.

use http::Method;

use crate::{
    refusal::Refusal,
    wanted::{PARAMETERS, ProfileRoute},
};

/// What there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Index,
    Profile(ProfileRoute),
    Symbol,
    Cmdline,
    CpuProfile,
    Stats,
    Metrics,
    Page,
    History,
    Growth,
    Start,
    Stop,
    Interval,
    Purge,
    /// Another path, from here.
    Moved(&'static str),
}

/// A path, and what people are told of it.
pub(crate) struct Entry {
    pub(crate) path: &'static str,
    pub(crate) route: Route,
    pub(crate) about: &'static str,
}

const fn entry(path: &'static str, route: Route, about: &'static str) -> Entry {
    Entry { path, route, about }
}

/// All paths. Nothing in a request becomes one.
pub(crate) const ENTRIES: [Entry; 16] = [
    entry("/debug/pprof/", Route::Index, "this list"),
    entry(
        "/debug/pprof/heap",
        Route::Profile(ProfileRoute::Heap),
        "what is live and what was allocated, as pprof; debug=1 as text",
    ),
    entry("/debug/pprof/allocs", Route::Profile(ProfileRoute::Allocs), "the same, what was allocated first"),
    entry("/debug/pprof/flamegraph", Route::Profile(ProfileRoute::Flamegraph), "a picture of it"),
    entry("/debug/pprof/stats", Route::Stats, "figures of the session and the process, as JSON"),
    entry("/debug/pprof/metrics", Route::Metrics, "the same for Prometheus"),
    entry("/debug/pprof/symbol", Route::Symbol, "names of addresses"),
    entry("/debug/pprof/cmdline", Route::Cmdline, "how the program was started, if it offers that"),
    entry("/debug/pprof/profile", Route::CpuProfile, "no CPU profile, but a hint"),
    entry("/debug/allometer/", Route::Page, "a live page"),
    entry("/debug/allometer/history", Route::History, "how memory went, as JSON"),
    entry("/debug/allometer/growth", Route::Growth, "what grew between two moments (from, to), as JSON"),
    entry("/debug/allometer/start", Route::Start, "POST: starts a session (interval)"),
    entry("/debug/allometer/stop", Route::Stop, "POST: stops it"),
    entry(
        "/debug/allometer/interval",
        Route::Interval,
        "POST: starts afresh with another sample interval (to)",
    ),
    entry(
        "/debug/allometer/purge",
        Route::Purge,
        "POST: has the allocator give free memory back, if the program offers that",
    ),
];

/// What people type, and where it leads: relative, so that it does below a prefix too.
const MOVED: [(&str, &str); 3] =
    [("/", "debug/allometer/"), ("/debug/pprof", "pprof/"), ("/debug/allometer", "allometer/")];

/// Which methods a route takes, as `Allow` lists them.
const READ: &str = "GET, HEAD";
const CHANGE: &str = "POST";
const BOTH: &str = "GET, HEAD, POST";

impl Route {
    pub(crate) fn of(path: &str, method: &Method) -> Result<Self, Refusal> {
        let known = ENTRIES.iter().find(|entry| entry.path == path).map(|entry| entry.route);
        let moved = || MOVED.iter().find(|(from, _)| *from == path).map(|(_, to)| Self::Moved(to));
        let route = known.or_else(moved).ok_or(Refusal::NoSuchPath)?;
        let allowed = route.methods();
        if allowed.split(", ").any(|allowed| allowed == method.as_str()) {
            return Ok(route);
        }
        Err(Refusal::Method { method: method.to_string(), allowed })
    }

    fn methods(self) -> &'static str {
        match self {
            Self::Start | Self::Stop | Self::Interval | Self::Purge => CHANGE,
            Self::Symbol => BOTH,
            _ => READ,
        }
    }

    /// The parameters that it knows. What stands behind the question mark of a question for symbols is none.
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Profile(_) => &PARAMETERS,
            // What Go's programs know here, so that the hint reaches who asks for one.
            Self::CpuProfile => &["debug", "seconds"],
            Self::Growth => &["from", "to"],
            Self::Start => &["interval"],
            Self::Interval => &["to"],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_fixed_and_methods_too() {
        let of = |path, method: Method| Route::of(path, &method);
        assert_eq!(of("/debug/pprof/heap", Method::GET), Ok(Route::Profile(ProfileRoute::Heap)));
        assert_eq!(of("/debug/pprof/heap", Method::HEAD), Ok(Route::Profile(ProfileRoute::Heap)));
        assert_eq!(of("/debug/pprof/symbol", Method::POST), Ok(Route::Symbol));
        for path in [
            "",
            "//",
            "/debug/pprof/heap/",
            "/debug/pprof/../heap",
            "/debug/pprof/%68eap",
            "/debug/pprof//heap",
            "/DEBUG/pprof/heap",
        ] {
            assert_eq!(of(path, Method::GET), Err(Refusal::NoSuchPath), "{path}");
        }
        let refused = |path, method| of(path, method).unwrap_err().to_string();
        assert_eq!(refused("/debug/pprof/heap", Method::POST), "the method is POST: expected GET, HEAD");
        assert_eq!(refused("/debug/allometer/stop", Method::GET), "the method is GET: expected POST");
        assert_eq!(refused("/debug/pprof/heap", Method::TRACE), "the method is TRACE: expected GET, HEAD");
    }
}
