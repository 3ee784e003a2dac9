//! Checks of HTTP requests before they are read: host, origin and token.

use hyper::header::{AUTHORIZATION, HOST, ORIGIN};
use hyper::{HeaderMap, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::http::HttpToken;

/// The checks of a request's headers.
#[derive(Clone, Debug)]
pub(crate) struct RequestGuard {
    pub(crate) token: Option<HttpToken>,
    /// Accepted names of this server, in addition to those of this machine.
    pub(crate) hosts: Vec<String>,
}

/// The response to a refused request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) status: StatusCode,
    pub(crate) words: &'static str,
}

/// Names of this machine.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl RequestGuard {
    /// Checks a request's host, origin and token.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if !self.is_own(host) {
            // DNS rebinding: another site's name resolves to this machine.
            return Err(rejection(StatusCode::FORBIDDEN, "the Host header does not name this server"));
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let site = origin.split_once("://").map_or("", |(_, site)| site);
            if !self.is_own(site) {
                return Err(rejection(StatusCode::FORBIDDEN, "requests from other sites are refused"));
            }
        }
        let Some(token) = &self.token else { return Ok(()) };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' '));
        let is_right = given.is_some_and(|(scheme, given)| {
            scheme.eq_ignore_ascii_case("bearer") && is_equal(given.trim(), token.expose())
        });
        if is_right { Ok(()) } else { Err(rejection(StatusCode::UNAUTHORIZED, "a bearer token is needed")) }
    }

    fn is_own(&self, authority: &str) -> bool {
        let name = strip_port(authority);
        OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
            || self.hosts.iter().any(|host| strip_port(host).eq_ignore_ascii_case(name))
    }
}

/// Returns a host without its port. Names are compared without ports.
fn strip_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}

/// Compares digests, so that the time does not depend on the number of equal characters.
fn is_equal(one: &str, other: &str) -> bool {
    Sha256::digest(one.as_bytes()) == Sha256::digest(other.as_bytes())
}

fn rejection(status: StatusCode, words: &'static str) -> Rejection {
    Rejection { status, words }
}

#[cfg(test)]
mod tests;
