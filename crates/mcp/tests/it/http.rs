//! Servers over HTTP that lose sessions, cut streams, redirect and send too much (fault F68).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_mcp::{AddressError, ClientOptions, McpClient, McpLimits, McpServer, StartError};
use windlass_protocol::ResultStatus;

use crate::calls::{call, text};
use crate::web::{Heard, Reply, Then, WebServer, event, json_of, polite, result, status};

fn server(web: &WebServer) -> McpServer {
    McpServer::http("web", &web.url).unwrap()
}

async fn client(web: &WebServer) -> McpClient {
    McpClient::start(server(web), ClientOptions::default()).await.unwrap()
}

/// A well-behaved server that handles calls with a function of the test.
async fn calling(mut calls: impl FnMut(&Heard) -> Reply + Send + 'static) -> WebServer {
    WebServer::start(
        move |heard| if heard.asks() == "tools/call" { calls(heard) } else { polite(heard, "s") },
    )
    .await
}

fn said(heard: &Heard, text: &str) -> Value {
    result(heard, &json!({"content": [{"type": "text", "text": text}]}))
}

/// Checks that no call arrived twice, by its id or its arguments.
fn assert_no_call_twice(web: &WebServer, calls: usize) {
    let calls_heard = web.heard_of("tools/call");
    let mut ids: Vec<String> = calls_heard
        .iter()
        .map(|heard| format!("{}{}", heard.header("mcp-session-id"), heard.body["id"]))
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), calls_heard.len()), (calls, calls));
}

#[tokio::test]
async fn a_session_is_kept_and_given_back() {
    let web = WebServer::start(|heard| polite(heard, "s-1")).await;
    let client = client(&web).await;
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Ok, "{}", text(&output));
    assert!(text(&output).contains("called"));
    let calls = web.heard_of("tools/call");
    assert_eq!(calls[0].header("mcp-session-id"), "s-1");
    assert_eq!(calls[0].header("mcp-protocol-version"), "2025-06-18");
    assert!(calls[0].header("accept").contains("text/event-stream"));
    assert!(calls[0].body["params"]["arguments"]["a"].is_number());
    client.stop().await;
    for _ in 0..400 {
        if web.heard().iter().any(|heard| heard.method == "DELETE") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the session was not given back");
}

// The model's own text goes out, digits and all.
#[tokio::test]
async fn long_numbers_keep_their_digits() {
    let web = calling(|heard| json_of(&said(heard, "well"))).await;
    call(&client(&web).await).await.unwrap();
    let sent = &web.heard_of("tools/call")[0].text;
    assert!(sent.contains(r#"{"a": 12345678901234567890123}"#), "{sent}");
}

// F68: the server forgets the session. The client initializes once more, and sends nothing twice.
#[tokio::test]
async fn a_lost_session_is_reinitialized_once_and_no_call_is_sent_twice() {
    let mut introductions = 0;
    let mut is_lost = false;
    let web = WebServer::start(move |heard| {
        if heard.asks() == "initialize" {
            introductions += 1;
            is_lost = introductions == 1;
        }
        let session = format!("s-{introductions}");
        if heard.asks() == "tools/call" && is_lost && heard.header("mcp-session-id") == "s-1" {
            return status(404);
        }
        polite(heard, &session)
    })
    .await;
    let client = client(&web).await;
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::NotStarted, "{}", text(&output));
    assert!(text(&output).contains("has lost the session"));
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Ok, "{}", text(&output));
    assert_eq!(web.heard_of("initialize").len(), 2, "introduced again once");
    assert_eq!(web.heard_of("tools/call")[1].header("mcp-session-id"), "s-2");
    assert_no_call_twice(&web, 2);
}

// F68: the stream of an answer is cut before the answer, and gives no id to resume from.
#[tokio::test]
async fn a_cut_stream_without_a_mark_ends_the_call_and_nothing_is_sent_again() {
    let web = calling(|_| Reply::Events { events: vec![": hello\n\n".to_owned()], then: Then::Close }).await;
    let client = client(&web).await;
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::EffectsUnknown, "{}", text(&output));
    assert_no_call_twice(&web, 1);
    assert_eq!(web.heard_of("initialize").len(), 1, "the session is still good");
}

// SEP-1699: a stream with an event id is resumed by GET, after the wait that the server requests.
#[tokio::test]
async fn a_broken_stream_resumes_at_its_last_event_id() {
    let asked: Arc<Mutex<Value>> = Arc::default();
    let web = WebServer::start(move |heard| match (heard.method.as_str(), heard.asks()) {
        (_, "tools/call") => {
            *asked.lock().unwrap() = said(heard, "late");
            let events = vec!["id: 7\nretry: 20\ndata: \n\n".to_owned()];
            Reply::Events { events, then: Then::Close }
        }
        ("GET", _) if heard.header("last-event-id") == "7" => {
            Reply::Events { events: vec![event(&asked.lock().unwrap())], then: Then::Close }
        }
        _ => polite(heard, "s"),
    })
    .await;
    let client = client(&web).await;
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Ok, "{}", text(&output));
    assert!(text(&output).contains("late"));
    assert_no_call_twice(&web, 1);
}

// F68: the server accepts the call with status 202 and never answers it.
#[tokio::test]
async fn an_accepted_but_unanswered_call_times_out_and_is_not_repeated() {
    let web = calling(|_| status(202)).await;
    let limits = McpLimits { call: Duration::from_millis(200), ..McpLimits::default() };
    let client = McpClient::start(server(&web).with_limits(limits), ClientOptions::default()).await.unwrap();
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::TimedOut, "{}", text(&output));
    assert_no_call_twice(&web, 1);
    for _ in 0..400 {
        if web.heard_of("notifications/cancelled").len() == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the server was not told");
}

#[tokio::test]
async fn a_response_may_be_an_event_after_progress_notifications() {
    let web = calling(|heard| {
        let token = &heard.body["params"]["_meta"]["progressToken"];
        let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1, "total": 2, "message": "half"}});
        let unasked = json!({"jsonrpc": "2.0", "id": 999, "result": {}});
        let events = vec![
            event(&progress),
            event(&unasked),
            "data: no message\n\n".to_owned(),
            "event: other\ndata: {}\n\n".to_owned(),
            event(&said(heard, "whole")),
        ];
        Reply::Events { events, then: Then::Close }
    })
    .await;
    let client = client(&web).await;
    let output = call(&client).await.unwrap();
    assert!(text(&output).contains("whole"), "{}", text(&output));
    assert_eq!((client.skip_counts().unasked, client.skip_counts().lines), (1, 1));
}

#[tokio::test]
async fn a_list_change_arrives_on_the_stream_of_the_session() {
    let more: Arc<Mutex<Vec<String>>> = Arc::default();
    let (says, mut lists) = (more.clone(), 0);
    let web = WebServer::start(move |heard| match (heard.method.as_str(), heard.asks()) {
        ("GET", _) => Reply::Events { events: Vec::new(), then: Then::More(says.clone()) },
        (_, "tools/list") => {
            lists += 1;
            json_of(&result(heard, &json!({"tools": [crate::fake::tool(&format!("t{lists}"))]})))
        }
        _ => polite(heard, "s"),
    })
    .await;
    let client = client(&web).await;
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    more.lock().unwrap().push(event(&changed));
    while client.skip_counts().list_changes == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.refresh().await.unwrap();
    assert_eq!(client.definitions()[0].name, "t2");
}

#[tokio::test]
async fn answers_over_the_limit_are_discarded() {
    let limits = McpLimits { frame_bytes: 20_000, ..McpLimits::default() };
    for as_event in [true, false] {
        let web = calling(move |heard| {
            let long = said(heard, &"x".repeat(100_000));
            if as_event {
                Reply::Events { events: vec![event(&long)], then: Then::Close }
            } else {
                json_of(&long)
            }
        })
        .await;
        let client =
            McpClient::start(server(&web).with_limits(limits), ClientOptions::default()).await.unwrap();
        let output = call(&client).await.unwrap();
        assert_eq!(output.status, ResultStatus::Error, "{}", text(&output));
        assert!(text(&output).contains("exceeds the limit of 20000"), "{}", text(&output));
        assert!(!text(&output).contains("has 20000 bytes"), "its size is not known: {}", text(&output));
        assert_no_call_twice(&web, 1);
    }
}

#[tokio::test]
async fn the_token_goes_with_every_request_and_nowhere_else() {
    let elsewhere = WebServer::start(|_| status(200)).await;
    let target = elsewhere.url.clone();
    let web = calling(move |_| Reply::Whole {
        status: 307,
        headers: vec![("location", target.clone())],
        body: String::new(),
    })
    .await;
    // Any existing variable can be used as the token.
    let server = server(&web).with_bearer_from("CARGO_PKG_NAME").with_header("x-team", "blue").unwrap();
    assert!(!format!("{server:?}").contains("blue"));
    let client = McpClient::start(server, ClientOptions::default()).await.unwrap();
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Error, "{}", text(&output));
    assert!(elsewhere.heard().is_empty(), "led to another host: {:?}", elsewhere.heard());
    for heard in web.heard() {
        assert_eq!(heard.header("authorization"), "Bearer windlass-mcp");
        assert_eq!(heard.header("x-team"), "blue");
    }
    let missing = McpServer::http("web", &web.url).unwrap().with_bearer_from("NO_SUCH_VARIABLE_HERE");
    let error = McpClient::start(missing, ClientOptions::default()).await.unwrap_err();
    assert!(matches!(error, StartError::Address { .. }), "{error}");
}

#[tokio::test]
async fn a_given_token_goes_with_every_request() {
    let web = calling(|_| status(500)).await;
    let given = server(&web).with_bearer("a-given-token".into()).unwrap();
    assert!(!format!("{given:?}").contains("a-given-token"));
    let client = McpClient::start(given, ClientOptions::default()).await.unwrap();
    let _ = call(&client).await;
    let heard = web.heard();
    assert!(heard.len() > 1, "{}", heard.len());
    for request in heard {
        assert_eq!(request.header("authorization"), "Bearer a-given-token");
    }
    for wrong in ["", "two\nlines"] {
        assert!(server(&web).with_bearer(wrong.into()).is_err(), "{wrong:?}");
    }
}

#[tokio::test]
async fn a_server_that_requires_a_sign_in_is_reported() {
    let challenge = "Bearer resource_metadata=\"http://127.0.0.1/x\"";
    let web = WebServer::start(move |_| Reply::Whole {
        status: 401,
        headers: vec![("www-authenticate", challenge.to_owned())],
        body: String::new(),
    })
    .await;
    let error = McpClient::start(server(&web), ClientOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("windlass mcp login web"), "{error}");
    assert!(matches!(error, StartError::SignIn { challenge: met, .. } if met == challenge));
}

#[tokio::test]
async fn the_http_sse_transport_of_2024_is_named_but_unsupported() {
    let web = WebServer::start(|heard| match heard.method.as_str() {
        "GET" => Reply::Events {
            events: vec!["event: endpoint\ndata: /messages?s=1\n\n".to_owned()],
            then: Then::Close,
        },
        _ => status(405),
    })
    .await;
    let error = McpClient::start(server(&web), ClientOptions::default()).await.unwrap_err().to_string();
    assert!(error.contains("older HTTP+SSE transport"), "{error}");
    let web = WebServer::start(|_| status(404)).await;
    let error = McpClient::start(server(&web), ClientOptions::default()).await.unwrap_err().to_string();
    assert!(error.contains("HTTP 404") && !error.contains("older"), "{error}");
}

#[track_caller]
fn refused(url: &str, why: &str) {
    let error: AddressError = McpServer::http("web", url).unwrap_err();
    assert!(error.to_string().contains(why), "{url}: {error}");
}

#[test]
fn an_address_is_https_or_this_machine() {
    for taken in ["https://example.com/mcp", "http://127.0.0.1:1/", "http://localhost/", "http://[::1]:9/a"] {
        McpServer::http("web", taken).unwrap();
    }
    refused("http://example.com/", "is not accepted");
    refused("http://127.0.0.1.example.com/", "is not accepted");
    refused("http://192.168.1.1/", "is not accepted");
    refused("file:///etc/passwd", "is not accepted");
    refused("https://user:word@example.com/", "with a user name");
    refused("no address", "is not a valid URL");
    let server = McpServer::http("web", "https://example.com").unwrap();
    for taken in ["Authorization", "content-type", "Mcp-Session-Id", "host"] {
        let error = server.clone().with_header(taken, "x").unwrap_err();
        assert!(matches!(error, AddressError::Taken(_)), "{taken}: {error}");
    }
    assert!(server.with_header("x", "a\nb").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // Any bytes of an answer over HTTP: no panic, one result, no request sent twice, and a server that
    // accepts further calls.
    #[test]
    fn any_bytes_over_http_end_in_one_result(
        code in prop::sample::select(vec![200_u16, 201, 204, 301, 400, 403, 404, 409, 418, 429, 500, 503]),
        kind in prop::sample::select(vec!["application/json", "text/event-stream", "text/html", ""]),
        bytes in prop_oneof![
            ".{0,300}",
            "(data: |event: message\n|id: [0-9]\n|retry: [0-9]\n|\n|\\{\"id\":[0-9]\\}|:|[a-z]){0,40}",
            r#"\{"jsonrpc":"2.0","id":[0-9],"(result|error|method)":(\{\}|\[\]|null|"x")\}"#,
        ],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut is_first = true;
            let web = calling(move |heard| {
                if !std::mem::take(&mut is_first) {
                    return json_of(&said(heard, "well"));
                }
                let headers = vec![("content-type", kind.to_owned()), ("mcp-session-id", "other".to_owned())];
                Reply::Whole { status: code, headers, body: bytes.clone() }
            })
            .await;
            let limits = McpLimits { call: Duration::from_millis(300), ..McpLimits::default() };
            let server = server(&web).with_limits(limits);
            let client = McpClient::start(server, ClientOptions::default()).await.unwrap();
            // The bytes can be a valid answer by chance; the call has one result in any case.
            call(&client).await.unwrap();
            let output = call(&client).await.unwrap();
            assert!(output.status.is_ok(), "{}", text(&output));
            assert_eq!(web.heard_of("tools/call").len(), 2);
        });
    }
}
