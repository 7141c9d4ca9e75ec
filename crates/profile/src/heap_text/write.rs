use std::fmt::Write;

use crate::{Amount, Figures, Location, Profile, Sample};

impl Profile {
    /// The profile as text, which people can read and `go tool pprof` too: the form of gperftools (`heap profile: …`), as Go's
    /// `debug=1` has it. Figures are those of [`Profile::to_pprof`], so readers have nothing to scale; names stand in remarks, which
    /// they skip: who reads it as a program asks the server that it is from for names. It has no mappings, or programs would
    /// look names up in files, where line tables have the short ones. Tags, errors, and whatever else a profile holds
    /// are not in it.
    ///
    /// ```
    /// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
    ///
    /// let mut builder = ProfileBuilder::new(Metadata::default());
    /// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
    /// builder.add([RawFrame::Marker("[cache]")], Figures { live, alloc: live });
    /// let text = builder.finish(&mut Symbolizer::new()).to_heap_text();
    /// assert!(text.starts_with("heap profile: 1: 64 [1: 64] @ heapprofile\n1: 64 [1: 64] @\n#\t[cache]\n"));
    /// ```
    pub fn to_heap_text(&self) -> String {
        let mut text = format!("heap profile: {} @ heapprofile\n", counts(self.total()));
        for sample in &self.samples {
            self.write_sample(sample, &mut text);
        }
        text
    }

    fn write_sample(&self, sample: &Sample, text: &mut String) {
        let locations = || sample.stack.iter().filter_map(|index| self.location(*index));
        let _ = write!(text, "{} @", counts(sample.figures));
        for address in locations().filter_map(|location| location.address) {
            let _ = write!(text, " {:#x}", address.get());
        }
        text.push('\n');
        for location in locations() {
            self.write_names(location, text);
        }
    }

    /// A remark for each function of a location.
    fn write_names(&self, location: &Location, text: &mut String) {
        for line in &location.lines {
            let Some(function) = self.function(line.function) else { continue };
            text.push('#');
            if let Some(address) = location.address {
                let _ = write!(text, "\t{:#x}", address.get());
            }
            let _ = write!(text, "\t{}", function.name.escape_debug());
            if !function.file.is_empty() {
                let _ = write!(text, "\t{}:{}", function.file.escape_debug(), line.line);
            }
            text.push('\n');
        }
    }
}

/// Live figures, and those of what was allocated.
fn counts(Figures { alloc, live }: Figures) -> String {
    let of = |Amount { objects, bytes }: Amount| format!("{}: {}", objects.rounded(), bytes.rounded());
    format!("{} [{}]", of(live), of(alloc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Estimate, Function, FunctionIndex, Line, LocationIndex, ReturnAddress};

    fn amount(objects: f64, bytes: f64) -> Amount {
        Amount { objects: Estimate::exact(objects), bytes: Estimate::exact(bytes) }
    }

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let function =
            Function { name: "shop::ca\nche".to_owned(), file: "cache.rs".to_owned(), ..Function::default() };
        let code = Location {
            address: Some(ReturnAddress::new(0x2000)),
            mapping: None,
            lines: vec![Line { function: FunctionIndex(0), line: 7 }],
        };
        let sample = |figures| Sample {
            stack: vec![LocationIndex(0), LocationIndex(1)],
            figures,
            ..Sample::default()
        };
        let profile = Profile {
            functions: vec![function],
            locations: vec![code, Location::default()],
            samples: vec![
                sample(Figures { live: amount(1.4, 64.0), alloc: amount(5.0, 320.6) }),
                sample(Figures { live: amount(2.0, 128.0), alloc: amount(2.0, 128.0) }),
            ],
            ..Profile::default()
        };
        let text = profile.to_heap_text();
        let expected = "heap profile: 3: 192 [7: 449] @ heapprofile
1: 64 [5: 321] @ 0x2000
#\t0x2000\tshop::ca\\nche\tcache.rs:7
2: 128 [2: 128] @ 0x2000
#\t0x2000\tshop::ca\\nche\tcache.rs:7
";
        assert_eq!(text, expected);
        let read = Profile::from_heap_text(text.as_bytes()).unwrap();
        let figures = Figures { live: amount(3.0, 192.0), alloc: amount(7.0, 449.0) };
        assert_eq!(read.total(), figures);
        assert_eq!(read.locations[0].address, profile.locations[0].address);
    }

    #[test]
    fn an_empty_profile_is_read_as_one() {
        let text = Profile::default().to_heap_text();
        assert_eq!(Profile::from_heap_text(text.as_bytes()).unwrap().samples.len(), 0);
    }
}
