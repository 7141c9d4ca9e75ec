use crate::Metadata;

/// The functions that are left out at the leaf, as the pattern that the format has for it. Readers that look for names
/// themselves leave out whatever matches, and what it calls.
pub(super) fn write(metadata: &Metadata) -> String {
    let names: Vec<&str> = metadata.left_out_at_leaf.iter().map(String::as_str).filter(is_plain).collect();
    if names.is_empty() { String::new() } else { format!("{BEFORE}{}{BEHIND}", names.join("|")) }
}

const BEFORE: &str = "(.*::)?(";
const BEHIND: &str = ")";
/// Most names that are read.
const MOST: usize = 64;

/// The functions of a pattern, if it has this form; none of another writer's.
pub(super) fn read(pattern: &str) -> Vec<String> {
    let names = pattern.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(BEHIND)).unwrap_or_default();
    let names: Vec<&str> = names.split('|').take(MOST + 1).collect();
    let is_own = names.len() <= MOST && names.iter().all(is_plain);
    if is_own { names.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

/// Whether a name means nothing else in a pattern.
fn is_plain(name: &&str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(names: &[&str]) -> String {
        let left_out_at_leaf = names.iter().copied().map(str::to_owned).collect();
        write(&Metadata { left_out_at_leaf, ..Metadata::default() })
    }

    #[test]
    fn names_are_read_as_they_were_written() {
        let pattern = written(&["__rust_alloc", "", "a.b", "__rust_realloc"]);
        assert_eq!(pattern, "(.*::)?(__rust_alloc|__rust_realloc)");
        assert_eq!(read(&pattern), ["__rust_alloc", "__rust_realloc"]);
        assert_eq!((written(&[]), read("").len()), (String::new(), 0));
    }

    #[test]
    fn patterns_of_others_are_left_alone() {
        let many = written(&["x"; MOST + 1]);
        for pattern in ["malloc", "(.*::)?(a|.*)", "(.*::)?()", "(.*::)?(a", "(.*::)?(a||b)", &many] {
            assert!(read(pattern).is_empty(), "{pattern}");
        }
        assert_eq!(read(&written(&["x"; MOST])).len(), MOST);
    }
}
