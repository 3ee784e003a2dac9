//! Host patterns in rules.

/// Pattern for one host, or for every host below one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostMatcher {
    Exactly(String),
    Below(String),
}

impl HostMatcher {
    /// Parses a host as a rule writes it. Returns `None` if the text is not a host, for example a URL or a
    /// lone star.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (is_below, host) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let host = normal(host);
        let is_name = !host.is_empty()
            && !host.contains(['*', '/', '@', '?', '#', ' '])
            && (host.parse::<std::net::Ipv6Addr>().is_ok() || !host.contains(':'));
        is_name.then_some(if is_below { Self::Below(host) } else { Self::Exactly(host) })
    }

    pub(crate) fn is_match(&self, host: &str) -> bool {
        let host = normal(host);
        match self {
            Self::Exactly(wanted) => host == *wanted,
            // A host below another one has a label and a dot before it.
            Self::Below(parent) => host
                .strip_suffix(parent.as_str())
                .and_then(|front| front.strip_suffix('.'))
                .is_some_and(|front| !front.is_empty()),
        }
    }
}

/// Normalizes a host: lower case, without a trailing dot and without the brackets of an IPv6 address.
fn normal(host: &str) -> String {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host).to_lowercase()
}
