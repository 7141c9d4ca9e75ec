//! Which addresses around a stack pointer are stack.

// unsafe: system calls on a buffer of its own.
#![allow(unsafe_code)]

use std::ops::Range;

/// The mapping that `sp` lies in, if it is private memory without a file: a stack.
///
/// Reads `/proc/self/maps` with system calls alone, because whoever asks may be a signal handler in the
/// middle of anything. A call that fails leaves no trace in `errno`, which the program may be about to read.
pub(super) fn stack_around(sp: usize) -> Option<Range<usize>> {
    let before = errno();
    let found = find_stack(sp);
    set_errno(before);
    found
}

fn errno() -> libc::c_int {
    // SAFETY: this thread's own word (errno(3)).
    unsafe { *libc::__errno_location() }
}

fn set_errno(number: libc::c_int) {
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = number };
}

fn find_stack(sp: usize) -> Option<Range<usize>> {
    // SAFETY: a path with its null, and no flags that want more arguments (open(2)).
    let file = unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return None;
    }
    let found = search(sp, |buffer| {
        // SAFETY: the descriptor is ours, the buffer is writable for its length (read(2)).
        let count = unsafe { libc::read(file, buffer.as_mut_ptr().cast(), buffer.len()) };
        usize::try_from(count).unwrap_or(0)
    });
    // SAFETY: the descriptor is ours and not used any more (close(2)).
    unsafe { libc::close(file) };
    found
}

/// Goes through the lines that `read` fills a buffer with; zero bytes are the end.
pub(super) fn search(sp: usize, mut read: impl FnMut(&mut [u8]) -> usize) -> Option<Range<usize>> {
    let mut buffer = [0; 1024];
    let mut line = Line::default();
    loop {
        let count = read(&mut buffer);
        if count == 0 {
            return None;
        }
        for byte in buffer.iter().take(count) {
            if *byte != b'\n' {
                line.push(*byte);
                continue;
            }
            if line.range.contains(&sp) {
                return line.is_stack().then_some(line.range);
            }
            line = Line::default();
        }
    }
}

/// A line of the file, as far as it has been read: `7ffd0-7ffd2 rw-p 00000000 00:00 0   [stack]`.
#[derive(Debug, Default)]
struct Line {
    /// Fields begun, and whether the last byte was part of one.
    field: usize,
    in_field: bool,
    number: usize,
    range: Range<usize>,
    is_readable: bool,
    is_private: bool,
    is_of_file: bool,
}

impl Line {
    fn push(&mut self, byte: u8) {
        if byte == b' ' {
            if self.in_field && self.field == 1 {
                self.range.end = self.number;
            }
            self.in_field = false;
            self.number = 0;
            return;
        }
        self.field += usize::from(!self.in_field);
        self.in_field = true;
        match (self.field, byte) {
            (1, b'-') => {
                self.range.start = self.number;
                self.number = 0;
            }
            (1, _) => self.number = self.number << 4 | (byte as char).to_digit(16).unwrap_or(0) as usize,
            (2, b'r') => self.is_readable = true,
            (2, b'p') => self.is_private = true,
            // The number of a file.
            (5, b'1'..=b'9') => self.is_of_file = true,
            _ => {}
        }
    }

    fn is_stack(&self) -> bool {
        self.is_readable && self.is_private && !self.is_of_file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d0c000-55d0e000 r--p 00000000 08:01 1234 /bin/cat
7f0000000000-7f0000021000 rw-p 00000000 00:00 0
7f0000021000-7f0000022000 ---p 00000000 00:00 0
7ffd12340000-7ffd12361000 rw-p 00000000 00:00 0                          [stack]
";

    fn found(sp: usize, chunk: usize) -> Option<Range<usize>> {
        let mut rest = MAPS.as_bytes();
        search(sp, |buffer| {
            let count = rest.len().min(chunk);
            buffer[..count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            count
        })
    }

    #[test]
    fn finds_the_mapping_whatever_the_reads() {
        for chunk in [1, 7, 100, 1024] {
            assert_eq!(found(0x7ffd_1235_0000, chunk), Some(0x7ffd_1234_0000..0x7ffd_1236_1000));
            assert_eq!(found(0x7f00_0000_0000, chunk), Some(0x7f00_0000_0000..0x7f00_0002_1000));
        }
    }

    #[test]
    fn files_and_guards_are_no_stacks() {
        assert_eq!(found(0x55d0_d000, 64), None);
        assert_eq!(found(0x7f00_0002_1000, 64), None);
        assert_eq!(found(0x1000, 64), None);
    }

    #[test]
    fn any_number_of_a_file_is_one() {
        for (number, is_file) in
            [("0", false), ("000", false), ("10", true), ("99999999999999999999999", true)]
        {
            let line = format!("1000-2000 rw-p 00000000 00:00 {number}\n");
            let mut rest = line.as_bytes();
            let found = search(0x1800, |buffer| std::io::Read::read(&mut rest, buffer).unwrap());
            assert_eq!(found.is_none(), is_file, "{number}");
        }
    }

    #[test]
    fn finds_this_thread_s_own() {
        let local = 0u8;
        let address = (&raw const local).addr();
        assert!(stack_around(address).unwrap().contains(&address));
        let other = std::thread::spawn(|| {
            let local = 0u8;
            let address = (&raw const local).addr();
            stack_around(address).unwrap().contains(&address)
        });
        assert!(other.join().unwrap());
        let constant = "in the program's file";
        assert_eq!(stack_around(constant.as_ptr().addr()), None);
    }
}
