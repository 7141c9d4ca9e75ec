//! What the page of a profile and that of a running program have in common: the style, the scripts that show a profile, and the
//! sections that they fill. For the crates of this workspace.

const STYLE: &str = include_str!("html/style.css");
const CONTROLS: &str = include_str!("html/controls.html");
const GROWTH: &str = include_str!("html/growth.html");
const SECTIONS: &str = include_str!("html/sections.html");
const SCRIPT: &str = concat!(
    include_str!("html/quantity.js"),
    include_str!("html/model.js"),
    include_str!("html/flamegraph.js"),
    include_str!("html/table.js"),
    include_str!("html/histogram.js"),
    include_str!("html/header.js"),
    include_str!("html/memory.js"),
    include_str!("html/functions.js"),
    include_str!("html/distributions.js"),
    include_str!("html/growth.js"),
    include_str!("html/view.js"),
);

/// The template with all its gaps, such as `{{STYLE}}`, filled: by `own`, or by what pages have in common.
pub fn filled(template: &str, own: impl Fn(&str) -> Option<String>) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, name, after)) = next_gap(rest) {
        page.push_str(before);
        match own(name) {
            Some(text) => page.push_str(&text),
            None => page.push_str(common(name)),
        }
        rest = after;
    }
    page + rest
}

fn common(name: &str) -> &'static str {
    match name {
        "STYLE" => STYLE,
        "CONTROLS" => CONTROLS,
        "GROWTH" => GROWTH,
        "SECTIONS" => SECTIONS,
        "SCRIPT" => SCRIPT,
        _ => "",
    }
}

/// What is before the next `{{NAME}}`, its name, and what is behind it.
fn next_gap(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_own_texts_come_first_and_are_not_filled_themselves() {
        let own = |name: &str| (name == "TITLE").then(|| "{{STYLE}}".to_owned());
        let page = filled("<{{TITLE}}>{{CONTROLS}}<", own);
        assert_eq!(page, format!("<{{{{STYLE}}}}>{CONTROLS}<"));
    }
}
