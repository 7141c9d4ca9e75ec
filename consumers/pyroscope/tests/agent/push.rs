use std::{collections::BTreeMap, io::Read, time::SystemTime};

use allometer::profile::{Metadata, Profile};
use allometer_contract::{Decoded, Values};
use flate2::read::GzDecoder;
use hyper::http::request::Parts;
use prost::Message;

/// A request of the agent, as a server understands it.
#[derive(Debug)]
pub(crate) struct Push {
    head: Parts,
    pub(crate) labels: BTreeMap<String, String>,
    /// What the agent calls the profile: another one each time.
    pub(crate) id: String,
    /// Read by messages that have nothing in common with what wrote it; it has the four types of a heap profile.
    pub(crate) profile: Decoded,
    /// What our own reader finds in it.
    pub(crate) metadata: Metadata,
}

impl Push {
    /// Panics at anything that a server would refuse.
    pub(crate) fn new(head: Parts, body: &[u8]) -> Self {
        assert_eq!((head.method.as_str(), head.uri.path()), ("POST", "/push.v1.PusherService/Push"));
        let mut message = Vec::new();
        GzDecoder::new(body).read_to_end(&mut message).unwrap();
        let request = Request::decode(&*message).unwrap();
        let [series] = &*request.series else { panic!("{} series", request.series.len()) };
        let [sample] = &*series.samples else { panic!("{} profiles", series.samples.len()) };
        let labels = series.labels.iter().map(|label| (label.name.clone(), label.value.clone()));
        Self {
            head,
            labels: labels.collect(),
            id: sample.id.clone(),
            profile: Decoded::new(&sample.profile),
            metadata: Profile::from_pprof(&sample.profile).unwrap().metadata,
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.head.headers[name].to_str().unwrap()
    }

    /// What the ledger's entries are in this profile.
    pub(crate) fn entries(&self) -> Values {
        self.profile.at("ledger::entry")
    }

    /// When the interval began, and when it ended.
    fn interval(&self) -> (SystemTime, SystemTime) {
        let start = self.metadata.start.unwrap();
        (start, start + self.metadata.duration)
    }
}

/// All that was allocated for entries, over reports that follow each other: each begins where the one before has
/// ended, and no profile comes twice.
pub(crate) fn allocated_in_a_row(pushes: &[Push]) -> (i64, i64) {
    for pair in pushes.windows(2) {
        assert_eq!(pair[0].interval().1, pair[1].interval().0);
        assert_ne!(pair[0].id, pair[1].id);
    }
    let all: Values = pushes.iter().map(Push::entries).sum();
    (all.alloc_objects, all.alloc_bytes)
}

/// The messages of the request, by their field numbers in `push.proto`.
#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    series: Vec<Series>,
}

#[derive(Clone, PartialEq, Message)]
struct Series {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(bytes = "vec", tag = "1")]
    profile: Vec<u8>,
    #[prost(string, tag = "2")]
    id: String,
}
