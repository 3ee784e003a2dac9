//! Tests of the addresses that count as public (SECURITY, "`web_fetch`").

use super::is_private;

#[track_caller]
fn check(host: &str, expected: bool) {
    assert_eq!(is_private(host), expected, "{host}");
}

#[test]
fn addresses_of_the_machine_and_its_networks_are_private() {
    for host in [
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "[::1]",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::a9fe:a9fe",
        "2001:0:a9fe:a9fe::",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "ff02::1",
        "localhost",
        "localhost.",
        "a.localhost",
        "LOCALHOST",
    ] {
        check(host, true);
    }
    for host in [
        "8.8.8.8",
        "93.184.216.34",
        "172.32.0.1",
        "100.128.0.1",
        "198.20.0.1",
        "192.0.1.1",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "docs.rs",
        "localhost.example.org",
    ] {
        check(host, false);
    }
}
