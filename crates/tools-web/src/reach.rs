//! `Reach`: which hosts and ports a program lets its model reach, besides the public web.

use windlass_hitl::is_public;

use crate::{FetchError, UrlRefusal, WebUrl};

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
    endpoints: Vec<(WebUrl, Scope)>,
}

impl Reach {
    pub(crate) fn add(&mut self, host: &str, port: u16, scope: Scope) -> Result<(), UrlRefusal> {
        // What would end the host in a URL would make it another one.
        if host.contains(['/', '\\', '?', '#', '@']) {
            return Err(UrlRefusal::Host);
        }
        let is_bare_v6 = host.contains(':') && !host.starts_with('[');
        let host = if is_bare_v6 { format!("[{host}]") } else { host.to_owned() };
        self.endpoints.push((WebUrl::parse(&format!("http://{host}:{port}/"))?, scope));
        Ok(())
    }

    /// How far a URL may lead, by its text alone: nothing was asked of anybody yet.
    ///
    /// A redirect profits from what the program named only if it stays at the same endpoint; else any page
    /// could send a request there.
    pub(crate) fn scope(&self, url: &WebUrl, from: Option<&WebUrl>) -> Result<Scope, FetchError> {
        let named = match from {
            Some(from) if !from.is_same_endpoint(url) => None,
            _ => self.named(url),
        };
        if named.is_none() && !WEB_PORTS.contains(&url.port()) {
            return Err(FetchError::Port { host: url.host().to_owned(), port: url.port() });
        }
        let scope = named.unwrap_or(Scope::Public);
        if scope == Scope::Public {
            if url.is_local_name() {
                return Err(FetchError::LocalName { host: url.host().to_owned() });
            }
            if let Some(address) = url.address().filter(|address| !is_public(*address)) {
                return Err(FetchError::NotPublic { host: url.host().to_owned(), address });
            }
        }
        Ok(scope)
    }

    fn named(&self, url: &WebUrl) -> Option<Scope> {
        let same = self.endpoints.iter().filter(|(endpoint, _)| endpoint.is_same_endpoint(url));
        same.map(|(_, scope)| *scope).max()
    }
}
