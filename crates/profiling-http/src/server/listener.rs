use std::{io, net::TcpListener, os::unix::net::UnixListener, sync::Arc, time::Duration};

use rustix::{
    fs::{Mode, fchmod},
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with},
};
use tokio::{sync::Semaphore, time};

use super::{address::Address, connection};
use crate::Endpoints;

/// Most connections that are open at once.
const CONNECTIONS: usize = 64;
/// Connections that wait to be taken, as the system keeps them.
const BACKLOG: i32 = 128;
/// How long to wait after a failure that may go by, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// A socket that is listened at, before there is a runtime.
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

pub(super) enum Listening {
    Tcp(tokio::net::TcpListener),
    Unix(tokio::net::UnixListener),
}

impl Listener {
    pub(super) fn bind(address: &Address) -> io::Result<Self> {
        address.remove_left_over()?;
        match address {
            Address::Tcp(address) => TcpListener::bind(address).map(Self::Tcp),
            Address::Unix(path) => {
                let socket =
                    socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
                // Before it has a name, so that there is no moment in which others could connect.
                fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
                bind(&socket, &SocketAddrUnix::new(path)?)?;
                listen(&socket, BACKLOG)?;
                Ok(Self::Unix(socket.into()))
            }
        }
    }

    /// Where it listens: `asked`, with the port that it got.
    pub(super) fn address(&self, asked: &Address) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            Self::Unix(_) => Ok(asked.clone()),
        }
    }

    /// In a runtime.
    pub(super) fn into_tokio(self) -> io::Result<Listening> {
        match self {
            Self::Tcp(listener) => {
                listener.set_nonblocking(true)?;
                tokio::net::TcpListener::from_std(listener).map(Listening::Tcp)
            }
            Self::Unix(listener) => {
                listener.set_nonblocking(true)?;
                tokio::net::UnixListener::from_std(listener).map(Listening::Unix)
            }
        }
    }
}

impl Listening {
    /// For ever.
    pub(super) async fn serve(self, endpoints: Endpoints) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let taken = match &self {
                Self::Tcp(listener) => {
                    listener.accept().await.map(|(stream, _)| connection::take(stream, &endpoints, &places))
                }
                Self::Unix(listener) => {
                    listener.accept().await.map(|(stream, _)| connection::take(stream, &endpoints, &places))
                }
            };
            if taken.is_err() {
                time::sleep(PAUSE).await;
            }
        }
    }
}
