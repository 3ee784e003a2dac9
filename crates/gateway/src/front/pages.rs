//! The protection from web pages.

use super::Front;

impl Front {
    /// Permits the pages of an origin, such as `https://app.example`, to call the server from a browser. Without origins,
    /// every request of a page is refused.
    pub fn with_origin(mut self, origin: impl Into<String>) -> Self {
        self.pages.origins.push(origin.into());
        self
    }

    /// Permits requests to a public name of the server, such as `gateway.example.com`.
    ///
    /// A page can let its own name resolve to this machine (DNS rebinding), and then sends no foreign origin. A server
    /// without [keys of clients](Self::with_client_keys) therefore answers requests to IP addresses, to names without a dot,
    /// to `*.localhost`, `*.local`, `*.internal` and `*.home.arpa`, and to the names given here. With keys every name is
    /// permitted, because a page has no key.
    pub fn with_host(mut self, name: impl Into<String>) -> Self {
        self.pages.hosts.push(name.into());
        self
    }

    /// Returns true if pages of this origin may call the server.
    pub(crate) fn permits_origin(&self, origin: &str) -> bool {
        self.pages.origins.iter().any(|permitted| permitted == origin)
    }

    /// Returns true if the server answers requests with this header `host`.
    pub(crate) fn permits_host(&self, host: &str) -> bool {
        self.keys.is_some() || self.pages.permit_host(host)
    }
}
