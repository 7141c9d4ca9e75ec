/// A line of the map: `7f2a4000-7f2a6000 r-xp 00002000 08:01 1234   /usr/lib/libx.so`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area<'a> {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) is_readable: bool,
    pub(crate) is_executable: bool,
    /// In the file, in bytes.
    pub(crate) offset: u64,
    /// As it stands there; empty for memory without a file.
    pub(crate) path: &'a [u8],
}

impl<'a> Area<'a> {
    pub(crate) fn parse(line: &'a [u8]) -> Option<Self> {
        let mut rest = line;
        let mut field = || {
            let end = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
            let (field, behind) = rest.split_at(end);
            rest = behind.trim_ascii_start();
            field
        };
        let (addresses, rights, offset, _device, _file) = (field(), field(), field(), field(), field());
        let dash = addresses.iter().position(|&byte| byte == b'-')?;
        let &[read, _, execute, _] = rights else { return None };
        Some(Self {
            start: hexadecimal_number(addresses.get(..dash)?)?,
            end: hexadecimal_number(addresses.get(dash + 1..)?)?,
            is_readable: read == b'r',
            is_executable: execute == b'x',
            offset: hexadecimal_number(offset)?,
            path: rest,
        })
    }

    /// Whether a module may begin here.
    pub(crate) fn begins_a_file(&self) -> bool {
        self.is_readable && self.offset == 0 && (self.path.starts_with(b"/") || self.path == b"[vdso]")
    }

    /// Where the byte at this offset of its file is in memory.
    pub(crate) fn address_of(&self, offset: u64) -> Option<u64> {
        let address = self.start.checked_add(offset.checked_sub(self.offset)?)?;
        (address < self.end).then_some(address)
    }
}

fn hexadecimal_number(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line() {
        let line = b"7f2a4000-7f2a6000 r-xp 00002000 08:01 1234                       /usr/lib/lib x.so";
        let area = Area {
            start: 0x7f2a_4000,
            end: 0x7f2a_6000,
            is_readable: true,
            is_executable: true,
            offset: 0x2000,
            path: b"/usr/lib/lib x.so",
        };
        assert_eq!(Area::parse(line), Some(area));
        assert_eq!(area.address_of(0x2010), Some(0x7f2a_4010));
        assert_eq!([area.address_of(0x1fff), area.address_of(0x4000)], [None; 2]);
        let nameless = Area::parse(b"7f2a4000-7f2a6000 rw-p 00000000 00:00 0 ").unwrap();
        assert!(nameless.path.is_empty() && !nameless.is_executable && !nameless.begins_a_file());
        for line in
            ["", "7f2a4000", "7f2a4000-7f2a6000 r-xp", "x-7f2a6000 r-xp 0 08:01 1 /x", "1-2 r 0 08:01 1 /x"]
        {
            assert_eq!(Area::parse(line.as_bytes()), None, "{line}");
        }
    }
}
