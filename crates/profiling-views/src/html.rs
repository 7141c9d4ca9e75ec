//! A profile as a page: one file, which loads nothing else.

use allometer_profile::Profile;

use crate::{DiffBy, diff_by, json, json_diff, page_parts, printable};

/// What the page is filled into.
const PAGE: &str = include_str!("html/page.html");
const REPORT: &str = include_str!("html/page.js");

/// How the page is made.
#[derive(Clone, Debug, PartialEq)]
pub struct HtmlOptions<'profile> {
    /// Its title.
    pub title: String,
    /// An earlier profile: then the page says what changed since.
    pub before: Option<&'profile Profile>,
}

impl Default for HtmlOptions<'_> {
    /// Under the title `Heap profile`, without an earlier one.
    fn default() -> Self {
        Self { title: "Heap profile".to_owned(), before: None }
    }
}

/// The profile as a page for a browser: totals and losses, a flamegraph that can be searched and zoomed, a table that can
/// be sorted, lifetimes, sizes, what the allocator said of itself, and what changed since an earlier profile.
///
/// It is one file that needs no network, and forbids itself to use any. Names are shown as text, whatever they hold.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
/// use allometer_views::{HtmlOptions, html};
///
/// let mut builder = ProfileBuilder::new(Metadata { live: true, ..Metadata::default() });
/// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
/// builder.add([RawFrame::Marker("[cache]")], Figures { live, ..Figures::default() });
/// let page = html(&builder.finish(&mut Symbolizer::new()), &HtmlOptions::default());
/// assert!(page.starts_with("<!doctype html>") && page.contains("[cache]"));
/// ```
pub fn html(profile: &Profile, options: &HtmlOptions<'_>) -> String {
    let changes = options.before.map(|before| {
        let by = |by| json_diff(&diff_by(before, profile, by));
        format!("[{},{}]", by(DiffBy::Function), by(DiffBy::Stack))
    });
    page_parts::filled(PAGE, |name| match name {
        "TITLE" => Some(escaped(&printable(&options.title))),
        "PROFILE" => Some(in_script(&json(profile))),
        "CHANGES" => Some(in_script(changes.as_deref().unwrap_or("null"))),
        "REPORT" => Some(REPORT.to_owned()),
        _ => None,
    })
}

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON in a script element, whose end no text in it can be taken for: a `<` is in strings alone.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::tests::profile;

    #[test]
    fn nothing_is_left_to_fill_in_and_no_name_ends_the_script() {
        let before = profile(Some(7), &[("cache", (0..50).collect())]);
        let mut after = profile(Some(7), &[("leak", (0..36).collect())]);
        after.functions[0].name = "</script><b>{{STYLE}}".to_owned();
        let options = HtmlOptions { title: "<shop> & {{PROFILE}}".to_owned(), before: Some(&before) };
        let page = html(&after, &options);
        assert!(page.contains("<h1>&lt;shop&gt; &amp; {{PROFILE}}</h1>"));
        assert!(page.contains(r"\u003c/script>\u003cb>{{STYLE}}"));
        assert_eq!(page.matches("</script>").count(), 3);
        assert!(page.contains(r#""schema":"allometer-diff/1""#));
        assert!(html(&after, &HtmlOptions::default()).contains(r#"type="application/json">null</script>"#));
    }

    #[test]
    fn it_names_no_other_file() {
        let page = html(&Profile::default(), &HtmlOptions::default());
        for word in ["http:", "https:", "src=", "@import", "url(", "import(", "fetch("] {
            assert!(!page.contains(word), "{word}");
        }
        assert_eq!(page.matches("href=").count(), page.matches("href=\"data:,\"").count());
    }
}
