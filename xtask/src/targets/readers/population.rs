//! The same population, by two readers that share nothing: `go tool pprof -raw` and our own decoder.

use allometer_profile::SampleType;

use crate::{
    error::Error,
    targets::readers::{pprof, subject::Subject},
    workspace::Workspace,
};

/// Adds the samples of a profile up twice and compares.
pub(super) fn check(workspace: &Workspace, subject: &Subject) -> Result<(), Error> {
    let fault = |fault| Error::Reader { place: "go tool pprof -raw".to_owned(), fault };
    let theirs = sum(&pprof::print(workspace, &["-raw"], &subject.file)?).map_err(fault)?;
    let total = subject.profile.total();
    let ours = SampleType::ALL.map(|sample_type| total.get(sample_type).value as i64);
    if theirs != ours {
        return Err(fault(format!("go adds {theirs:?} up, we {ours:?}")));
    }
    Ok(())
}

/// The sums of the four columns of `-raw`'s samples.
fn sum(raw: &str) -> Result<[i64; 4], String> {
    let samples = raw.lines().skip_while(|line| *line != "Samples:").skip(1);
    let mut samples = samples.take_while(|line| *line != "Locations");
    let header = samples.next().unwrap_or_default();
    let types: Vec<&str> = header.split_whitespace().collect();
    let expected = ["alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes"];
    let is_as_expected = |(seen, expected): (&&str, &str)| seen.trim_end_matches("[dflt]") == expected;
    if types.len() != 4 || !types.iter().zip(expected).all(is_as_expected) {
        return Err(format!("the columns are {header:?}: expected {}", expected.join(" ")));
    }
    let mut sums = [0; 4];
    for line in samples {
        // A line of labels has no stack.
        let Some((values, _stack)) = line.split_once(':').filter(|(values, _)| !values.contains('[')) else {
            continue;
        };
        let values: Vec<i64> = values.split_whitespace().filter_map(|value| value.parse().ok()).collect();
        if values.len() != 4 {
            return Err(format!("{line:?}: expected four values"));
        }
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    if sums == [0; 4] { Err("no samples".to_owned()) } else { Ok(sums) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "\
PeriodType: space bytes
Samples:
alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes[dflt]
       2235    1731520        146      49926: 1 2 3
         10         20          0          1: 2
Locations
     1: 0x55 M=1 main /src/main.rs:3 s=0
";

    #[test]
    fn columns_are_added_up() {
        assert_eq!(sum(RAW), Ok([2245, 1_731_540, 146, 49_927]));
    }

    #[test]
    fn another_order_of_columns_is_a_fault() {
        let swapped =
            RAW.replace("alloc_objects/count alloc_space/bytes", "alloc_space/bytes alloc_objects/count");
        assert!(sum(&swapped).is_err());
        assert!(sum("").is_err());
        assert!(sum(&RAW.replace("         10         20 ", "")).unwrap_err().contains("four values"));
    }
}
