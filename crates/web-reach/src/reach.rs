//! `Reach`, the hosts and ports that a model may connect to.

use windlass_hitl::is_public;

use crate::{HostPort, ReachError, UrlRefusal};

/// The ports that are allowed on every public host.
const WEB_PORTS: [u16; 2] = [80, 443];

/// The set of addresses that an endpoint may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "public addresses, or any")]
pub enum Scope {
    /// Public addresses only.
    Public,
    /// Any address, including private and local ones.
    Any,
}

/// The allowed endpoints: the public web, and endpoints that the program added.
///
/// The default allows ports 80 and 443 of public addresses. [`with`](Self::with_host) adds one endpoint, for example a
/// server of the program's own on a loopback address.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    endpoints: Vec<(HostPort, Scope)>,
}

impl Reach {
    /// Adds a host and port, with the addresses that it may have.
    ///
    /// # Errors
    /// The host is invalid.
    pub fn with_host(mut self, host: &str, port: u16, scope: Scope) -> Result<Self, UrlRefusal> {
        self.endpoints.push((HostPort::from_host(host, port)?, scope));
        Ok(self)
    }

    /// Returns the scope of an endpoint. The decision uses only its text; no DNS request is made.
    ///
    /// `named` is the largest scope of added endpoints that applies here. Pass `None` to ignore added
    /// endpoints, for example for a redirect from another host: otherwise any web page could send requests to
    /// the program's own services.
    ///
    /// # Errors
    /// The endpoint must not be reached.
    pub fn scope(&self, to: &HostPort, named: Option<Scope>) -> Result<Scope, ReachError> {
        let same = self.endpoints.iter().filter(|(endpoint, _)| endpoint == to).map(|(_, scope)| *scope);
        let named = named.and_then(|most| same.filter(|scope| *scope <= most).max());
        if named.is_none() && !WEB_PORTS.contains(&to.port) {
            return Err(ReachError::Port { host: to.host.clone(), port: to.port });
        }
        let scope = named.unwrap_or(Scope::Public);
        if scope == Scope::Public {
            if to.is_local_name() {
                return Err(ReachError::LocalName { host: to.host.clone() });
            }
            if let Some(address) = to.address.filter(|address| !is_public(*address)) {
                return Err(ReachError::NotPublic { host: to.host.clone(), address });
            }
        }
        Ok(scope)
    }
}
