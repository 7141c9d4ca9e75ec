use crate::function_name::FunctionName;
use crate::{Profile, Sample, leaf};

/// Functions of jemalloc between a program's call and the place where it takes the stack, and the shims that a Rust program
/// calls it by. Those that a build gives a prefix have it, and so have the public ones.
const WITH_PREFIX: [&str; 11] = [
    "aligned_alloc",
    "calloc",
    "malloc",
    "malloc_default",
    "mallocx",
    "posix_memalign",
    "prof_backtrace",
    "prof_tctx_create",
    "rallocx",
    "realloc",
    "xallocx",
];
const WITHOUT_PREFIX: [&str; 14] = [
    "__rust_alloc",
    "__rust_alloc_zeroed",
    "__rust_realloc",
    "do_rallocx",
    "do_realloc_nonnull_zero",
    "fallback_alloc",
    "imalloc",
    "imalloc_body",
    "irallocx_prof",
    "irallocx_prof_sample",
    "ixallocx_prof",
    "ixallocx_prof_sample",
    "prof_alloc_prep",
    "prof_backtrace_impl",
];
/// Of builds beside others' `malloc`, of `tikv-jemalloc-sys`, and of both. The first is none.
const PREFIXES: [&str; 4] = ["", "je_", "_rjem_", "_rjem_je_"];

/// With which of the functions above jemalloc takes a stack: they are its leaf, and no program's.
const TAKES_A_STACK: [&str; 2] = ["prof_backtrace", "prof_backtrace_impl"];

impl Profile {
    /// The profile without jemalloc's own functions, if they are at the leaves of its stacks: its profiler takes them far
    /// inside itself, and what `jemalloc_pprof` writes has those frames. What it has no names for stays as it is.
    ///
    /// ```
    /// use allometer_profile::Profile;
    ///
    /// assert_eq!(Profile::default().without_jemalloc(), Profile::default());
    /// ```
    #[must_use]
    pub fn without_jemalloc(mut self) -> Self {
        if !self.samples.iter().any(|sample| self.was_taken_by_jemalloc(sample)) {
            return self;
        }
        let listed = &mut self.metadata.left_out_at_leaf;
        let more: Vec<String> = own_functions().into_iter().filter(|name| !listed.contains(name)).collect();
        listed.extend(more);
        leaf::leave_out(&mut self);
        self.leave_out_unused();
        self
    }

    fn was_taken_by_jemalloc(&self, sample: &Sample) -> bool {
        let leaf = sample.stack.first().and_then(|&leaf| self.location(leaf));
        let function = leaf.and_then(|leaf| self.function(leaf.lines.first()?.function));
        function.is_some_and(|function| {
            let name = FunctionName::new(&function.name).last();
            PREFIXES
                .iter()
                .filter_map(|prefix| name.strip_prefix(prefix))
                .any(|name| TAKES_A_STACK.contains(&name))
        })
    }
}

/// What is left out at the leaf once there are names.
pub(crate) fn own_functions() -> Vec<String> {
    let prefixed =
        PREFIXES.iter().flat_map(|prefix| WITH_PREFIX.iter().map(move |name| format!("{prefix}{name}")));
    WITHOUT_PREFIX.iter().map(|name| (*name).to_owned()).chain(prefixed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;
    use crate::written_stack::{add, profile, read};

    #[test]
    fn a_file_keeps_all_of_them() {
        let metadata = Metadata { left_out_at_leaf: own_functions(), ..Metadata::default() };
        let profile = Profile { metadata, ..Profile::default() };
        let again = Profile::from_pprof(&profile.to_pprof()).unwrap();
        assert_eq!(again.metadata.left_out_at_leaf, profile.metadata.left_out_at_leaf);
    }

    #[test]
    fn stacks_end_at_what_asked_for_memory() {
        let mut profile = profile(&[
            "prof_backtrace_impl",
            "_rjem_je_prof_backtrace",
            "_rjem_je_prof_tctx_create",
            "prof_alloc_prep",
            "imalloc_body|imalloc",
            "_rjem_je_malloc_default",
            "tikv_jemallocator::alloc|shop::__rust_alloc|alloc::alloc::alloc",
            "shop::main",
        ]);
        add(&mut profile, &["je_prof_backtrace", "je_malloc_default", "main"]);
        let without = profile.without_jemalloc();
        assert_eq!(read(&without, 0), ["alloc::alloc::alloc", "shop::main"]);
        assert_eq!(read(&without, 1), ["main"]);
        assert_eq!(without.functions.len(), 3);
        let again = without.clone().without_jemalloc();
        assert_eq!(again, without);
    }

    #[test]
    fn other_profiles_stay() {
        let profile = profile(&["malloc", "prof_backtrace", "shop::main"]);
        assert_eq!(profile.clone().without_jemalloc(), profile);
    }
}
