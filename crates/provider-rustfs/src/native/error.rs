use allometer_profile::SourceError;

/// Why mimalloc's own sampling cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NativeError {
    /// The library has no hooks in it.
    #[error(
        "mimalloc was built without its hooks: expected rustfs-mimalloc-sys without its feature `no_profile`"
    )]
    NotBuilt,
    /// The library looks for samples only where it refills a page, and so finds others than there are.
    #[error(
        "mimalloc looks at one request in many: expected that its C code is compiled with -DMI_PROFILE=2, as by CFLAGS"
    )]
    Coarse,
    /// Another profiler uses the hooks.
    #[error(
        "mimalloc's hooks are in use: expected that no other profiler is attached, as by MIMALLOC_PROFILE"
    )]
    InUse,
    /// The session could not be started or read.
    #[error("{cause}")]
    Session {
        /// What it said.
        cause: allometer_core::Error,
    },
}

impl From<allometer_core::Error> for NativeError {
    fn from(cause: allometer_core::Error) -> Self {
        Self::Session { cause }
    }
}

impl From<NativeError> for SourceError {
    fn from(error: NativeError) -> Self {
        match error {
            NativeError::Session { cause } => cause.into(),
            error => Self::failed(error),
        }
    }
}
