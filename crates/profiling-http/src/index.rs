//! The list of what there is, for people.

use crate::route::ENTRIES;

/// A page of links.
pub(crate) fn page() -> String {
    let mut page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
                    <title>Heap profiles</title></head>\n<body><h1>Heap profiles</h1>\n<table>\n"
        .to_owned();
    for entry in &ENTRIES {
        // Relative, so that they lead there below a prefix too.
        let relative = match entry.path.strip_prefix("/debug/pprof/") {
            Some(name) => format!("./{name}"),
            None => entry.path.replacen("/debug/", "../", 1),
        };
        page.push_str(&format!(
            "<tr><td><a href=\"{relative}\">{}</a></td><td>{}</td></tr>\n",
            entry.path, entry.about
        ));
    }
    page + "</table>\n<p>Profiles take seconds=1..60, format=pprof|json|html|svg|folded|text, \
            type=inuse_space|inuse_objects|alloc_space|alloc_objects, inlines=true|expanded|false and min=N.</p>\n</body></html>\n"
}
