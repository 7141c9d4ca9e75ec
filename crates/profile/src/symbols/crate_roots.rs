/// The root files of the crates in a program, to tell the module that a source file stands for.
///
/// Line tables have short names only (`push<u8, ..>`, `{closure#0}`). For a function with machine code of its
/// own the symbol table has the rest, for an inlined one nothing has. The module is then made from the file:
/// not what the compiler would write (modules within a file, and the type of a method, are missing), but
/// enough to tell one `{closure#0}` from another.
#[derive(Debug, Default)]
pub(crate) struct CrateRoots {
    roots: Vec<Root>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Root {
    /// Folder of the root file, without a slash at its end.
    folder: String,
    /// Name of the root file.
    file: String,
    name: String,
}

impl CrateRoots {
    /// Adds what a compilation unit says about its crate: rustc names a unit
    /// `path/to/lib.rs/@/name.hash-cgu.0`, the path being relative to the `folder` it was compiled in.
    pub(crate) fn add_unit(&mut self, folder: &str, unit: &str) {
        let Some((path, unit)) = unit.split_once("/@/") else { return };
        let Some((name, _)) = unit.split_once('.') else { return };
        let path = if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
        let Some((folder, file)) = path.rsplit_once('/') else { return };
        let root = Root { folder: folder.to_owned(), file: file.to_owned(), name: name.to_owned() };
        // Sorted, so that the answer does not depend on the order of units.
        if let Err(position) = self.roots.binary_search(&root) {
            self.roots.insert(position, root);
        }
    }

    /// The module that `path` stands for, such as `alloc::raw_vec`; `None` when its crate is not known.
    pub(crate) fn module(&self, path: &str) -> Option<String> {
        let (folder, file) = path.rsplit_once('/')?;
        let own = self.roots.iter().find(|root| root.folder == folder && root.file == file);
        let above = || self.roots.iter().filter(|root| below(path, &root.folder).is_some());
        if let Some(root) = own {
            return Some(root.name.clone());
        }
        if let Some(root) = above().max_by_key(|root| root.folder.len()) {
            return Some(join(&root.name, below(path, &root.folder)?));
        }
        // A crate without a unit of its own, such as one that only has generic functions: by convention.
        let (package, inside) = path.rsplit_once("/src/")?;
        let package = package.rsplit('/').next()?;
        let made = inside.split('/').any(|part| part == "out" || part == "target");
        (!made).then(|| join(&crate_name(package), inside))
    }
}

/// The path of a file relative to a folder above it.
fn below<'path>(path: &'path str, folder: &str) -> Option<&'path str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// `syn` and `gen/visit/mod.rs` make `syn::gen::visit`.
fn join(name: &str, inside: &str) -> String {
    let inside = inside.strip_suffix(".rs").unwrap_or(inside);
    let mut module = name.to_owned();
    let mut parts = inside.split('/').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_some() || !matches!(part, "mod" | "lib" | "main") {
            module.push_str("::");
            module.push_str(part);
        }
    }
    module
}

/// `proc-macro2-1.0.107` is the package of `proc_macro2`.
fn crate_name(package: &str) -> String {
    let version = package
        .match_indices('-')
        .find(|&(at, _)| package[at + 1..].starts_with(|first: char| first.is_ascii_digit()));
    package[..version.map_or(package.len(), |(at, _)| at)].replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> CrateRoots {
        let mut roots = CrateRoots::default();
        roots.add_unit("/src/shop", "src/main.rs/@/shop.aec08a66f2ffd0af-cgu.0");
        roots.add_unit("/src/shop", "src/lib.rs/@/shop_core.0123-cgu.4");
        roots.add_unit("/src/shop", "src/lib.rs/@/shop_core.0123-cgu.5");
        roots.add_unit("/src/shop/pay", "pay/src/lib.rs/@/payment.77-cgu.0");
        roots.add_unit("/x", "/rustc/5980/library/std/src/lib.rs/@/std.e28293b1aa0f68bd-cgu.0");
        roots.add_unit("/src/shop", "src/bin/till/main.rs/@/till.9-cgu.0");
        roots.add_unit("/x", "crt.c");
        roots
    }

    #[test]
    fn takes_the_crate_name_from_its_unit() {
        let roots = roots();
        let module = |path| roots.module(path);
        assert_eq!(module("/src/shop/src/main.rs").as_deref(), Some("shop"));
        assert_eq!(module("/src/shop/src/lib.rs").as_deref(), Some("shop_core"));
        assert_eq!(module("/src/shop/pay/pay/src/card/mod.rs").as_deref(), Some("payment::card"));
        assert_eq!(module("/rustc/5980/library/std/src/sys/fs.rs").as_deref(), Some("std::sys::fs"));
        assert_eq!(module("/src/shop/src/bin/till/cash.rs").as_deref(), Some("till::cash"));
        assert_eq!(roots.roots.len(), 5);
    }

    #[test]
    fn falls_back_to_the_folder_of_the_package() {
        let roots = roots();
        let registry = "/home/me/.cargo/registry/src/index/proc-macro2-1.0.107/src/parse.rs";
        assert_eq!(roots.module(registry).as_deref(), Some("proc_macro2::parse"));
        let library = "/rustc/5980/library/alloc/src/raw_vec/mod.rs";
        assert_eq!(roots.module(library).as_deref(), Some("alloc::raw_vec"));
    }

    #[test]
    fn says_nothing_about_files_of_no_known_crate() {
        let roots = roots();
        for path in ["", "main.c", "/usr/lib/start.c", "/home/src/shop/target/debug/build/x/out/made.rs"] {
            assert_eq!(roots.module(path), None, "{path}");
        }
    }
}
