//! `Checked`: an address that may be dialled, and the only place that makes one.

use std::io;
use std::net::{IpAddr, SocketAddr};

use windlass_hitl::is_public;

use crate::{Endpoint, Refusal, Resolver, Scope};

/// An address that may be dialled. Only [`checked`] makes one, so that a [`Dialer`](crate::Dialer) cannot be given any
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checked(SocketAddr);

impl Checked {
    /// The address and the port.
    pub fn address(self) -> SocketAddr {
        self.0
    }
}

/// The addresses of an endpoint, which [`Reach::scope`](crate::Reach::scope) has judged. A name is resolved once. All of
/// its addresses have to be within the scope, or none is given: a name that leads to both sides is an attack or a mistake.
///
/// # Errors
/// If the name has no address, or one that is not within the scope.
pub async fn checked(to: &Endpoint, scope: Scope, resolver: &dyn Resolver) -> Result<Vec<Checked>, Refusal> {
    let unresolved = |source| Refusal::Unresolved { host: to.host.clone(), source };
    let found = match to.address {
        Some(address) => vec![address],
        None => resolver.resolve(&to.host).await.map_err(unresolved)?,
    };
    if found.is_empty() {
        return Err(unresolved(io::Error::new(io::ErrorKind::NotFound, "the name has no addresses")));
    }
    let is_refused = |address: &&IpAddr| scope == Scope::Public && !is_public(**address);
    if let Some(address) = found.iter().find(is_refused) {
        return Err(Refusal::NotPublic { host: to.host.clone(), address: *address });
    }
    Ok(found.into_iter().map(|address| Checked(SocketAddr::new(address, to.port))).collect())
}
