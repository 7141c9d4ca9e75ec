//! Panics of what writes reports, as errors.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::Error;

/// Does what writes a report. Names come from whatever files the program's code is in, and a thread that had ended over one
/// of them would not be missed until its reports are.
///
/// # Errors
///
/// Its own, and [`Error::Panicked`].
pub(crate) fn caught(tries: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    catch_unwind(AssertUnwindSafe(tries)).unwrap_or_else(|panic| {
        Err(Error::Panicked { place: "the writing of a report", message: message(&*panic) })
    })
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_what_it_said() {
        let said = |tries: fn() -> Result<(), Error>| caught(tries).unwrap_err().to_string();
        assert_eq!(said(|| panic!("on {}", "purpose")), "a panic in the writing of a report: on purpose");
        assert_eq!(said(|| panic!("\u{1b}")), "a panic in the writing of a report: \\u{1b}");
        assert_eq!(said(|| Err(Error::NoFormat)), Error::NoFormat.to_string());
        assert!(caught(|| Ok(())).is_ok());
    }
}
