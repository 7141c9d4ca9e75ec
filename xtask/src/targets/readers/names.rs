//! Which functions may be in a program's profile.

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

/// The standard library's crates.
const STANDARD: [&str; 3] = ["alloc", "core", "std"];

/// Whether `name` is of the profiler or one of the shims between a program and its allocator.
pub(super) fn is_of_the_profiler(name: &str) -> bool {
    PROFILER.iter().any(|part| name.contains(part))
}

/// Whether `name` is of one of `crates`, or of the standard library. The crate need not come first:
/// `<T as alloc::slice::ToVec>::to_vec` is of `alloc`.
pub(super) fn is_of(crates: &[&str], name: &str) -> bool {
    let mut words = name.split("::").collect::<Vec<_>>();
    words.pop();
    let mut named =
        words.iter().filter_map(|before| before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next());
    named.any(|word| crates.contains(&word) || STANDARD.contains(&word))
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
            assert!(is_of(&["demo", "syn"], name), "{name}");
        }
        for name in ["synthetic::x", "mi_malloc", "demo+0x1234", "[truncated]", "{closure#0}", "other::alloc"]
        {
            assert!(!is_of(&["demo", "syn"], name), "{name}");
        }
    }
}
