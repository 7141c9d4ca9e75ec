//! Through libraries that come while the program runs, and go.

use crate::{
    HAS_TABLES,
    check::Check,
    leaf::keep,
    libraries::{Directory, Library},
    native::{self, through},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "late_code::a_library_that_was_loaded_by_hand", run: loaded_by_hand },
    Check { name: "late_code::another_library_at_the_same_address", run: another_at_the_same_address },
    Check { name: "late_code::another_build_at_the_same_path", run: another_build },
    Check { name: "late_code::a_library_without_tables", run: without_tables },
];

/// Walks through the library; answers where its code is.
fn walk(library: &Library, name: &str) -> usize {
    let function = library.function();
    let ways = Ways::of(|| through(function, &|| through(native::without_frame_pointer, &keep)));
    ways.verify(&["leaf::keep", "without_frame_pointer", name, "native::through", "walks::main"]);
    function as usize
}

fn loaded_by_hand() {
    walk(&Library::load("late_first"), "late_first");
}

/// Two libraries in turn, of equal code but for the size of a frame: a rule of the one would lead astray in the
/// other.
fn another_at_the_same_address() {
    let addresses =
        ["late_first", "late_other", "late_first", "late_other"].map(|name| walk(&Library::load(name), name));
    let at_one_address = addresses.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(at_one_address > 0, "none came to the place of another: {addresses:x?}");
}

/// Without a build id, and alike in all that is looked at: so nothing of the first must be used for the other.
fn another_build() {
    let directory = Directory::new();
    let builds = ["unmarked_first", "unmarked_first_again", "unmarked_first"];
    let addresses = builds.map(|build| {
        let path = directory.install(build, "libplugin.so");
        walk(&Library::at(&path, "unmarked_first"), "unmarked_first")
    });
    assert!(addresses.iter().all(|address| *address == addresses[0]), "at other places: {addresses:x?}");
}

fn without_tables() {
    let library = Library::load("late_bare");
    let ways = Ways::of(|| through(library.function(), &keep));
    ways.rules_end_early();
    ways.need_no_platform();
    if HAS_TABLES {
        assert!(ways.rules.stack().ends_in("late_bare"), "{}", ways.rules.stack());
    }
    let whole = ways.frame_pointers.stack();
    whole.passes(&["leaf::keep", "native::visit", "late_bare", "native::through", "walks::main"]);
    assert!(whole.reaches_root(), "{whole}");
}
