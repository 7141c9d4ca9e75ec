//! The service of `consumers/service`, and its customers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{
    error::Error,
    process,
    targets::serve::{child::Child, client::Client},
    workspace::Workspace,
};

const CONSUMER: &str = "consumers/service";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);

/// Who asks for products.
pub(super) const TENANTS: [&str; 3] = ["apple", "berry", "cherry"];

/// It runs.
pub(super) struct Shop {
    pub(super) client: Client,
    _child: Child,
}

/// Somebody who asks for products all the time, until this is dropped.
pub(super) struct Customers {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Shop {
    /// Builds and starts it; `session` is what the variable says.
    pub(super) fn start(workspace: &Workspace, session: &str, history: Duration) -> Result<Self, Error> {
        process::run(&mut workspace.cargo_beside(CONSUMER, &["build", "--release", "--locked"]), BUILD)?;
        let program = workspace.target().join("consumers/release/shop");
        let mut command = workspace.command(&program.to_string_lossy());
        command.env("ALLOMETER", session).env("SHOP_HISTORY_MS", history.as_millis().to_string());
        let mut child = Child::start(&mut command)?;
        let line = child.line()?;
        let address =
            line.strip_prefix("listening on ").ok_or_else(|| child.fault(&format!("it says {line:?}")))?;
        Ok(Self { client: Client::new(address), _child: child })
    }

    /// A product, for a tenant.
    pub(super) fn buy(client: &Client, number: usize) -> Result<(), Error> {
        let tenant = [("x-tenant", TENANTS[number % TENANTS.len()])];
        let answer = client.get_with(&format!("/products/{}", number % 3000), &tenant)?;
        match answer.status {
            200 => Ok(()),
            status => Err(Error::reader("the shop", format!("it answers {status}"))),
        }
    }

    pub(super) fn customers(&self, pause: Duration) -> Customers {
        let is_over = Arc::new(AtomicBool::new(false));
        let (client, end) = (self.client.clone(), Arc::clone(&is_over));
        let run = move || {
            let mut numbers = 0..;
            while !end.load(Relaxed) {
                // The shop is closed: whoever looks at it will see that.
                if numbers.next().is_some_and(|number| Self::buy(&client, number).is_err()) {
                    break;
                }
                thread::sleep(pause);
            }
        };
        Customers { is_over, thread: Some(thread::spawn(run)) }
    }
}

impl Drop for Customers {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
