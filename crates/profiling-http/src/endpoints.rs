//! What is served, and to whom.

use std::{env, fmt, os::unix::ffi::OsStrExt, sync::Arc, time::Instant};

use allometer_core::{Config, MemoryUse, SessionSwitch, unsampled};
use allometer_profile::{Moment, Source, Switch};
use allometer_views::{DiffBy, diff_by, json_diff};
use bytes::Bytes;
use http::{Request, Response, Uri};

use crate::{
    Builder, Error, Reply,
    access::Access,
    budget::Budget,
    content,
    figures::LastFigures,
    history::History,
    index, metrics, page,
    place::{Client, Place},
    query::Query,
    refusal::Refusal,
    reply::Later,
    route::Route,
    session::Session,
    stats, symbol,
    wanted::{ProfileRoute, Wanted},
};

/// Most bytes of answers that nobody has read yet, together and each.
const MAX_BYTES: usize = 64 << 20;
/// Most requests that wait for their `seconds`: each keeps a snapshot.
const MAX_WAITING: usize = 16;
/// Most bytes of a request's body.
pub(crate) const MAX_BODY: usize = 64 << 10;

/// What is served, and to whom: a handle that can be cloned.
///
/// It answers requests, whatever brings them: [`Endpoints::answer`] is a plain function on the types of the crate `http`. See
/// [`Endpoints::respond`] for futures, [`router`](crate::router) for `axum`, and [`Server`](crate::Server) for a program that
/// has no server.
#[derive(Clone)]
pub struct Endpoints(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) session: Arc<Session>,
    pub(crate) access: Access,
    pub(crate) offers_cmdline: bool,
    pub(crate) offers_purge: bool,
    pub(crate) history: Option<History>,
    pub(crate) place: Place,
    pub(crate) figures: LastFigures,
    pub(crate) waiting: Budget,
    pub(crate) answers: Budget,
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoints").field("session", &self.0.session).finish_non_exhaustive()
    }
}

impl Endpoints {
    /// Endpoints that only read this session, or any other source.
    pub fn reading(source: impl Source + 'static) -> Builder {
        Builder::new(Session::Read(unsampled(|| Arc::new(source))))
    }

    /// Endpoints that may start and stop sessions with this configuration: none runs until [`Endpoints::start`], or a request, starts
    /// one. It is stopped with the last of these handles.
    pub fn controlling(config: Config) -> Builder {
        Self::switching(SessionSwitch::new(config))
    }

    /// The same with any profiler that can be started and stopped. Whether it is stopped with the last of these handles is its own affair.
    pub fn switching(switch: impl Switch + 'static) -> Builder {
        Builder::new(Session::Own(unsampled(|| Box::new(switch))))
    }

    pub(crate) fn of(builder: Builder) -> std::io::Result<Self> {
        let Builder { session, access, offers_cmdline, offers_purge, history } = builder;
        let session = unsampled(|| Arc::new(session));
        let of_all = Arc::clone(&session);
        of_all.left_out(|| {
            let history = history.map(|every| History::start(Arc::clone(&session), every)).transpose()?;
            Ok(Self(Arc::new(Inner {
                session,
                access,
                offers_cmdline,
                offers_purge,
                history,
                place: Place::default(),
                figures: LastFigures::default(),
                waiting: Budget::new(MAX_WAITING),
                answers: Budget::new(MAX_BYTES),
            })))
        })
    }

    /// Starts a session as these endpoints were set up.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`], or [`Error::Start`] with what starting a session can say.
    pub fn start(&self) -> Result<(), Error> {
        let Session::Own(switch) = &*self.0.session else { return Err(Error::ReadOnly) };
        switch.start(None).map_err(|cause| Error::Start { cause })?;
        self.session_changed();
        Ok(())
    }

    /// Reads the session that is active now; `None` where there is none.
    pub fn source(&self) -> Option<Arc<dyn Source>> {
        self.0.session.source().ok()
    }

    /// Whether a token is asked for.
    pub fn has_token(&self) -> bool {
        self.0.access.token.is_some()
    }

    /// Answers a request. It may take long where a profile is made: a tenth of a second and more, when the names of a program with much
    /// debug information are looked up for the first time. One is made at a time, and the next is refused at once.
    ///
    /// What it requests of memory is not sampled.
    ///
    /// ```no_run
    /// use allometer_core::{Config, Profiler};
    /// use allometer_http::Endpoints;
    ///
    /// let profiler = Profiler::start(Config::default())?;
    /// let endpoints = Endpoints::reading(profiler.reader()).build()?;
    /// let request = http::Request::get("/debug/pprof/heap").header("host", "localhost").body(Vec::new())?;
    /// let response = endpoints.answer(&request).wait();
    /// assert_eq!(response.status(), 200);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn answer(&self, request: &Request<impl AsRef<[u8]>>) -> Reply {
        self.answer_for(request, &Client::default())
    }

    pub(crate) fn answer_for(&self, request: &Request<impl AsRef<[u8]>>, client: &Client) -> Reply {
        self.0.session.left_out(|| {
            let body = request.body().as_ref();
            let answer = self.admit(request).and_then(|route| self.route(route, request.uri(), body, client));
            answer.unwrap_or_else(|refusal| Reply::Now(refusal.response()))
        })
    }

    /// Whether the request is answered at all, and by what.
    pub(crate) fn admit<B>(&self, request: &Request<B>) -> Result<Route, Refusal> {
        self.0.access.check(request.uri(), request.headers())?;
        Route::of(request.uri().path(), request.method())
    }

    fn route(&self, route: Route, uri: &Uri, body: &[u8], client: &Client) -> Result<Reply, Refusal> {
        if body.len() > MAX_BODY {
            return Err(Refusal::Body { max: MAX_BODY });
        }
        if route == Route::Symbol {
            let text = if body.is_empty() {
                uri.query().unwrap_or_default()
            } else {
                &String::from_utf8_lossy(body)
            };
            return self.symbol(text).map(Reply::Now);
        }
        let query = Query::of(uri.query(), route.parameters())?;
        if let Route::Profile(route) = route {
            return self.heap(route, &query, client);
        }
        self.small(route, &query, client).map(Reply::Now)
    }

    /// A profile, now or after its span.
    fn heap(&self, route: ProfileRoute, query: &Query<'_>, client: &Client) -> Result<Reply, Refusal> {
        let wanted = Wanted::of(route, query)?;
        if wanted.purge {
            self.purge()?;
        }
        let Some(span) = wanted.span else {
            return self.profile(&wanted, None, client).map(Reply::Now);
        };
        let waiting = self.0.waiting.take(1).ok_or(Refusal::Waiting { max: self.0.waiting.max() })?;
        let before = moment(&*self.0.session.source()?)?;
        let due = Instant::now() + span;
        Ok(Reply::Later(Later { endpoints: self.clone(), wanted, before, due, _waiting: waiting }))
    }

    /// The profile since `before`, or of the whole session.
    pub(crate) fn profile(
        &self,
        wanted: &Wanted,
        before: Option<&dyn Moment>,
        client: &Client,
    ) -> Result<Response<Bytes>, Refusal> {
        let source = self.0.session.source()?;
        let bytes = {
            let mut symbolizer = self.0.place.take(source.symbolization())?;
            client.is_there()?;
            let now = moment(&*source)?;
            // At once: what the profile takes is not of that moment.
            let figures = source.provider_figures().unwrap_or_default();
            let resident = MemoryUse::resident().map(|memory| memory.used);
            let mut profile = match before {
                Some(before) => {
                    let since = now.profile_since(before, &mut symbolizer);
                    since.map_err(|error| Refusal::of(&error))?
                }
                None => now.profile(&mut symbolizer),
            };
            client.is_there()?;
            (profile.metadata.provider_figures, profile.metadata.resident) = (figures, resident);
            let profile = wanted.shape(profile);
            client.is_there()?;
            wanted.write(&profile)?
        };
        Ok(wanted.response(self.held(bytes)?))
    }

    /// What needs no profile, and what grew.
    fn small(&self, route: Route, query: &Query<'_>, client: &Client) -> Result<Response<Bytes>, Refusal> {
        let json = |text: String| content::JSON.response(Bytes::from(text));
        let session = &self.0.session;
        let done = |what: &'static str| content::TEXT.response(Bytes::from_static(what.as_bytes()));
        Ok(match route {
            Route::Index => content::HTML.response(Bytes::from(index::page())),
            Route::Page => content::HTML.response(Bytes::from_static(page::page().as_bytes())),
            Route::Moved(to) => content::TEXT.moved(to),
            Route::CpuProfile => return Err(Refusal::CpuProfile),
            Route::Cmdline if self.0.offers_cmdline => content::TEXT.response(cmdline()),
            Route::Cmdline => return Err(Refusal::NotOffered { what: "the command line" }),
            Route::Stats => {
                let figures = self.0.figures.get(session.source())?;
                json(stats::json(&figures, session.is_own(), self.0.offers_purge))
            }
            Route::Metrics => {
                let figures = self.0.figures.get(session.source())?;
                content::METRICS.response(Bytes::from(metrics::text(&figures)))
            }
            Route::History => json(self.history()?.json()),
            Route::Growth => content::JSON.response(self.held(self.growth(query, client)?.into_bytes())?),
            Route::Start => {
                session.start(query.get("interval"))?;
                self.session_changed();
                done("started\n")
            }
            Route::Stop => {
                session.stop()?;
                self.session_changed();
                done("stopped\n")
            }
            Route::Interval => {
                let to = query.get("to").ok_or_else(|| missing("to", "a sample interval"))?;
                let changed = session.set_interval(to);
                self.session_changed();
                changed?;
                done("started afresh\n")
            }
            Route::Purge => {
                self.purge()?;
                done("given back\n")
            }
            Route::Profile(_) | Route::Symbol => return Err(Refusal::NoSuchPath),
        })
    }

    fn symbol(&self, text: &str) -> Result<Response<Bytes>, Refusal> {
        let addresses = symbol::addresses(text);
        // Whoever asks for none wants to know whether there are names at all.
        if addresses.is_empty() {
            return Ok(content::TEXT.response(Bytes::from_static(b"num_symbols: 1\n")));
        }
        let mut symbolizer = self.0.place.take(self.0.session.source()?.symbolization())?;
        Ok(content::TEXT.response(Bytes::from(symbol::answer(&addresses, &mut symbolizer))))
    }

    /// What grew between two moments: by function, and by stack.
    fn growth(&self, query: &Query<'_>, client: &Client) -> Result<String, Refusal> {
        let id = |name| query.read(name, "the number of a moment", |text| text.parse::<u64>().ok());
        let from = id("from")?.ok_or_else(|| missing("from", "the number of a moment"))?;
        let to = if query.get("to").is_none_or(|to| to == "now") { None } else { id("to")? };
        if to.is_some_and(|to| to <= from) {
            let value = query.get("to").unwrap_or_default().to_owned();
            return Err(Refusal::Parameter {
                name: "to",
                value,
                expected: "now, or a moment after `from`".to_owned(),
            });
        }
        let history = self.history()?;
        let from = history.moment(from)?;
        let to = to.map(|to| history.moment(to)).transpose()?;
        let source = self.0.session.source()?;
        let mut symbolizer = self.0.place.take(source.symbolization())?;
        let to = to.map_or_else(|| moment(&*source).map(Arc::new), Ok)?;
        if to.session() != from.session() {
            return Err(Refusal::OtherSession);
        }
        let [before, after] = [from, to].map(|moment| moment.profile(&mut symbolizer));
        client.is_there()?;
        let by = |by| json_diff(&diff_by(&before, &after, by));
        Ok(format!("[{},{}]", by(DiffBy::Function), by(DiffBy::Stack)))
    }

    fn history(&self) -> Result<&History, Refusal> {
        self.0.history.as_ref().ok_or(Refusal::NotOffered { what: "a history" })
    }

    fn purge(&self) -> Result<(), Refusal> {
        if !self.0.offers_purge {
            return Err(Refusal::NotOffered { what: "giving memory back" });
        }
        match self.0.session.source()?.purge() {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(Refusal::Failed { reason: "the allocator has no way to give memory back".to_owned() })
            }
            Err(error) => Err(Refusal::of(&error)),
        }
    }

    fn session_changed(&self) {
        self.0.figures.forget();
        if let Some(history) = &self.0.history {
            history.session_changed();
        }
    }

    /// The bytes of an answer, counted until they have been sent.
    fn held(&self, mut bytes: Vec<u8>) -> Result<Bytes, Refusal> {
        // What is written piece by piece has up to twice the room.
        bytes.shrink_to_fit();
        let (len, max) = (bytes.len(), self.0.answers.max());
        if len > max {
            return Err(Refusal::TooLong { bytes: len, max });
        }
        Ok(self.0.answers.take(len).ok_or(Refusal::Clogged { max })?.held_by(bytes))
    }
}

fn moment(source: &dyn Source) -> Result<Box<dyn Moment>, Refusal> {
    source.moment().map_err(|error| Refusal::of(&error))
}

fn missing(name: &'static str, expected: &str) -> Refusal {
    Refusal::Parameter { name, value: String::new(), expected: expected.to_owned() }
}

/// What the program was started with, a zero between two of them.
fn cmdline() -> Bytes {
    let arguments: Vec<_> = env::args_os().collect();
    arguments.iter().map(|argument| argument.as_bytes()).collect::<Vec<_>>().join(&0).into()
}
