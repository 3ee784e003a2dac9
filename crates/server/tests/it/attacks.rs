//! Attacks on the server: other pages, other names, wrong tokens, forged requests, slow and endless clients.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use windlass_server::ServerOptions;

use crate::place::{PATIENCE, Place};

const SAYS: &str = r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_and_other_names_are_refused() {
    let place = Place::new(SAYS).await;
    let bearer = format!("authorization: Bearer {}", place.token);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"] {
        let answer =
            place.request("GET", "/api/sessions", &[&bearer, &format!("origin: {origin}")], "").await;
        assert_eq!(answer.status, 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        let answer = place.request("GET", "/", &[&format!("sec-fetch-site: {site}")], "").await;
        assert_eq!(answer.status, 403, "{site}");
    }
    let own = format!("origin: http://{}", place.address);
    assert_eq!(place.request("GET", "/api/sessions", &[&bearer, &own], "").await.status, 200);
    // DNS rebinding: the name of the page resolves to this machine.
    for host in ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example"] {
        let text = format!("GET /health HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let refused = place.send(text.as_bytes()).await;
        assert_eq!(refused.status, 421, "{host:?}");
        assert!(refused.body.contains("--host-name NAME"), "{refused:?}");
    }
    let hosts = format!("host: {}\r\nhost: evil.example", place.address);
    let twice = format!("GET /health HTTP/1.1\r\n{hosts}\r\nconnection: close\r\n\r\n");
    assert!(place.send(twice.as_bytes()).await.status >= 400);
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_needs_a_token_and_the_page_permits_no_foreign_code() {
    let place = Place::new(SAYS).await;
    let document = windlass_server::openapi_document();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let is_open = operation["security"] == json!([]);
            let path = path.replace("{id}", "x");
            let body = if method == "get" || method == "delete" { "" } else { "{}" };
            let answer = place.request(&method.to_uppercase(), &path, &[], body).await;
            assert_eq!(answer.status == 401, !is_open, "{method} {path}: {answer:?}");
        }
    }
    let page = place.request("GET", "/", &[], "").await;
    assert_eq!(page.status, 200);
    assert!(
        page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{}",
        page.head
    );
    for word in ["unsafe-inline", "unsafe-eval", "access-control-allow-origin"] {
        assert!(!page.head.contains(word), "{word}");
    }
    assert!(
        page.head.contains("x-frame-options: deny") && page.head.contains("x-content-type-options: nosniff")
    );
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tokens_are_limited_and_do_not_lock_the_user_out() {
    let place = Place::new(SAYS).await;
    let mut statuses = Vec::new();
    for at in 0..30 {
        let wrong = format!("authorization: Bearer {}{at}", place.token);
        statuses.push(place.request("GET", "/api/sessions", &[&wrong], "").await.status);
    }
    assert!(statuses[..20].iter().all(|status| *status == 401), "{statuses:?}");
    assert!(statuses[20..].iter().all(|status| *status == 429), "{statuses:?}");
    let login = place.request("POST", "/api/login", &[], r#"{"token": "guess"}"#).await;
    assert!(login.status == 429 && login.head.contains("retry-after: "), "{login:?}");
    assert_eq!(place.call("GET", "/api/sessions", "").await.status, 200);
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_changes_nothing_without_the_csrf_token() {
    let place = Place::new(SAYS).await;
    let body = json!({ "token": place.token }).to_string();
    let login = place.request("POST", "/api/login", &[], &body).await;
    assert_eq!(login.status, 200);
    let cookie = login.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    for word in ["httponly", "samesite=strict", "path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    assert!(!login.body.contains(&place.token), "the body must not repeat the token");
    let csrf = login.json()["csrf"].as_str().unwrap().to_owned();
    let cookie = format!("cookie: other=1; windlass_device={}", place.token);
    assert_eq!(place.request("GET", "/api/sessions", &[&cookie], "").await.status, 200);
    let task = r#"{"task": "hello"}"#;
    let wrong = format!("x-windlass-csrf: {}0", &csrf[..csrf.len() - 1]);
    let wrong = if wrong.ends_with(&csrf) { wrong.replace('0', "1") } else { wrong };
    for headers in [vec![cookie.as_str()], vec![&cookie, "x-windlass-csrf: "], vec![&cookie, &wrong]] {
        let answer = place.request("POST", "/api/sessions", &headers, task).await;
        assert_eq!((answer.status, &answer.json()["code"]), (403, &json!("csrf")), "{headers:?}");
    }
    let right = format!("x-windlass-csrf: {csrf}");
    assert_eq!(place.request("POST", "/api/sessions", &[&cookie, &right], task).await.status, 201);
    let me = place.request("GET", "/api/me", &[&cookie], "").await.json();
    assert_eq!((&me["name"], &me["csrf"]), (&json!("laptop"), &json!(csrf)));
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_device_loses_its_access_at_once() {
    let place = Place::new(SAYS).await;
    let devices = place.call("GET", "/api/devices", "").await.json();
    assert_eq!((&devices[0]["name"], &devices[0]["is_own"]), (&json!("laptop"), &json!(true)));
    assert!(!devices.to_string().contains("hash"), "{devices}");
    let id = devices[0]["id"].as_str().unwrap();
    assert_eq!(place.call("DELETE", &format!("/api/devices/{id}"), "").await.status, 204);
    assert_eq!(place.call("GET", "/api/sessions", "").await.status, 401);
    place.shutdown().await;
}

/// Opens a feed that never ends by itself, and returns it after its first event.
async fn open_endless_feed(place: &Place) -> TcpStream {
    let session = place.start("wait").await;
    let mut stream = place.open_feed(&session, 0).await;
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains("run_started") {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut buffer)).await.unwrap().unwrap();
        assert!(read > 0, "the feed ended: {text}");
        text += &String::from_utf8_lossy(&buffer[..read]);
    }
    stream
}

const STALLS: &str =
    r#"{"turns": [{"steps": [{"text": "long"}], "hostile": {"switch": "stall", "after_bytes": 60}}]}"#;

/// Reads a feed until the last chunk of its body.
async fn read_feed_to_end(stream: &mut TcpStream) {
    let work = async {
        let mut text = String::new();
        let mut buffer = [0; 4096];
        while !text.ends_with("0\r\n\r\n") {
            let read = stream.read(&mut buffer).await.unwrap();
            if read == 0 {
                break;
            }
            text += &String::from_utf8_lossy(&buffer[..read]);
        }
    };
    let end = tokio::time::timeout(Duration::from_secs(10), work).await;
    assert!(end.is_ok(), "the feed of a revoked device stays open");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_open_feeds_of_a_revoked_device_end() {
    let place = Place::new(STALLS).await;
    let (other, token) = place.devices().add("phone", 2).unwrap();
    let mut stream = open_endless_feed(&place).await;
    let own = place.call("GET", "/api/devices", "").await.json()[0]["id"].as_str().unwrap().to_owned();
    // The revocation of another device does not end the feed.
    place.devices().revoke(&other.id).unwrap();
    let mut buffer = [0; 4096];
    let quiet = async { while stream.read(&mut buffer).await.unwrap() > 0 {} };
    assert!(tokio::time::timeout(Duration::from_secs(3), quiet).await.is_err(), "the feed ended");
    assert!(place.devices().find(&token).unwrap().is_none());
    assert_eq!(place.call("DELETE", &format!("/api/devices/{own}"), "").await.status, 204);
    read_feed_to_end(&mut stream).await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_ends_when_another_process_revokes_its_device() {
    let place = Place::new(STALLS).await;
    let mut stream = open_endless_feed(&place).await;
    let devices = place.devices();
    let id = devices.list().unwrap()[0].id.clone();
    devices.revoke(&id).unwrap();
    read_feed_to_end(&mut stream).await;
    assert_eq!(place.call("GET", "/api/sessions", "").await.status, 401);
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_heads_slow_bodies_and_endless_bodies_end() {
    let mut options = ServerOptions::default();
    options.head_timeout = Duration::from_millis(300);
    options.body_timeout = Duration::from_millis(300);
    (options.body_bytes, options.upload_bytes) = (10_000, 10_000);
    let place = Place::with_options(SAYS, options).await;
    let began = Instant::now();
    let slow = place.send(b"GET / HTTP/1.1\r\nhost:").await;
    assert!(slow.status == 0 || slow.status == 408, "{slow:?}");
    let head = format!(
        "POST /api/sessions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n",
        place.address, place.token
    );
    let answer = place.send(format!("{head}content-length: 100\r\n\r\n{{").as_bytes()).await;
    assert_eq!(answer.status, 408, "{answer:?}");
    assert!(answer.head.contains("connection: close"));
    assert!(began.elapsed() < PATIENCE / 2);
    // A body without an end, faster than the time limit.
    let mut stream = TcpStream::connect(&place.address).await.unwrap();
    stream.write_all(format!("{head}transfer-encoding: chunked\r\n\r\n").as_bytes()).await.unwrap();
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(4096));
    for _ in 0..20 {
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let mut read = Vec::new();
    let end = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut read)).await;
    assert!(end.is_ok(), "the connection ends");
    let text = String::from_utf8_lossy(&read).into_owned();
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 413"), "{text}");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_announced_body_above_the_limit_is_refused_before_it_arrives() {
    let place = Place::new(SAYS).await;
    for path in ["/api/sessions/x/stop", "/api/sessions"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: 99999999999\r\n\r\n",
            place.address, place.token
        );
        let begun = Instant::now();
        let answer = place.send(head.as_bytes()).await;
        assert_eq!((answer.status, &answer.json()["code"]), (413, &json!("body")), "{answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_never_reads_delays_neither_the_run_nor_the_end() {
    let piece = "x".repeat(400_000);
    let script = format!(r#"{{"turns": [{{"steps": [{{"text": "{piece}"}}], "piece": 50}}]}}"#);
    let place = Place::new(&script).await;
    let session = place.start("write much").await;
    let sleepy = place.open_feed(&session, 0).await;
    let events = place.feed_until(&session, 0, "run_ended").await;
    assert_eq!(events.last().unwrap()["outcome"]["state"], "completed");
    place.shutdown().await;
    drop(sleepy);
}
