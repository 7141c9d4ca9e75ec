//! Memory for stacks, and threads on it.

use std::{ffi::c_void, ops::Range, ptr};

/// Consecutive pieces of memory, one after another upwards, with pages between them that cannot be touched.
pub struct Memory {
    start: usize,
    piece: usize,
}

const PAGE: usize = 4096;

impl Memory {
    /// So many pieces of `piece` bytes, a multiple of a page. Never given back.
    pub fn new(pieces: usize, piece: usize) -> Self {
        let bytes = pieces * (piece + PAGE) + PAGE;
        let (flags, nothing) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_NONE);
        // SAFETY: fresh memory wherever there is room (mmap(2)).
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, nothing, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let memory = Self { start: start.expose_provenance(), piece };
        (0..pieces).for_each(|at| protect(memory.piece(at), libc::PROT_READ | libc::PROT_WRITE));
        memory
    }

    /// The piece at a position, counted upwards.
    pub fn piece(&self, at: usize) -> Range<usize> {
        let start = self.start + PAGE + at * (self.piece + PAGE);
        start..start + self.piece
    }
}

/// Changes what may be done with memory from [`Memory::new`].
pub fn protect(memory: Range<usize>, protection: i32) {
    let start = ptr::with_exposed_provenance_mut(memory.start);
    // SAFETY: pages of memory that no reference points to (mprotect(2)).
    assert_eq!(unsafe { libc::mprotect(start, memory.len(), protection) }, 0);
}

/// Runs `body` in a thread whose stack is `memory`.
pub fn thread_on(memory: Range<usize>, body: &(dyn Fn() + Sync)) {
    extern "C" fn start(body: *mut c_void) -> *mut c_void {
        // SAFETY: `thread_on` passes such a reference, and waits.
        let body = unsafe { body.cast::<&(dyn Fn() + Sync)>().read() };
        body();
        ptr::null_mut()
    }
    // SAFETY: the attributes are initialised before they are used; the memory is this thread's alone and is not
    // given back; the thread is waited for, so what it is passed outlives it (pthread_attr_setstack(3),
    // pthread_create(3)).
    unsafe {
        let mut attributes = std::mem::zeroed();
        assert_eq!(libc::pthread_attr_init(&mut attributes), 0);
        let bottom = ptr::with_exposed_provenance_mut(memory.start);
        assert_eq!(libc::pthread_attr_setstack(&mut attributes, bottom, memory.len()), 0);
        let mut thread = 0;
        let data = (&raw const body).cast_mut().cast();
        assert_eq!(libc::pthread_create(&mut thread, &attributes, start, data), 0);
        assert_eq!(libc::pthread_join(thread, ptr::null_mut()), 0);
    }
}
