//! The process's resident memory, and how much the machine has.

use std::fs;

use crate::MemoryUse;

/// See [`MemoryUse::resident`].
pub(super) fn read() -> Option<MemoryUse> {
    let used = bytes_of("VmRSS", &fs::read_to_string("/proc/self/status").ok()?)?;
    let limit = bytes_of("MemTotal", &fs::read_to_string("/proc/meminfo").ok()?)?;
    (limit > 0).then_some(MemoryUse { used, limit })
}

/// The value of a line `VmRSS:     1234 kB`, in bytes. The kernel's kB are KiB.
fn bytes_of(key: &str, text: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    value.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_line() {
        let status = "Name:\tVmRSS: 7 kB\nVmRSSish:\t 1 kB\nVmRSS:\t    5120 kB\nThreads:\t1\n";
        assert_eq!(bytes_of("VmRSS", status), Some(5_242_880));
        for text in ["", "VmRSS: kB", "VmRSS: 5 MB", "VmRSS: -5 kB", "VmRSS: 18446744073709551615 kB"] {
            assert_eq!(bytes_of("VmRSS", text), None, "{text}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_in_memory() {
        let block = std::hint::black_box(vec![1u8; 32 << 20]);
        let MemoryUse { used, limit } = read().unwrap();
        assert!(used >= block.len() as u64 && used < limit);
    }
}
