use std::path::Path;

use allometer_profile::{Profile, SampleType};
use allometer_views::{FlamegraphOptions, HtmlOptions, flamegraph, folded, html, json};
use clap::ValueEnum;

use crate::error::Error;
use crate::figure;
use crate::output::Output;

/// A format that a profile can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// pprof, compressed: .pb.gz, .gz, .pprof
    Pprof,
    /// pprof, not compressed: .pb
    PprofPlain,
    /// Folded stacks: .folded, .txt
    Folded,
    /// A flamegraph: .svg
    Svg,
    /// A page for a browser: .html
    Html,
    /// JSON, for programs: .json
    Json,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "gz" | "pprof" => Some(Self::Pprof),
            "pb" => Some(Self::PprofPlain),
            "folded" | "txt" => Some(Self::Folded),
            "svg" => Some(Self::Svg),
            "html" => Some(Self::Html),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The one that was asked for, or that the name of a file tells.
    pub(crate) fn choose(asked: Option<Self>, output: &Output) -> Result<Self, Error> {
        let told = asked.or_else(|| Self::of(output.path()?));
        told.ok_or(Error::Usage("the name of the output does not tell its format: say which with --to"))
    }

    /// The profile in this format. Those that hold one figure have that of `sample_type`.
    pub(crate) fn write(
        self,
        profile: &Profile,
        sample_type: SampleType,
    ) -> Result<Vec<u8>, allometer_views::Error> {
        Ok(match self {
            Self::Pprof => profile.to_pprof_gzip(),
            Self::PprofPlain => profile.to_pprof(),
            Self::Folded => folded(profile, sample_type).into_bytes(),
            Self::Html => html(profile, &HtmlOptions::default()).into_bytes(),
            Self::Json => (json(profile) + "\n").into_bytes(),
            Self::Svg => {
                let options = FlamegraphOptions { title: figure::title(sample_type).to_owned(), sample_type };
                flamegraph(profile, &options)?.into_bytes()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/heap.pb.gz"), Some(Format::Pprof));
        assert_eq!(of("heap.pb"), Some(Format::PprofPlain));
        assert_eq!(of("heap.folded"), Some(Format::Folded));
        assert_eq!(of("heap.svg"), Some(Format::Svg));
        assert_eq!((of("heap.html"), of("heap.json")), (Some(Format::Html), Some(Format::Json)));
        assert_eq!((of("heap"), of("heap.xml"), of(".gz")), (None, None, None));
    }
}
