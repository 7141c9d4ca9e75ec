use crate::{Error, Profile};

impl Profile {
    /// Reads a heap profile of any kind that is known: pprof, plain or gzip ([`Profile::from_pprof`]), or the text of
    /// jemalloc and gperftools ([`Profile::from_heap_text`]), or a log of giant requests ([`Profile::from_giant_log`]).
    ///
    /// ```
    /// use allometer_profile::{Error, Profile};
    ///
    /// let bytes = Profile::default().to_pprof_gzip();
    /// assert_eq!(Profile::read(&bytes)?.samples.len(), 0);
    /// assert_eq!(Profile::read(b"heap_v2/524288\n")?.metadata.sample_interval, 524_288);
    /// assert!(matches!(Profile::read(b""), Err(Error::Empty)));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] for nothing, else those of the format that the data begins like; pprof if it is none.
    pub fn read(data: &[u8]) -> Result<Self, Error> {
        if data.is_empty() {
            Err(Error::Empty)
        } else if Self::is_heap_text(data) {
            Self::from_heap_text(data)
        } else if Self::is_giant_log(data) {
            Self::from_giant_log(data)
        } else {
            Self::from_pprof(data)
        }
    }
}
