//! A real program, which parses every Rust source of a directory so many times: to count what mimalloc's hooks cost where nothing uses them.

use std::{env, error::Error, fs};

use allometer_rustfs::RustfsMimalloc;

#[global_allocator]
static ALLOC: RustfsMimalloc = RustfsMimalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let [_, directory, times] = arguments.as_slice() else { return Err("expected DIRECTORY TIMES".into()) };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    let mut items = 0;
    for _ in 0..times.parse()? {
        for file in &files {
            items += syn::parse_file(&fs::read_to_string(file)?)?.items.len();
        }
    }
    println!("{items}");
    Ok(())
}
