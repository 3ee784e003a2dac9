//! Which addresses belong to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// First address and length of each IPv4 block that is not the public internet (IANA's registry of special
/// purpose addresses, and multicast).
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The only part of IPv6 that is routed in public.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What inside of it is not: protocol assignments with Teredo, documentation, 6to4, documentation again.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address belongs to the public internet.
///
/// IPv6 forms that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) never do, whatever they
/// carry: a translator on the way would decide where they lead.
///
/// ```
/// use windlass_tools_web::is_public;
/// assert!(is_public([93, 184, 216, 34].into()));
/// assert!(!is_public([127, 0, 0, 1].into()));
/// assert!(!is_public("::ffff:93.184.216.34".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4.iter().any(|block| is_in_v4(address, *block)),
        IpAddr::V6(address) => {
            // Mapped, compatible and 64:ff9b::/96 lie outside of 2000::/3.
            is_in_v6(address, GLOBAL_V6) && !NOT_PUBLIC_V6.iter().any(|block| is_in_v6(address, *block))
        }
    }
}

fn is_in_v4(address: Ipv4Addr, (first, length): (Ipv4Addr, u32)) -> bool {
    let differing = address.to_bits() ^ first.to_bits();
    differing.leading_zeros() >= length
}

fn is_in_v6(address: Ipv6Addr, (first, length): (Ipv6Addr, u32)) -> bool {
    let differing = address.to_bits() ^ first.to_bits();
    differing.leading_zeros() >= length
}
