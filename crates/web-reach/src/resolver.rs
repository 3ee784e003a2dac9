//! `Resolver`, which maps host names to addresses.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// The future of a name resolution.
pub type ResolveFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolves host names.
///
/// It is called once per request, and not for a host that is an IP address. All addresses that it returns are
/// checked before the connection.
///
/// ```
/// use windlass_web_reach::{ResolveFuture, Resolver};
///
/// struct Fixed;
///
/// impl Resolver for Fixed {
///     fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
///         Box::pin(async { Ok(vec![[93, 184, 216, 34].into()]) })
///     }
/// }
/// ```
pub trait Resolver: Send + Sync {
    /// Returns the addresses of a name, best first.
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a>;
}

/// The resolver of the operating system.
///
/// The lookup runs on a blocking thread of the runtime. Dropping the future returns immediately, but the
/// thread stays busy until the system call ends.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it is empty")]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
