//! Redirects are followed by hand, each through the same checks (SECURITY, `web_fetch`).

use std::net::SocketAddr;

use windlass_tools_web::{Fetch, FetchError, FetchResult, ReachError, Redirect, SendError, WebUrl};

use crate::fake::{FakeWeb, FetchWeb as _};
use crate::server::{Server, Step, answer, path};

/// A server that redirects to the target in the query, and otherwise returns its path.
pub(crate) async fn redirecting() -> Server {
    Server::start(|head| {
        let path = path(head);
        let text = match path.split_once("to=") {
            Some((_, to)) => {
                answer("302 Found", &format!("location: {to}\r\nset-cookie: session=secret\r\n"), b"moved")
            }
            None => answer("200 OK", "content-type: text/plain\r\n", path.as_bytes()),
        };
        vec![Step::Send(text)]
    })
    .await
}

fn reaching(web: &FakeWeb, server: SocketAddr) -> Fetch {
    web.fetch().with_reachable("127.0.0.1", server.port()).unwrap()
}

async fn get(fetch: &Fetch, url: &str) -> Result<FetchResult, FetchError> {
    fetch.get(&WebUrl::parse(url).unwrap()).await
}

#[track_caller]
fn told(fetched: Result<FetchResult, FetchError>) -> Redirect {
    match fetched.unwrap() {
        FetchResult::Redirect(redirect) => redirect,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn text(fetched: Result<FetchResult, FetchError>) -> (String, usize) {
    match fetched.unwrap() {
        FetchResult::Page(page) => (page.text, page.redirects),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(fetched: Result<FetchResult, FetchError>) -> FetchError {
    match fetched.unwrap_err() {
        FetchError::Redirect { source, .. } => *source,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn on_the_same_host_they_are_followed() {
    let server = redirecting().await;
    let fetch = reaching(&FakeWeb::open(), server.address);
    assert_eq!(text(get(&fetch, &server.url("/r?to=/page%3Fx")).await), ("/page%3Fx".into(), 1));
    assert_eq!(text(get(&fetch, &server.url("/a/r?to=../b")).await), ("/b".into(), 1));
    let absolute = server.url(&format!("/r?to={}", server.url("/c")));
    assert_eq!(text(get(&fetch, &absolute).await), ("/c".into(), 1));
    let there = format!("/r?to=http://localhost:{}/", server.address.port());
    assert!(matches!(
        refused(get(&fetch, &server.url(&there)).await),
        FetchError::Send(SendError::Refused(ReachError::Port { .. }))
    ));
}

#[tokio::test]
async fn at_most_five_redirects_are_followed() {
    let server = Server::start(|head| {
        let left: usize = path(head).trim_start_matches('/').parse().unwrap();
        let next = format!("location: /{}\r\n", left.saturating_sub(1));
        let last = || answer("200 OK", "content-type: text/plain\r\n", b"there");
        vec![Step::Send(if left == 1 { last() } else { answer("301 Moved", &next, b"") })]
    })
    .await;
    let fetch = reaching(&FakeWeb::open(), server.address);
    assert_eq!(text(get(&fetch, &server.url("/6")).await), ("there".into(), 5));
    let error = get(&fetch, &server.url("/7")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects { limit: 5, .. }), "{error}");
    // A loop: page 0 redirects to itself.
    let before = server.requests().len();
    let error = get(&fetch, &server.url("/0")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects { .. }), "{error}");
    assert_eq!(server.requests().len() - before, 6);
}

#[tokio::test]
async fn redirects_to_another_host_are_reported_and_not_followed() {
    let server = redirecting().await;
    let web = FakeWeb::open().with_server("a.test", "93.184.216.34", server.address);
    let fetch = web.fetch();
    for (to, meant) in [
        ("http://b.test/x", "http://b.test/x"),
        ("//b.test/", "http://b.test/"),
        ("https://www.a.test/", "https://www.a.test/"),
        ("http://B.TEST./", "http://b.test/"),
    ] {
        let redirect = told(get(&fetch, &format!("http://a.test/r?to={to}")).await);
        assert_eq!((redirect.to.as_str(), redirect.status), (meant, 302));
    }
    assert_eq!(web.lookups(), ["a.test"; 4], "nobody asked for the other host's address");
}

#[tokio::test]
async fn the_check_sees_each_other_host_and_nothing_secret_goes_there() {
    let (first, second) = (redirecting().await, redirecting().await);
    let web = FakeWeb::open().with_server("a.test", "93.184.216.34", first.address).with_server(
        "b.test",
        "93.184.216.35",
        second.address,
    );
    let fetch = web.fetch().with_may_follow(|to| to.host() == "b.test");
    assert_eq!(text(get(&fetch, "http://a.test/r?to=http://b.test/page").await), ("/page".into(), 1));
    let heads = second.requests().join("").to_ascii_lowercase();
    for header in ["authorization", "cookie", "referer"] {
        assert!(!heads.contains(header), "{heads}");
    }
    assert!(heads.contains("host: b.test\r\n"), "{heads}");
    told(get(&fetch, "http://a.test/r?to=http://c.test/").await);
    // The check of the URL allows the request, and the check of the resolved address denies it.
    let web = web.with_name("b.test", &[&["10.0.0.5"]]);
    let error = get(&fetch, "http://a.test/r?to=http://b.test/page").await.unwrap_err();
    assert!(matches!(error, FetchError::Send(SendError::Refused(ReachError::NotPublic { .. }))), "{error}");
    assert_eq!(web.hidden_dials(), []);
}

#[tokio::test]
async fn no_redirect_leads_to_a_forbidden_address() {
    let server = redirecting().await;
    let web = FakeWeb::open().with_server("a.test", "93.184.216.34", server.address);
    // Reachable for calls of its own, and not for redirects from elsewhere.
    let fetch = reaching(&web, server.address).with_may_follow(|_| true);
    let targets = [
        "http://169.254.169.254/",
        "http://127.0.0.1/",
        "http://localhost/",
        "http://[::1]/",
        "http://0x7f.1/",
        "http://b.test:22/",
        "http://u:p@b.test/",
        "file:///etc/passwd",
        "data:text/plain,x",
        "http://",
    ];
    for to in targets.map(str::to_owned).into_iter().chain([server.url("/secret")]) {
        refused(get(&fetch, &format!("http://a.test/r?to={to}")).await);
    }
    for to in targets {
        refused(get(&fetch, &server.url(&format!("/r?to={to}"))).await);
    }
    let loopback: Vec<_> = web.hidden_dials();
    assert!(loopback.iter().all(|address| *address == server.address), "{loopback:?}");
    assert_eq!(loopback.len(), targets.len(), "one dial for each call to the server, none for a redirect");
}

#[tokio::test]
async fn without_a_place_to_go_they_are_pages() {
    let server = Server::saying(answer("302 Found", "content-type: text/plain\r\n", b"moved")).await;
    let fetch = reaching(&FakeWeb::open(), server.address);
    assert_eq!(text(get(&fetch, &server.url("/")).await), ("moved".into(), 0));
}
