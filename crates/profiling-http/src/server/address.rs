use std::{
    fmt, fs, io,
    net::{SocketAddr, ToSocketAddrs},
    os::unix::net::UnixStream,
    path::PathBuf,
    str::FromStr,
};

use crate::Error;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// An address and a port.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Address {
    type Err = Error;

    /// `127.0.0.1:6060`, `[::1]:6060`, `localhost:6060`, `unix:/run/shop/heap`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Address { text: text.to_owned() };
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.is_empty() { Err(wrong()) } else { Ok(Self::Unix(path.into())) };
        }
        if let Ok(address) = text.parse() {
            return Ok(Self::Tcp(address));
        }
        // No other name: nobody is asked what it stands for.
        let port =
            text.strip_prefix("localhost:").and_then(|port| port.parse::<u16>().ok()).ok_or_else(wrong)?;
        let mut addresses = ("localhost", port).to_socket_addrs().map_err(|_| wrong())?;
        addresses.find(|address| address.ip().is_loopback()).map(Self::Tcp).ok_or_else(wrong)
    }
}

impl Address {
    /// Whether it may be listened at.
    pub(super) fn check(&self, has_token: bool) -> Result<(), Error> {
        match *self {
            Self::Tcp(address) if !has_token && !address.ip().is_loopback() => {
                Err(Error::Exposed { address })
            }
            _ => Ok(()),
        }
    }

    /// Removes a socket that nobody listens at.
    pub(super) fn remove_left_over(&self) -> io::Result<()> {
        let Self::Unix(path) = self else { return Ok(()) };
        use std::os::unix::fs::FileTypeExt;
        match fs::symlink_metadata(path) {
            Ok(file) if !file.file_type().is_socket() => Err(io::ErrorKind::AlreadyExists.into()),
            Ok(_) => match UnixStream::connect(path) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
                Err(error) => Err(error),
                Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes the socket of a server that ends.
    pub(super) fn remove(&self) {
        if let Self::Unix(path) = self {
            // Who has taken it away already has done what is wanted.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_loopback_one_or_has_a_token() {
        let of = |text: &str| text.parse::<Address>();
        let check =
            |text: &str, has_token| of(text).unwrap().check(has_token).map_err(|error| error.to_string());
        for ours in ["127.0.0.1:6060", "127.1.2.3:0", "[::1]:6060", "localhost:6060", "unix:/run/heap"] {
            assert_eq!(check(ours, false), Ok(()), "{ours}");
        }
        for open in ["0.0.0.0:6060", "[::]:6060", "10.0.0.7:6060"] {
            let expected = format!(
                "{open} can be reached from other machines: expected a loopback address, a Unix socket, or a token"
            );
            assert_eq!(check(open, false), Err(expected));
            assert_eq!(check(open, true), Ok(()));
        }
        for bad in [
            "",
            "6060",
            ":6060",
            "127.0.0.1",
            "example.test:80",
            "localhost:",
            "localhost:66000",
            "unix:",
            "unix",
        ] {
            let expected =
                format!("`{bad}`: expected an address with a port, such as 127.0.0.1:6060, or unix:PATH");
            assert_eq!(of(bad).unwrap_err().to_string(), expected);
        }
    }
}
