//! Who is told what the runner does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Event;

/// What is called with each event.
pub(crate) struct Listener(Option<Call>);

type Call = Box<dyn FnMut(&Event) + Send>;

impl Listener {
    pub(crate) fn none() -> Self {
        Self(None)
    }

    pub(crate) fn of(call: impl FnMut(&Event) + Send + 'static) -> Self {
        Self(Some(Box::new(call)))
    }

    /// A panic of what is called ends with it: the panic's own message has been printed, and there is nobody else to
    /// tell.
    pub(crate) fn tell(&mut self, event: &Event) {
        log(event);
        if let Some(call) = &mut self.0 {
            let _ = catch_unwind(AssertUnwindSafe(|| call(event)));
        }
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Listener").field(&self.0.is_some()).finish()
    }
}

#[cfg(any(feature = "log", feature = "tracing"))]
fn log(event: &Event) {
    // Whoever takes them may panic as well.
    let _ = catch_unwind(AssertUnwindSafe(|| match event {
        Event::Written { name, paths } => {
            #[cfg(feature = "log")]
            log::info!("heap report {name}: {} files", paths.len());
            #[cfg(feature = "tracing")]
            tracing::info!(%name, files = paths.len(), "heap report");
        }
        Event::Removed { paths } => {
            #[cfg(feature = "log")]
            log::debug!("old heap reports removed: {} files", paths.len());
            #[cfg(feature = "tracing")]
            tracing::debug!(files = paths.len(), "old heap reports removed");
        }
        Event::Failed { error } => {
            #[cfg(feature = "log")]
            log::warn!("heap report failed: {error}");
            #[cfg(feature = "tracing")]
            tracing::warn!(%error, "heap report failed");
        }
    }));
}

#[cfg(not(any(feature = "log", feature = "tracing")))]
fn log(_: &Event) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn a_panic_does_not_end_it() {
        let told = Arc::new(Mutex::new(0));
        let counted = told.clone();
        let mut listener = Listener::of(move |_| {
            let count = {
                let mut count = counted.lock().unwrap();
                *count += 1;
                *count
            };
            assert!(count > 1, "on purpose");
        });
        (0..3).for_each(|_| listener.tell(&Event::Removed { paths: Vec::new() }));
        assert_eq!(*told.lock().unwrap(), 3);
        Listener::none().tell(&Event::Removed { paths: Vec::new() });
    }
}
