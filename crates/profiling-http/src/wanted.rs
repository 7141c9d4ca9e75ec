//! The profile that a request wants, and in which form.

use std::time::Duration;

use allometer_profile::{Profile, SampleType};
use allometer_views::{FlamegraphOptions, HtmlOptions, flamegraph, folded, html, json, top_by};
use bytes::Bytes;
use http::Response;

use crate::{
    content::{self, Content},
    query::Query,
    refusal::Refusal,
};

/// The parameters that the routes with profiles know.
pub(crate) const PARAMETERS: [&str; 7] = ["debug", "seconds", "gc", "format", "type", "inlines", "min"];

/// Most seconds that a request can wait.
const MAX_SECONDS: u64 = 60;

/// The profile that a request wants, and in which form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wanted {
    /// What it is kept as, and the figure that is shown first.
    pub(crate) route: ProfileRoute,
    pub(crate) form: Form,
    pub(crate) figure: SampleType,
    pub(crate) inlines: Inlines,
    /// Sites of less become one; in the unit of `figure`.
    pub(crate) min: Option<u64>,
    /// Only what is allocated in a span of this length from now on.
    pub(crate) span: Option<Duration>,
    /// Whether free memory is to be given back first.
    pub(crate) purge: bool,
}

/// The paths below which there are profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProfileRoute {
    Heap,
    Allocs,
    Flamegraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Pprof,
    /// Go's `debug=1`.
    HeapText,
    Json,
    Html,
    Svg,
    Folded,
    /// The functions that hold most.
    Top,
}

/// What becomes of inlined functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inlines {
    /// Several functions at one location.
    Kept,
    /// A location each, for readers that show one function a location.
    Expanded,
    LeftOut,
}

const FORMS: [(&str, Form); 7] = [
    ("pprof", Form::Pprof),
    ("debug", Form::HeapText),
    ("json", Form::Json),
    ("html", Form::Html),
    ("svg", Form::Svg),
    ("folded", Form::Folded),
    ("text", Form::Top),
];
const INLINES: [(&str, Inlines); 3] =
    [("true", Inlines::Kept), ("expanded", Inlines::Expanded), ("false", Inlines::LeftOut)];
const FLAG: [(&str, bool); 2] = [("0", false), ("1", true)];
/// Functions in the table.
const ROWS: usize = 100;

impl ProfileRoute {
    fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Allocs => "allocs",
            Self::Flamegraph => "flamegraph",
        }
    }
}

impl Wanted {
    /// What the parameters say.
    pub(crate) fn of(route: ProfileRoute, query: &Query<'_>) -> Result<Self, Refusal> {
        let form = query.word("format", &FORMS)?;
        let form = match query.word("debug", &FLAG)? {
            Some(_) if form.is_some() => {
                let value = query.get("debug").unwrap_or_default().to_owned();
                let expected = "no debug where there is a format".to_owned();
                return Err(Refusal::Parameter { name: "debug", value, expected });
            }
            Some(true) => Form::HeapText,
            Some(false) => Form::Pprof,
            None => form.unwrap_or(if route == ProfileRoute::Flamegraph { Form::Svg } else { Form::Pprof }),
        };
        let figures = SampleType::ALL.map(|sample_type| (sample_type.name(), sample_type));
        let usual =
            if route == ProfileRoute::Allocs { SampleType::AllocBytes } else { SampleType::LiveBytes };
        let seconds = query.read("seconds", "a whole number from 1 to 60", |text| {
            digits(text).filter(|seconds| (1..=MAX_SECONDS).contains(seconds))
        })?;
        Ok(Self {
            route,
            form,
            figure: query.word("type", &figures)?.unwrap_or(usual),
            inlines: query.word("inlines", &INLINES)?.unwrap_or(Inlines::Kept),
            min: query.read(
                "min",
                "a whole number of bytes, or of objects where the type is of objects",
                digits,
            )?,
            span: seconds.map(Duration::from_secs),
            purge: query.word("gc", &FLAG)?.unwrap_or(false),
        })
    }

    /// The profile as it is wanted.
    pub(crate) fn shape(&self, mut profile: Profile) -> Profile {
        profile.metadata.default_type = self.figure;
        profile.metadata.is_interval = self.span.is_some();
        let profile = match self.inlines {
            Inlines::Kept => profile,
            Inlines::Expanded => profile.expand_inlines(),
            Inlines::LeftOut => profile.without_inlines(),
        };
        let Some(min) = self.min else { return profile };
        let is_large =
            |sample: &&allometer_profile::Sample| sample.figures.get(self.figure).value >= min as f64;
        let large = profile.samples.iter().filter(is_large).count();
        profile.largest(large, self.figure)
    }

    /// The bytes of the answer.
    pub(crate) fn write(&self, profile: &Profile) -> Result<Vec<u8>, Refusal> {
        let title = || match self.span {
            Some(span) => format!("Heap profile of {} seconds", span.as_secs()),
            None => "Heap profile".to_owned(),
        };
        Ok(match self.form {
            Form::Pprof => profile.to_pprof_gzip(),
            Form::HeapText => profile.to_heap_text().into_bytes(),
            Form::Json => json(profile).into_bytes(),
            Form::Html => html(profile, &HtmlOptions { title: title(), before: None }).into_bytes(),
            Form::Svg => {
                let options = FlamegraphOptions { title: title(), sample_type: self.figure };
                flamegraph(profile, &options).map_err(|_| Refusal::Nothing)?.into_bytes()
            }
            Form::Folded => folded(profile, self.figure).into_bytes(),
            Form::Top => top_by(profile, self.figure.into(), ROWS).to_string().into_bytes(),
        })
    }

    pub(crate) fn response(&self, body: Bytes) -> Response<Bytes> {
        let content: Content = match self.form {
            Form::Pprof => return content::PPROF.attachment(body, self.route.name()),
            Form::Json => content::JSON,
            Form::Html => content::HTML,
            Form::Svg => content::SVG,
            Form::HeapText | Form::Folded | Form::Top => content::TEXT,
        };
        content.response(body)
    }
}

/// A number without a sign.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(route: ProfileRoute, text: &str) -> Result<Wanted, String> {
        let query = Query::of(Some(text), &PARAMETERS).map_err(|refusal| refusal.to_string())?;
        Wanted::of(route, &query).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn each_route_has_its_form_and_its_figure() {
        let usual = |route| of(route, "").map(|wanted| (wanted.form, wanted.figure)).unwrap();
        assert_eq!(usual(ProfileRoute::Heap), (Form::Pprof, SampleType::LiveBytes));
        assert_eq!(usual(ProfileRoute::Allocs), (Form::Pprof, SampleType::AllocBytes));
        assert_eq!(usual(ProfileRoute::Flamegraph), (Form::Svg, SampleType::LiveBytes));
        let asked =
            of(ProfileRoute::Heap, "format=json&type=alloc_objects&inlines=false&min=9&seconds=60&gc=1")
                .unwrap();
        let expected = Wanted {
            route: ProfileRoute::Heap,
            form: Form::Json,
            figure: SampleType::AllocObjects,
            inlines: Inlines::LeftOut,
            min: Some(9),
            span: Some(Duration::from_secs(60)),
            purge: true,
        };
        assert_eq!(asked, expected);
        let form = |text| of(ProfileRoute::Flamegraph, text).unwrap().form;
        assert_eq!(
            (form("debug=0"), form("debug=1"), form("format=pprof")),
            (Form::Pprof, Form::HeapText, Form::Pprof)
        );
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        let refused = |text: &str| of(ProfileRoute::Heap, text).unwrap_err();
        for seconds in ["0", "61", "-1", "+5", "1.5", "", "5s", "99999999999999999999", "0x5"] {
            let expected = format!("seconds is `{seconds}`: expected a whole number from 1 to 60");
            assert_eq!(refused(&format!("seconds={}", seconds.replace('+', "%2B"))), expected);
        }
        assert_eq!(refused("debug=2"), "debug is `2`: expected 0, 1");
        assert_eq!(refused("debug=1&format=svg"), "debug is `1`: expected no debug where there is a format");
        assert_eq!(
            refused("type=space"),
            "type is `space`: expected alloc_objects, alloc_space, inuse_objects, inuse_space"
        );
        assert_eq!(
            refused("format=../../etc/passwd"),
            "format is `../../etc/passwd`: expected pprof, debug, json, html, svg, folded, text"
        );
        assert!(refused("name=/etc/passwd").starts_with("the parameter `name` is not known"));
        assert!(refused("min=1KiB").starts_with("min is `1KiB`: expected a whole number"));
    }
}
