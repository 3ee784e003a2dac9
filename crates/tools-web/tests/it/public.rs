//! Tests of the addresses that count as public (SECURITY, `web_fetch`). Policy and fetch use the same function.

use std::net::IpAddr;

use windlass_hitl::is_public;

#[track_caller]
fn check(address: &str, expected: bool) {
    assert_eq!(is_public(address.parse::<IpAddr>().unwrap()), expected, "{address}");
}

/// The addresses of the catalogue in parsed form, and one of each further block.
const HIDDEN: [&str; 31] = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:7f00:1",
    "::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:0:a9fe:a9fe::",
    "2001:db8::1",
    "2002:7f00:1::",
];

#[test]
fn each_literal_that_is_not_public_is_caught() {
    for address in HIDDEN {
        check(address, false);
    }
}

#[test]
fn address_blocks_match_the_registry() {
    let last_inside = [
        "0.255.255.255",
        "10.255.255.255",
        "100.127.255.255",
        "169.254.255.255",
        "192.0.0.255",
        "198.19.255.255",
        "239.255.255.255",
        "2001:1ff:ffff::",
        "2002:ffff::",
        "3fff:fff::",
        "1fff::1",
        "4000::1",
        "64:ff9b:1::1",
        "100::1",
        "::ffff:8.8.8.8",
        "::8.8.8.8",
    ];
    for address in last_inside {
        check(address, false);
    }
    let outside = [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "93.184.216.34",
        "2000::1",
        "2001:200::1",
        "2003::1",
        "2606:4700::1111",
        "2a00:1450::1",
        "3fff:1000::1",
        "3ffe::1",
    ];
    for address in outside {
        check(address, true);
    }
}
