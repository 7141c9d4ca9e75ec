//! Names of files that are not complete yet.

use allometer_views::ReportFile;

/// A file that is being written is called like the complete one, hidden, and with an end that no report has.
pub(crate) fn of(file: &ReportFile) -> String {
    format!(".{file}.tmp")
}

/// The file that one of this name is to become, if it is such a name.
pub(crate) fn read(name: &str) -> Option<ReportFile> {
    name.strip_prefix('.')?.strip_suffix(".tmp")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_shape_is_one() {
        let file = "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz";
        let temporary = of(&file.parse().unwrap());
        assert_eq!(read(&temporary).unwrap().to_string(), file);
        assert!(temporary.parse::<ReportFile>().is_err());
        for name in [file, ".shop.tmp", ".tmp", "", &temporary[1..], &format!(".{temporary}")] {
            assert!(read(name).is_none(), "{name}");
        }
    }
}
