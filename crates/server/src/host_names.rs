//! The names under which a server may be reached. A page of another site that lets its name resolve to this machine
//! (DNS rebinding) sends another name.

use std::net::{IpAddr, SocketAddr};

/// The accepted values of the header `Host`.
#[derive(Clone, Debug)]
pub(crate) struct HostNames {
    names: Vec<String>,
}

impl HostNames {
    /// Accepts the loopback names if the address is a loopback address, the address itself, and further names as the
    /// user wrote them, with or without a port.
    pub(crate) fn new(address: SocketAddr, further: &[String]) -> Self {
        let port = address.port();
        let mut names = vec![address.to_string().to_ascii_lowercase()];
        let is_any = address.ip().is_unspecified();
        if address.ip().is_loopback() || is_any {
            names.extend([format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]);
        }
        names.extend(further.iter().map(|name| name.to_ascii_lowercase()));
        Self { names }
    }

    /// Returns whether a request with this header may be answered.
    pub(crate) fn accept(&self, host: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }

    /// Returns whether a page with this origin is a page of this server.
    pub(crate) fn accept_origin(&self, origin: &str) -> bool {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|host| self.accept(host))
    }
}

/// Returns whether only this machine can reach an address.
pub(crate) fn is_local(address: IpAddr) -> bool {
    address.is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_accepted() {
        let names = HostNames::new("127.0.0.1:7777".parse().unwrap(), &["My.Host:443".to_owned()]);
        for good in ["127.0.0.1:7777", "localhost:7777", "LOCALHOST:7777", "[::1]:7777", "my.host:443"] {
            assert!(names.accept(good), "{good}");
        }
        for bad in
            ["", "127.0.0.1", "127.0.0.1:7778", "evil.example:7777", "localhost.evil.example:7777", "my.host"]
        {
            assert!(!names.accept(bad), "{bad}");
        }
        assert!(names.accept_origin("http://localhost:7777") && names.accept_origin("https://my.host:443"));
        for bad in [
            "null",
            "http://evil.example",
            "http://localhost",
            "file://",
            "http://localhost:7777.evil.example",
        ] {
            assert!(!names.accept_origin(bad), "{bad}");
        }
        assert!(is_local("::1".parse().unwrap()) && !is_local("192.168.1.2".parse().unwrap()));
    }

    #[test]
    fn a_server_of_the_network_accepts_its_address() {
        let names = HostNames::new("192.168.1.2:80".parse().unwrap(), &[]);
        assert!(names.accept("192.168.1.2:80") && !names.accept("localhost:80"));
    }
}
