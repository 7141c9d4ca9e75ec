//! The page of a running program, in one piece.

use std::sync::LazyLock;

use allometer_views::page_parts;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = concat!(
    include_str!("page/server.js"),
    include_str!("page/pace.js"),
    include_str!("page/scale.js"),
    include_str!("page/series.js"),
    include_str!("page/chart.js"),
    include_str!("page/legend.js"),
    include_str!("page/moments.js"),
    include_str!("page/stats.js"),
    include_str!("page/session.js"),
    include_str!("page/tags.js"),
    include_str!("page/profile.js"),
    include_str!("page/page.js"),
);

static PAGE: LazyLock<String> = LazyLock::new(|| {
    page_parts::filled(include_str!("page/page.html"), |name| match name {
        "LIVE_STYLE" => Some(STYLE.to_owned()),
        "LIVE_SCRIPT" => Some(SCRIPT.to_owned()),
        _ => None,
    })
});

/// The page, which asks for nothing but what its own server has: figures, their history, profiles.
pub(crate) fn page() -> &'static str {
    &PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_to_fill_in_and_no_other_file_is_named() {
        assert!(!page().contains("{{"));
        for word in ["src=", "@import", "url(", "import("] {
            assert!(!page().contains(word), "{word}");
        }
        assert_eq!(page().matches("href=").count(), page().matches("href=\"data:,\"").count());
    }
}
