//! `Resolver` and `Dialer`: the two ways in which a page meets the network, for programs that have their own.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::pin::Pin;

/// The wait for a name's addresses.
pub type ResolveFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// The wait for a connection.
pub type DialFuture<'a> = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send + 'a>>;

/// Finds the addresses of a name. All that it answers is checked before anything is dialled.
pub trait Resolver: Send + Sync {
    /// The addresses of a name, best first.
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a>;
}

/// Opens connections, to addresses that were checked and never to a name.
pub trait Dialer: Send + Sync {
    /// Opens a connection, non-blocking, to just this address.
    fn dial(&self, to: Checked) -> DialFuture<'_>;
}

/// An address that may be dialled. Only the check of this crate makes one, so that a [`Dialer`] cannot be given any
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checked(SocketAddr);

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to say")]
pub struct SystemResolver;

/// Plain TCP.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to say")]
pub struct TcpDialer;

impl Checked {
    pub(crate) fn new(address: IpAddr, port: u16) -> Self {
        Self(SocketAddr::new(address, port))
    }

    /// The address and the port.
    pub fn address(self) -> SocketAddr {
        self.0
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

impl Dialer for TcpDialer {
    fn dial(&self, to: Checked) -> DialFuture<'_> {
        Box::pin(async move { tokio::net::TcpStream::connect(to.address()).await?.into_std() })
    }
}
