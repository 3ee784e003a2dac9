//! `Reach`: which hosts and ports a program lets its model reach, besides the public web.

use windlass_hitl::is_public;

use crate::{Endpoint, Refusal, UrlRefusal};

/// The ports of the web.
const WEB_PORTS: [u16; 2] = [80, 443];

/// How far an endpoint's addresses go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "public addresses, or any")]
pub enum Scope {
    /// Public addresses only.
    Public,
    /// Any address.
    Any,
}

/// The public web, and what the program named.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    endpoints: Vec<(Endpoint, Scope)>,
}

impl Reach {
    /// The same with one more host and port, as far as the scope says.
    ///
    /// # Errors
    /// If the host is none.
    pub fn with(mut self, host: &str, port: u16, scope: Scope) -> Result<Self, UrlRefusal> {
        self.endpoints.push((Endpoint::named(host, port)?, scope));
        Ok(self)
    }

    /// How far an endpoint may lead, by its text alone: nothing was asked of anybody yet.
    ///
    /// What the program named counts up to `named`; nothing of it where that is none, as for a redirect from elsewhere.
    /// Else any page of the web could send requests to what the program owns.
    ///
    /// # Errors
    /// If it may not be reached at all.
    pub fn scope(&self, to: &Endpoint, named: Option<Scope>) -> Result<Scope, Refusal> {
        let same = self.endpoints.iter().filter(|(endpoint, _)| endpoint == to).map(|(_, scope)| *scope);
        let named = named.and_then(|most| same.filter(|scope| *scope <= most).max());
        if named.is_none() && !WEB_PORTS.contains(&to.port) {
            return Err(Refusal::Port { host: to.host.clone(), port: to.port });
        }
        let scope = named.unwrap_or(Scope::Public);
        if scope == Scope::Public {
            if to.is_local_name() {
                return Err(Refusal::LocalName { host: to.host.clone() });
            }
            if let Some(address) = to.address.filter(|address| !is_public(*address)) {
                return Err(Refusal::NotPublic { host: to.host.clone(), address });
            }
        }
        Ok(scope)
    }
}
