//! `PageRules`: the origins that may call a server, and the names of the server.

use std::net::{IpAddr, Ipv4Addr};

use hyper::http::uri::Authority;

/// Endings of names that no registrar sells, so that no page of another site can have such a name.
const PRIVATE_DOMAINS: [&str; 4] = ["localhost", "local", "internal", "home.arpa"];

/// The pages that may call a server, and the names under which they and other clients may reach it.
#[derive(Clone, Debug, Default)]
pub(super) struct PageRules {
    pub(super) origins: Vec<String>,
    pub(super) hosts: Vec<String>,
}

impl PageRules {
    /// Returns true if the header `host` has an address, a private name or a permitted one.
    pub(super) fn permit_host(&self, host: &str) -> bool {
        // Most clients of a machine name it by its address.
        let (address, port) = host.split_once(':').unwrap_or((host, ""));
        if address.parse::<Ipv4Addr>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit()) {
            return true;
        }
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
        let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        let is_below = |domain: &&str| name.strip_suffix(*domain).is_some_and(|above| above.ends_with('.'));
        let is_private = !name.contains('.') || PRIVATE_DOMAINS.iter().any(is_below);
        is_address || is_private || self.hosts.iter().any(|permitted| permitted.eq_ignore_ascii_case(&name))
    }
}

#[cfg(test)]
mod tests;
