use super::lines::Lines;
use crate::limit::Budget;
use crate::mappings::area::Area;
use crate::{Error, Mapping};

/// What a mapping takes of memory beside its path, in a list that grows by doubling.
const ENTRY: u64 = 3 * size_of::<Mapping>() as u64 + 32;

/// The executable mappings of the rest: lines as in `/proc/self/maps`. What is none of these is left out, as other
/// readers do.
pub(super) fn read(lines: &mut Lines<'_>, memory: &Budget) -> Result<Vec<Mapping>, Error> {
    let mut mappings = Vec::new();
    for line in lines {
        let Some(area) = Area::parse(line.bytes()).filter(|area| area.is_executable) else { continue };
        let path = area.path.strip_suffix(b" (deleted)").unwrap_or(area.path);
        memory.take(ENTRY + 3 * path.len() as u64, line.place())?;
        mappings.push(Mapping {
            start: area.start,
            limit: area.end,
            offset: area.offset,
            path: String::from_utf8_lossy(path).into_owned(),
            ..Mapping::default()
        });
    }
    Ok(mappings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limit;

    #[test]
    fn code_is_mapped_and_the_rest_is_left_out() {
        let text = "\
build=/srv/app
55c6d432a000-55c6d4358000 r--p 00000000 fe:00 901127                     /srv/app/shop
55c6d4358000-55c6d4409000 r-xp 0002d000 fe:00 901127                     /srv/app/shop (deleted)
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
";
        let of = |start, limit, offset, path: &str| Mapping {
            start,
            limit,
            offset,
            path: path.to_owned(),
            ..Mapping::default()
        };
        let shop = of(0x55c6_d435_8000, 0x55c6_d440_9000, 0x2_d000, "/srv/app/shop");
        let vsyscall = of(0xffff_ffff_ff60_0000, 0xffff_ffff_ff60_1000, 0, "[vsyscall]");
        let read = read(&mut Lines::of(text.as_bytes()), &Budget::new(Limit::Memory)).unwrap();
        assert_eq!(read, [shop, vsyscall]);
    }
}
