//! `CheckedAddress`, an address that passed the check, and its only constructor.

use std::io;
use std::net::{IpAddr, SocketAddr};

use windlass_hitl::is_public;

use crate::{HostPort, ReachError, Resolver, Scope};

/// A socket address that passed the check and may be dialled. Only [`check_addresses`] creates it, so a
/// [`Dialer`](crate::Dialer) cannot be given another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckedAddress(SocketAddr);

impl CheckedAddress {
    /// Returns the IP address and the port.
    pub fn address(self) -> SocketAddr {
        self.0
    }
}

/// Returns the addresses of an endpoint that [`Reach::scope`](crate::Reach::scope) has allowed.
///
/// A name is resolved once. If any of its addresses is outside the scope, the function returns none of them:
/// a name with both public and private addresses is an attack or a mistake.
///
/// # Errors
/// The name has no address, or has one outside the scope.
pub async fn check_addresses(
    to: &HostPort,
    scope: Scope,
    resolver: &dyn Resolver,
) -> Result<Vec<CheckedAddress>, ReachError> {
    let unresolved = |source| ReachError::Unresolved { host: to.host.clone(), source };
    let found = match to.address {
        Some(address) => vec![address],
        None => resolver.resolve(&to.host).await.map_err(unresolved)?,
    };
    if found.is_empty() {
        return Err(unresolved(io::Error::new(io::ErrorKind::NotFound, "the name has no addresses")));
    }
    let is_refused = |address: &&IpAddr| scope == Scope::Public && !is_public(**address);
    if let Some(address) = found.iter().find(is_refused) {
        return Err(ReachError::NotPublic { host: to.host.clone(), address: *address });
    }
    Ok(found.into_iter().map(|address| CheckedAddress(SocketAddr::new(address, to.port))).collect())
}
