//! A small index of words.
use std::collections::BTreeMap;

#[global_allocator]
static ALLOC: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[derive(Default)]
struct Index {
    words: BTreeMap<String, Vec<u32>>,
}

impl Index {
    #[inline(never)]
    fn add(&mut self, document: u32, word: String) {
        self.words.entry(word).or_default().push(document);
    }
}

#[inline(never)]
fn word(document: u32, n: u32) -> String {
    format!("a word of the index, number {}", (document * 31 + n * n) % 9001)
}

#[inline(never)]
fn fill(index: &mut Index) {
    for document in 0..600 {
        for n in 0..400 {
            index.add(document, word(document, n));
        }
    }
}

fn main() {
    let mut index = Index::default();
    std::thread::scope(|scope| {
        scope.spawn(|| fill(&mut index));
    });
    let path = std::ffi::CString::new(std::env::args().nth(1).unwrap()).unwrap();
    unsafe { tikv_jemalloc_ctl::raw::write(b"prof.dump\0", path.as_ptr()).unwrap() };
    assert!(!index.words.is_empty());
}
