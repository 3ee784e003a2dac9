//! Accepted and refused requests.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::{HttpToken, RequestGuard};

#[track_caller]
fn check(guard: &RequestGuard, headers: &[(&str, &str)], expected: Option<u16>) {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        map.insert(name, HeaderValue::from_str(value).unwrap());
    }
    let met = guard.check(&map).err().map(|rejection| rejection.status.as_u16());
    assert_eq!(met, expected, "{headers:?}");
}

// SECURITY "MCP": bind loopback, check Host and Origin, token
#[test]
fn only_local_requests_with_the_host_name_and_the_token_are_accepted() {
    let guard =
        RequestGuard { token: Some(HttpToken::new("s3cret-t0ken")), hosts: vec!["box.lan".to_owned()] };
    let bearer = ("authorization", "Bearer s3cret-t0ken");
    for host in ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:80", "box.lan:80"] {
        check(&guard, &[("host", host), bearer], None);
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.", "evil.example:80", "", "127.0.0.1:x"]
    {
        check(&guard, &[("host", host), bearer], Some(403));
    }
    check(&guard, &[bearer], Some(403));
    let own = ("host", "127.0.0.1:80");
    for origin in ["http://localhost:3000", "http://127.0.0.1", "https://box.lan"] {
        check(&guard, &[own, bearer, ("origin", origin)], None);
    }
    for origin in ["null", "http://evil.example", "http://localhost.evil.example", "localhost", ""] {
        check(&guard, &[own, bearer, ("origin", origin)], Some(403));
    }
    check(&guard, &[own], Some(401));
    for wrong in
        ["Bearer s3cret-t0ke", "Bearer", "Basic s3cret-t0ken", "s3cret-t0ken", "Bearer s3cret-t0kenx"]
    {
        check(&guard, &[own, ("authorization", wrong)], Some(401));
    }
    // correctness-2 16: a host name with a port in the configuration is accepted with any port.
    let ported = RequestGuard { token: None, hosts: vec!["example.com:8080".to_owned()] };
    for host in ["example.com", "example.com:8080", "EXAMPLE.com:1"] {
        check(&ported, &[("host", host)], None);
    }
    check(&ported, &[("host", "other.com:8080")], Some(403));
    let open = RequestGuard { token: None, hosts: Vec::new() };
    check(&open, &[own], None);
    check(&open, &[("host", "box.lan")], Some(403));
}
