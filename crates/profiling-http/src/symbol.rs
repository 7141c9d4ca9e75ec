//! Names of addresses, as `go tool pprof` asks for them.

use std::fmt::Write;

use allometer_profile::{Figures, Metadata, ProfileBuilder, RawFrame, ReturnAddress, Symbolizer};

/// Addresses as they stand in a request: `0x401000+0x402000`. What is none of it is left out, as Go does.
pub(crate) fn addresses(text: &str) -> Vec<u64> {
    let parse = |word: &str| match word.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.trim().parse().ok(),
    };
    text.split('+').filter_map(parse).collect()
}

/// The answer: that there are names, and a line with the function for each address that has one, by its mangled name.
pub(crate) fn answer(addresses: &[u64], symbolizer: &mut Symbolizer) -> String {
    let mut text = "num_symbols: 1\n".to_owned();
    let mut builder = ProfileBuilder::new(Metadata::default());
    for address in addresses {
        // They lie inside of calls, where stacks have the address that a call returns to.
        let frame = RawFrame::Address(ReturnAddress::new(address.saturating_add(1)));
        builder.add([frame], Figures::default());
    }
    let profile = builder.finish(symbolizer);
    for (address, sample) in addresses.iter().zip(&profile.samples) {
        let location = sample.stack.first().and_then(|index| profile.location(*index));
        let in_code = location.filter(|location| location.mapping.is_some());
        let line = in_code.and_then(|location| location.lines.last());
        let Some(function) = line.and_then(|line| profile.function(line.function)) else { continue };
        // As the compiler wrote it: what is not mangled Go takes for C++ and leaves out all that stands between < and >.
        let name = if function.system_name.is_empty() { &function.name } else { &function.system_name };
        let _ = writeln!(text, "{address:#x} {}", name.escape_debug());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hexadecimal_or_not() {
        assert_eq!(addresses("0x10+0xff+12"), [16, 255, 12]);
        assert_eq!(addresses("0x10 + zz+0x+-1+\n"), [16]);
        assert!(addresses("0xfffffffffffffffff").is_empty());
    }

    #[test]
    fn a_function_of_this_program_has_its_name() {
        #[inline(never)]
        fn looked_up() -> usize {
            std::hint::black_box(7)
        }
        let address = looked_up as fn() -> usize as usize as u64 + 1;
        let text = answer(&[address, 8, u64::MAX], &mut Symbolizer::new());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "num_symbols: 1");
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[1].starts_with(&format!("{address:#x} ")) && lines[1].contains("9looked_up"), "{text}");
    }
}
