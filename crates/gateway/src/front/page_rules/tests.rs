//! Tests of the names of a server.

use super::PageRules;

#[test]
fn a_public_name_must_be_permitted() {
    let rules = PageRules { origins: Vec::new(), hosts: vec!["Gateway.Example.com".to_owned()] };
    for host in [
        "127.0.0.1:4000",
        "192.168.1.2",
        "[::1]:4000",
        "localhost:4000",
        "LOCALHOST",
        "app.localhost:80",
        "gateway",
        "gateway:4000",
        "printer.local",
        "host.docker.internal:4000",
        "gateway.models.svc.cluster.local:4000",
        "nas.home.arpa",
        "gateway.example.com",
        "GATEWAY.example.com:443",
        "gateway.example.com.",
    ] {
        assert!(rules.permit_host(host), "{host}");
    }
    for host in [
        "",
        "evil.example",
        "evil.example:4000",
        "127.0.0.1.evil.example",
        "localhost.evil.example:4000",
        "evil-local.example",
        "notlocal.xlocal",
        "gateway.example.com.evil.example",
        "evil.example:4000, localhost",
        "a.gateway.example.com",
    ] {
        assert!(!rules.permit_host(host), "{host}");
    }
}
