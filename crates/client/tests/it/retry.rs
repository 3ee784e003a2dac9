//! Repeated requests and their number (RULES L9).

use std::time::Duration;

use windlass_client::Options;
use windlass_stream::ModelErrorKind;

use crate::server::{Reply, Server, ask, error, events, hello, quick, request, text, words};

const SLOW: &str = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;
const BROKEN: &str = r#"{"error":{"message":"boom","type":"server_error"}}"#;

/// Sends one request, and checks the number of attempts, the text and the kind of the failure.
#[track_caller]
fn check(replies: Vec<Reply>, expected: (usize, &str, Option<ModelErrorKind>)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let got = runtime.block_on(async {
        let server = Server::start(replies).await;
        let (chunks, error) = ask(&server.client(quick()), &request()).await;
        (server.requests().await.len(), text(&chunks), error.map(|error| error.kind))
    });
    assert_eq!((got.0, got.1.as_str(), got.2), expected);
}

#[test]
fn transient_failures_are_retried() {
    check(vec![error(429, "retry-after: 0\r\n", SLOW), hello()], (2, "Hello", None));
    check(
        vec![error(429, "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n", SLOW), hello()],
        (2, "Hello", None),
    );
    check(vec![error(429, "retry-after: soon\r\n", SLOW), hello()], (2, "Hello", None));
    for status in [408, 409, 500, 502, 503, 529] {
        check(vec![error(status, "", "{}"), hello()], (2, "Hello", None));
    }
    check(vec![error(503, "", BROKEN), error(429, "", SLOW), hello()], (3, "Hello", None));
}

#[test]
fn permanent_failures_are_not_retried() {
    let quota = r#"{"error":{"message":"you exceeded your current quota","code":"insufficient_quota"}}"#;
    check(vec![error(429, "", quota)], (1, "", Some(ModelErrorKind::Refused)));
    let key = r#"{"error":{"message":"no","code":"invalid_api_key"}}"#;
    check(vec![error(401, "", key)], (1, "", Some(ModelErrorKind::Configuration)));
    check(vec![error(500, "", key)], (1, "", Some(ModelErrorKind::Configuration)));
    let missing = r#"{"error":{"message":"no such model","code":"model_not_found"}}"#;
    check(vec![error(404, "", missing)], (1, "", Some(ModelErrorKind::Configuration)));
    let wrong = r#"{"error":{"message":"bad","type":"invalid_request_error"}}"#;
    check(vec![error(400, "", wrong)], (1, "", Some(ModelErrorKind::Refused)));
    // The message of a rate limit with a status that blames the request itself.
    check(vec![error(413, "", SLOW)], (1, "", Some(ModelErrorKind::RateLimit)));
}

#[test]
fn a_request_that_may_be_billed_is_not_retried() {
    check(vec![Reply::Close(Vec::new())], (1, "", Some(ModelErrorKind::Dropped)));
    let half =
        Reply::Close(events("data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\ndata: nonsense\n\n"));
    check(vec![half], (1, "Hal", Some(ModelErrorKind::Dropped)));
}

#[tokio::test]
async fn five_failures_end_the_attempts_and_are_counted() {
    let server = Server::start(vec![error(500, "x-request-id: req_7\r\n", BROKEN)]).await;
    let failure = ask(&server.client(quick()), &request()).await.1.unwrap();
    assert_eq!(server.requests().await.len(), 5);
    assert_eq!(failure.kind, ModelErrorKind::Server);
    assert_eq!(failure.request_id.as_deref(), Some("req_7"));
    assert!(failure.message.contains("after 5 attempts"), "{failure}");
    assert!(failure.message.contains("boom"), "{failure}");
}

#[tokio::test]
async fn no_retries_means_one_request() {
    let server = Server::start(vec![error(500, "", BROKEN)]).await;
    let failure = ask(&server.client(Options { retries: 0, ..quick() }), &request()).await.1.unwrap();
    assert_eq!(server.requests().await.len(), 1);
    assert!(!failure.message.contains("attempts"), "{failure}");
}

// A provider that requests a wait of a day is not waited for.
#[tokio::test]
async fn a_wait_beyond_the_total_timer_is_not_waited() {
    let server = Server::start(vec![error(429, "retry-after: 86400\r\n", SLOW)]).await;
    let failure = ask(&server.client(quick()), &request()).await.1.unwrap();
    assert_eq!(server.requests().await.len(), 1);
    assert_eq!(failure.kind, ModelErrorKind::RateLimit);
    assert_eq!(failure.retry_after, Some(Duration::from_hours(24)), "{}", words(&failure));
}

#[tokio::test]
async fn a_date_to_wait_for_is_read() {
    let date = "retry-after: Fri, 31 Dec 9999 23:59:59 GMT\r\n";
    let server = Server::start(vec![error(429, date, SLOW)]).await;
    let failure = ask(&server.client(quick()), &request()).await.1.unwrap();
    assert_eq!(server.requests().await.len(), 1);
    assert!(failure.retry_after.unwrap() > Duration::from_hours(24 * 365), "{}", words(&failure));
}
