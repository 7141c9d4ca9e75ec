/// The readable form of a mangled Rust name, without hashes; `None` when it is not one.
///
/// Names of C++ are left to the reader, who recognises them by being the same as the system name.
pub(crate) fn demangle(raw: &str) -> Option<String> {
    rustc_demangle::try_demangle(raw).ok().map(|name| format!("{name:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demangles_both_schemes_without_hashes() {
        let legacy = "_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h5432d21233e580cbE";
        assert_eq!(demangle(legacy).as_deref(), Some("alloc::raw_vec::RawVec<T,A>::grow_one"));
        let v0 = "_RNvMNtCslNYArtu3iFV_5alloc5allocNtB2_6Global17grow_impl_runtime";
        assert_eq!(demangle(v0).as_deref(), Some("<alloc::alloc::Global>::grow_impl_runtime"));
    }

    #[test]
    fn leaves_other_names_alone() {
        for raw in ["main", "{closure#0}", "push<u8, alloc::alloc::Global>", "_ZN3foo3barEv", ""] {
            assert_eq!(demangle(raw), None, "{raw}");
        }
    }
}
