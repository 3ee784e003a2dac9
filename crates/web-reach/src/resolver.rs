//! `Resolver`: from a host's name to its addresses.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// The wait for a name's addresses.
pub type ResolveFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a name.
///
/// It is asked once for each request, never for a host that is an address already, and all that it answers is
/// checked before anything is dialled.
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
    /// The addresses of a name, best first.
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a>;
}

/// The resolver of the operating system.
///
/// It asks on a thread of the runtime's pool. A dropped wait ends at once, the system's own look-up when it is
/// through.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to say")]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
