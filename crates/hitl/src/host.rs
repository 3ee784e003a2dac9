//! Hosts outside the public internet, recognized by address or name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether a host is a non-public address or a name of the machine itself. Names are not resolved
/// here: the code that opens a connection checks the addresses again.
pub(crate) fn is_private(host: &str) -> bool {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    // A zone (`%eth0`) names a network interface of this machine.
    if host.contains('%') {
        return true;
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        Ok(address) => !is_public(address),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Returns whether an address belongs to the public internet, by IANA's special-purpose registries (SECURITY,
/// "`web_fetch`").
///
/// ```
/// use windlass_hitl::is_public;
/// assert!(is_public("93.184.216.34".parse()?));
/// assert!(!is_public("169.254.169.254".parse()?));
/// assert!(!is_public("::ffff:10.0.0.1".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// IPv4 networks that are not public: the first address and the length of the prefix in bits.
const NOT_PUBLIC_V4: [([u8; 4], u32); 17] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Azure's host, which every virtual machine in that cloud can reach: metadata, certificates, extensions.
    ([168, 63, 129, 16], 32),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
    ([255, 255, 255, 255], 32),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !NOT_PUBLIC_V4.iter().any(|(network, fixed)| {
        let mask = u32::MAX.checked_shl(32_u32.saturating_sub(*fixed)).unwrap_or(0);
        bits & mask == u32::from_be_bytes(*network)
    })
}

/// Returns whether an IPv6 address is public. Outside `2000::/3` none is; inside it `2001::/23` (with
/// Teredo), the documentation networks and 6to4 are not.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    first & 0xe000 == 0x2000
        && !(first == 0x2001 && second < 0x0200)
        && !(first == 0x2001 && second == 0x0db8)
        && first != 0x2002
        && !(first == 0x3fff && second < 0x1000)
}

#[cfg(test)]
mod tests;
