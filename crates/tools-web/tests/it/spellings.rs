//! Tests that no spelling of an address evades the check.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use proptest::prelude::*;
use tokio::runtime::{Builder, Runtime};
use windlass_hitl::is_public;
use windlass_tools_web::{FetchError, FetchResult, ReachError, SendError, WebLimits, WebUrl};

use crate::fake::{FakeWeb, FetchWeb as _, PUBLIC};
use crate::redirects::redirecting;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// An IPv4 address, most often one of those that matter.
fn address() -> impl Strategy<Value = Ipv4Addr> {
    let known = prop::sample::select(vec![
        Ipv4Addr::LOCALHOST,
        Ipv4Addr::UNSPECIFIED,
        Ipv4Addr::new(10, 0, 0, 5),
        Ipv4Addr::new(169, 254, 169, 254),
        Ipv4Addr::new(172, 20, 1, 1),
        Ipv4Addr::new(192, 168, 1, 1),
        Ipv4Addr::new(100, 100, 100, 200),
    ]);
    prop_oneof![known, any::<u32>().prop_map(Ipv4Addr::from_bits)]
}

/// A number in one of the bases that a URL's address may have.
fn number(value: u32, base: u8) -> String {
    match base % 4 {
        0 => format!("0x{value:x}"),
        1 => format!("0X{value:08X}"),
        2 => format!("0{value:o}"),
        _ => value.to_string(),
    }
}

/// The address in one to four parts, each in a base of its own.
fn parts(address: Ipv4Addr, count: usize, bases: [u8; 4]) -> String {
    let [a, b, c, d] = address.octets().map(u32::from);
    let parts = match count {
        1 => vec![address.to_bits()],
        2 => vec![a, (b << 16) | (c << 8) | d],
        3 => vec![a, b, (c << 8) | d],
        _ => vec![a, b, c, d],
    };
    parts.into_iter().zip(bases).map(|(part, base)| number(part, base)).collect::<Vec<_>>().join(".")
}

/// Other characters that a URL parser treats as equal.
fn disguise(host: &str, how: u8) -> String {
    let wide = |character: char| match character {
        '0'..='9' => char::from_u32(character as u32 - 0x30 + 0xff10).unwrap(),
        '.' => '。',
        other => other,
    };
    match how % 4 {
        0 => host.chars().map(wide).collect(),
        1 => host.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02x}")),
        2 => format!("{host}."),
        _ => host.to_owned(),
    }
}

/// IPv6 forms that contain the address.
fn carried(address: Ipv4Addr, how: u8) -> String {
    let [a, b, c, d] = address.octets().map(u16::from);
    let (high, low) = ((a << 8) | b, (c << 8) | d);
    let segments = match how % 5 {
        0 => [0, 0, 0, 0, 0, 0xffff, high, low],
        1 => [0, 0, 0, 0, 0, 0, high, low],
        2 => [0x64, 0xff9b, 0, 0, 0, 0, high, low],
        3 => [0x2002, high, low, 0, 0, 0, 0, 1],
        _ => [0x2001, 0, high, low, 0, 0, 0, 0],
    };
    format!("[{}]", Ipv6Addr::from(segments))
}

fn host() -> impl Strategy<Value = String> {
    let spelled = (address(), 1_usize..5, any::<[u8; 4]>(), any::<u8>())
        .prop_map(|(address, count, bases, how)| disguise(&parts(address, count, bases), how));
    let carried = (address(), any::<u8>()).prop_map(|(address, how)| carried(address, how));
    let wide = any::<u128>().prop_map(|bits| format!("[{}]", Ipv6Addr::from_bits(bits)));
    let named =
        prop::sample::select(vec!["localhost", "LOCALHOST.", "a.localhost", "hidden.test", "mixed.test"]);
    prop_oneof![4 => spelled, 2 => carried, 1 => wide, 1 => named.prop_map(str::to_owned)]
}

fn web() -> FakeWeb {
    FakeWeb::open()
        .with_name("hidden.test", &[&["10.0.0.5"]])
        .with_name("mixed.test", &[&["93.184.216.34", "127.0.0.1"]])
}

proptest! {
    #[test]
    fn no_spelling_of_a_host_dials_a_private_address(host in host(), is_encrypted: bool) {
        let web = web();
        let scheme = if is_encrypted { "https" } else { "http" };
        if let Ok(url) = WebUrl::parse(&format!("{scheme}://{host}/")) {
            let fetched = runtime().block_on(web.fetch().get(&url));
            prop_assert!(fetched.is_err(), "nobody listens");
            if let Some(address) = url.address() {
                let is_dialed = web.dials().iter().any(|dialed| dialed.ip() == address);
                prop_assert_eq!(is_dialed, is_public(address), "what is public is dialled, and only that");
            }
        }
        prop_assert_eq!(web.hidden_dials(), []);
    }

    #[test]
    fn no_redirect_dials_a_hidden_host(host in host()) {
        let web = web();
        runtime().block_on(async {
            let server = redirecting().await;
            let web = web.clone().with_server("a.test", "93.184.216.99", server.address);
            let fetch = web.fetch().with_may_follow(|_| true);
            let location: String = url_encoded(&format!("http://{host}/"));
            let _ = fetch.get(&WebUrl::parse(&format!("http://a.test/r?to={location}")).unwrap()).await;
        });
        prop_assert_eq!(web.hidden_dials(), []);
        prop_assert!(!web.dials().is_empty());
    }

    #[test]
    fn no_url_text_dials_a_hidden_address(text in ".{0,60}", rest in ".{0,20}") {
        let web = web();
        for text in [text.clone(), format!("http://{text}"), format!("http://127.0.0.1{text}"), format!("//{text}:{rest}@{rest}")] {
            if let Ok(url) = WebUrl::parse(&text) {
                let _ = runtime().block_on(web.fetch().get(&url));
            }
        }
        prop_assert_eq!(web.hidden_dials(), []);
    }
}

/// A header takes ASCII only; other characters come as they would in a location that a server wrote as UTF-8.
fn url_encoded(text: &str) -> String {
    text.chars().filter(char::is_ascii).collect()
}

#[tokio::test]
async fn a_name_is_resolved_once_and_the_checked_address_is_dialled() {
    // DNS rebinding: public for the check, loopback for a second lookup.
    let web = FakeWeb::open().with_name("rebind.test", &[&["93.184.216.34"], &["127.0.0.1"]]);
    let url = WebUrl::parse("http://rebind.test/").unwrap();
    let error = web.fetch().get(&url).await.unwrap_err();
    assert!(matches!(error, FetchError::Send(SendError::Refused(ReachError::Unreachable { .. }))), "{error}");
    assert_eq!((web.lookups().len(), web.dials()), (1, vec![(PUBLIC, 80).into()]));
    // The second call is checked by its own answer.
    let error = web.fetch().get(&url).await.unwrap_err();
    assert!(matches!(error, FetchError::Send(SendError::Refused(ReachError::NotPublic { .. }))), "{error}");
    assert_eq!(web.hidden_dials(), []);
}

#[tokio::test]
async fn one_hidden_address_hides_the_name() {
    let hidden: [&[&str]; 4] =
        [&["93.184.216.34", "127.0.0.1"], &["::1", "93.184.216.34"], &["::ffff:10.0.0.1"], &[]];
    for addresses in hidden {
        let web = FakeWeb::open().with_name("mixed.test", &[addresses]);
        web.fetch().get(&WebUrl::parse("https://mixed.test/").unwrap()).await.unwrap_err();
        assert_eq!(web.dials(), []);
    }
}

#[tokio::test]
async fn ports_and_private_hosts_are_the_programs_to_name() {
    let at = |host: &str, port: u16| WebUrl::parse(&format!("http://{host}:{port}/")).unwrap();
    let web = FakeWeb::open().with_name("hidden.test", &[&["10.0.0.5"]]);
    let fetch = web.fetch().with_port("a.test", 8080).unwrap().with_port("hidden.test", 8080).unwrap();
    let fetch = fetch.with_reachable("::1", 9).unwrap().with_reachable("Hidden.Test.", 81).unwrap();
    for port in [22, 81, 8081, 0] {
        let error = fetch.get(&at("a.test", port)).await.unwrap_err();
        assert!(matches!(error, FetchError::Send(SendError::Refused(ReachError::Port { .. }))), "{error}");
    }
    let error = fetch.get(&at("hidden.test", 8080)).await.unwrap_err();
    assert!(matches!(error, FetchError::Send(SendError::Refused(ReachError::NotPublic { .. }))), "{error}");
    assert_eq!(web.dials(), []);
    for url in [at("a.test", 8080), at("hidden.test", 81), at("[::1]", 9)] {
        let error = fetch.get(&url).await.unwrap_err();
        assert!(
            matches!(error, FetchError::Send(SendError::Refused(ReachError::Unreachable { .. }))),
            "{error}"
        );
    }
    let dialed: Vec<IpAddr> = web.dials().iter().map(std::net::SocketAddr::ip).collect();
    assert_eq!(dialed, [IpAddr::from(PUBLIC), [10, 0, 0, 5].into(), Ipv6Addr::LOCALHOST.into()]);
    for host in ["a/b@c", "a#b", "a?b", "a@b", "a:81", "", "a b"] {
        assert!(web.fetch().with_port(host, 80).is_err(), "{host}");
    }
}

#[tokio::test]
async fn at_most_four_addresses_are_dialled_in_turn() {
    let server = redirecting().await;
    let web = FakeWeb::open()
        .with_server("a.test", "93.184.216.36", server.address)
        .with_name("a.test", &[&["93.184.216.34", "93.184.216.36"]]);
    let url = WebUrl::parse("http://a.test/x").unwrap();
    assert!(matches!(web.fetch().get(&url).await, Ok(FetchResult::Page(_))));
    let web = FakeWeb::open().with_name("a.test", &[&["93.184.216.34"; 50]]);
    web.fetch()
        .with_limits(WebLimits::default().with_connect(Duration::from_secs(1)))
        .get(&url)
        .await
        .unwrap_err();
    assert_eq!(web.dials().len(), 4);
}
