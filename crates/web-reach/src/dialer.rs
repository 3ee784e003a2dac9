//! `Dialer`, the only way to open connections.

use std::future::Future;
use std::io;
use std::net::TcpStream;
use std::pin::Pin;

use crate::CheckedAddress;

/// The future of a connection attempt.
pub type DialFuture<'a> = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send + 'a>>;

/// Opens connections. It takes checked addresses instead of names, so that no second DNS request happens
/// between the check and the connection.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use windlass_web_reach::{CheckedAddress, DialFuture, Dialer, TcpDialer};
///
/// #[derive(Default)]
/// struct Counting(AtomicUsize);
///
/// impl Dialer for Counting {
///     fn dial(&self, to: CheckedAddress) -> DialFuture<'_> {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         TcpDialer.dial(to)
///     }
/// }
/// ```
pub trait Dialer: Send + Sync {
    /// Opens a non-blocking connection to exactly this address.
    fn dial(&self, to: CheckedAddress) -> DialFuture<'_>;
}

/// A dialer for plain TCP.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it is empty")]
pub struct TcpDialer;

impl Dialer for TcpDialer {
    fn dial(&self, to: CheckedAddress) -> DialFuture<'_> {
        Box::pin(async move { tokio::net::TcpStream::connect(to.address()).await?.into_std() })
    }
}
