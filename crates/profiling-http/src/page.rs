//! The live page: one file, which loads nothing but what the server tells.

/// The page.
pub(crate) const PAGE: &str = include_str!("page/page.html");
