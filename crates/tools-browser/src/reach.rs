//! `Reach`: which hosts and ports a page may reach, besides the public web.

use windlass_hitl::is_public;

use crate::{Refusal, UrlRefusal, address::Endpoint};

/// The ports of the web.
const WEB_PORTS: [u16; 2] = [80, 443];

/// How far an endpoint's addresses go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// Public addresses only.
    Public,
    /// Any address.
    Any,
}

/// What the program named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    endpoints: Vec<(Endpoint, Scope)>,
}

impl Reach {
    pub(crate) fn add(&mut self, host: &str, port: u16, scope: Scope) -> Result<(), UrlRefusal> {
        self.endpoints.push((Endpoint::named(host, port)?, scope));
        Ok(())
    }

    /// How far an endpoint may lead, by its text alone: nothing was asked of anybody yet.
    ///
    /// What the program named for itself is reached only from a page that was opened there (`home`); else any page
    /// of the web could send requests to it.
    pub(crate) fn scope(&self, to: &Endpoint, home: Scope) -> Result<Scope, Refusal> {
        let same = self.endpoints.iter().filter(|(endpoint, _)| endpoint == to);
        let named = same.map(|(_, scope)| *scope).filter(|scope| *scope <= home).max();
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
