//! `Checked`: an address that may be dialled, and the only place that makes one.

use std::io;
use std::net::{IpAddr, SocketAddr};

use windlass_hitl::is_public;

use crate::reach::Scope;
use crate::{FetchError, Resolver, WebUrl};

/// An address that may be dialled. Only the check of this crate makes one, so that a [`Dialer`](crate::Dialer)
/// cannot be given any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checked(SocketAddr);

impl Checked {
    /// The address and the port.
    pub fn address(self) -> SocketAddr {
        self.0
    }
}

/// The addresses of a URL's host. All of a name's addresses have to be within the scope, or none is dialled: a
/// name that leads to both sides is an attack or a mistake.
pub(crate) async fn addresses(
    url: &WebUrl,
    scope: Scope,
    resolver: &dyn Resolver,
) -> Result<Vec<Checked>, FetchError> {
    let host = || url.host().to_owned();
    let found = match url.address() {
        Some(address) => vec![address],
        None => resolver
            .resolve(url.host())
            .await
            .map_err(|source| FetchError::Unresolved { host: host(), source })?,
    };
    if found.is_empty() {
        let source = io::Error::new(io::ErrorKind::NotFound, "the name has no addresses");
        return Err(FetchError::Unresolved { host: host(), source });
    }
    let is_refused = |address: &&IpAddr| scope == Scope::Public && !is_public(**address);
    if let Some(address) = found.iter().find(is_refused) {
        return Err(FetchError::NotPublic { host: host(), address: *address });
    }
    Ok(found.into_iter().map(|address| Checked(SocketAddr::new(address, url.port()))).collect())
}
