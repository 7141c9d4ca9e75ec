//! The memory that this process has.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
};

/// Bytes of memory that this process has and that are no file's, counted page by page by the kernel.
///
/// Allocates nothing, so that it does not change what it counts.
///
/// # Errors
///
/// Where `/proc/self/smaps_rollup` cannot be read: elsewhere than on Linux.
pub(crate) fn resident() -> io::Result<u64> {
    let mut text = [0; 4096];
    let mut file = File::open("/proc/self/smaps_rollup")?;
    let mut length = 0;
    loop {
        match file.read(&mut text[length..])? {
            0 => break,
            more => length += more,
        }
    }
    let text = std::str::from_utf8(&text[..length]).map_err(|_| io::Error::from(ErrorKind::InvalidData))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    Ok(kilobytes.ok_or(ErrorKind::InvalidData)? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_written_to_is_counted_and_given_back() {
        const SIZE: usize = 32 << 20;
        let before = resident().unwrap();
        let block = std::hint::black_box(vec![1u8; SIZE]);
        let during = resident().unwrap();
        drop(block);
        let after = resident().unwrap();
        assert!(
            during >= before + SIZE as u64 && after + (SIZE as u64) / 2 < during,
            "{before} {during} {after}"
        );
    }
}
