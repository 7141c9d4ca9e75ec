//! Which functions may be in the demo's profile, and which must.

/// Parts of names that give the profiler or an allocation shim away.
const PROFILER: [&str; 9] = [
    "allometer_core",
    "allometer_profile",
    "SamplingAllocator",
    "__rust_alloc",
    "__rust_realloc",
    "__rdl_",
    "__rg_",
    "__rustc",
    "trace_unsynchronized",
];

/// The crates whose functions allocate in the demo.
const PROGRAM: [&str; 8] = ["demo", "syn", "proc_macro2", "unicode_ident", "walkdir", "alloc", "core", "std"];

/// Without these somewhere the profile would not be the demo's.
pub(super) const EXPECTED: [&str; 2] = ["syn::", "demo::"];

/// Whether `name` is of the profiler or one of the shims between a program and its allocator.
pub(super) fn is_of_the_profiler(name: &str) -> bool {
    PROFILER.iter().any(|part| name.contains(part))
}

/// Whether `name` is of the demo, of a crate that it uses, or of the standard library. The crate need not
/// come first: `<T as alloc::slice::ToVec>::to_vec` is of `alloc`.
pub(super) fn is_of_the_program(name: &str) -> bool {
    let mut words = name.split("::").collect::<Vec<_>>();
    words.pop();
    let crates =
        words.iter().filter_map(|before| before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next());
    crates.into_iter().any(|word| PROGRAM.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiler_and_the_shims_are_recognised() {
        for name in [
            "<allometer_core::allocator::SamplingAllocator<A> as core::alloc::global::GlobalAlloc>::alloc",
            "__rust_alloc",
            "__rustc::__rust_alloc_zeroed",
            "__rg_alloc",
        ] {
            assert!(is_of_the_profiler(name), "{name}");
        }
        assert!(!is_of_the_profiler("alloc::alloc::exchange_malloc"));
    }

    #[test]
    fn the_program_and_what_it_uses_are_recognised() {
        for name in [
            "syn::expr::parsing::unary_expr",
            "<syn::expr::Expr as syn::parse::Parse>::parse",
            "<&mut alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
            "<T as alloc::slice::<impl [T]>::to_vec_in::ConvertVec>::to_vec",
            "demo::parse_some",
        ] {
            assert!(is_of_the_program(name), "{name}");
        }
        for name in ["synthetic::x", "mi_malloc", "demo+0x1234", "[truncated]", "{closure#0}", "other::alloc"]
        {
            assert!(!is_of_the_program(name), "{name}");
        }
    }
}
