//! `Dialer`: the only way out.

use std::future::Future;
use std::io;
use std::net::TcpStream;
use std::pin::Pin;

use crate::Checked;

/// The wait for a connection.
pub type DialFuture<'a> = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send + 'a>>;

/// Opens connections. It is given addresses that were checked, and never a name: nothing between the check and
/// the connection asks a resolver again.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use windlass_web_reach::{Checked, DialFuture, Dialer, TcpDialer};
///
/// #[derive(Default)]
/// struct Counting(AtomicUsize);
///
/// impl Dialer for Counting {
///     fn dial(&self, to: Checked) -> DialFuture<'_> {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         TcpDialer.dial(to)
///     }
/// }
/// ```
pub trait Dialer: Send + Sync {
    /// Opens a connection, non-blocking, to just this address.
    fn dial(&self, to: Checked) -> DialFuture<'_>;
}

/// Plain TCP.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to say")]
pub struct TcpDialer;

impl Dialer for TcpDialer {
    fn dial(&self, to: Checked) -> DialFuture<'_> {
        Box::pin(async move { tokio::net::TcpStream::connect(to.address()).await?.into_std() })
    }
}
