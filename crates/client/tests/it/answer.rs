//! Reading of answers: streams and bodies, complete and broken.

use std::time::Duration;

use futures_util::StreamExt;
use windlass_client::Options;
use windlass_protocol::StopReason;
use windlass_stream::{Chunk, Model, ModelErrorKind};

use crate::server::{
    END, HELLO, KEY, Reply, Server, ask, events, hello, quick, request, response, text, whole, words,
};

const BODY: &str =
    r#"{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}"#;

fn impatient() -> Options {
    Options { idle_timeout: Duration::from_millis(60), ..quick() }
}

/// Sends one request. Returns the received text, and the kind and message of the failure.
async fn outcome(reply: Reply, options: Options) -> (String, Option<(ModelErrorKind, String)>) {
    let server = Server::start(vec![reply]).await;
    let (chunks, error) = ask(&server.client(options), &request()).await;
    assert_eq!(server.requests().await.len(), 1);
    (text(&chunks), error.map(|error| (error.kind, error.message)))
}

#[tokio::test]
async fn a_stream_gives_its_chunks_and_ends() {
    let server = Server::start(vec![hello()]).await;
    let (chunks, error) = ask(&server.client(quick()), &request()).await;
    assert!(error.is_none(), "{error:?}");
    let finish = Chunk::Finish { reason: StopReason::End, raw: "stop".to_owned() };
    assert_eq!(chunks, [Chunk::text("Hello"), finish]);
}

#[tokio::test]
async fn a_whole_answer_gives_the_chunks_of_a_stream() {
    let json = Reply::Close(response(200, "application/json", "", BODY));
    let server = Server::start(vec![json]).await;
    let client = server.client(quick());
    for request in [whole(), request()] {
        let (chunks, error) = ask(&client, &request).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(text(&chunks), "Hello");
    }
}

// A whole answer sends no bytes until it is ready, so the idle timer does not apply to it.
#[tokio::test]
async fn a_whole_answer_has_the_total_timer_only() {
    let server = Server::start(vec![Reply::Hold(Vec::new())]).await;
    let options = Options { total_timeout: Duration::from_millis(80), ..impatient() };
    let error = ask(&server.client(options), &whole()).await.1.unwrap();
    assert_eq!(error.kind, ModelErrorKind::Idle);
    assert!(error.message.contains("80ms (the total timeout)"), "{error}");
}

#[tokio::test]
async fn an_error_under_a_status_of_success_is_an_error() {
    let body = format!(r#"{{"error":{{"message":"{KEY} is slow","type":"rate_limit_error"}}}}"#);
    let reply = Reply::Close(response(200, "application/json", "x-request-id: req_9\r\n", &body));
    let server = Server::start(vec![reply]).await;
    let (chunks, error) = ask(&server.client(quick()), &request()).await;
    let error = error.unwrap();
    assert!(chunks.is_empty());
    assert_eq!((error.kind, error.request_id.as_deref()), (ModelErrorKind::RateLimit, Some("req_9")));
    assert!(error.message.contains("[redacted] is slow"), "{error}");
}

#[tokio::test]
async fn an_error_inside_a_stream_omits_the_key() {
    let event = format!("data: {{\"error\":{{\"message\":\"bad key {KEY}\",\"code\":502}}}}\n\n");
    let server = Server::start(vec![Reply::Close(events(&format!("{HELLO}{event}")))]).await;
    let (chunks, _) = ask(&server.client(quick()), &request()).await;
    let error =
        chunks.iter().find_map(|chunk| if let Chunk::Error { error } = chunk { Some(error) } else { None });
    assert_eq!(error.unwrap().message, "bad key [redacted]");
}

#[tokio::test]
async fn a_response_that_is_not_a_stream_is_reported() {
    let page = "<!doctype html><title>Sign in</title>";
    for kind in ["text/html", "text/event-stream", "application/json"] {
        let (_, error) = outcome(Reply::Close(response(200, kind, "", page)), quick()).await;
        let (kind, message) = error.unwrap();
        assert_eq!(kind, ModelErrorKind::Dropped);
        assert!(message.contains("HTML page") && message.contains("Sign in"), "{message}");
        assert!(message.ends_with("is the address right, or is a proxy between?"), "{message}");
    }
    for kind in ["text/event-stream", "application/json"] {
        let (_, error) = outcome(Reply::Close(response(200, kind, "", "")), quick()).await;
        let (kind, message) = error.unwrap();
        assert_eq!(kind, ModelErrorKind::Dropped);
        assert!(message.contains("empty"), "{message}");
    }
}

// The user has seen no part of such an answer, so it is as safe to repeat as an answer that broke off. The
// client does not repeat it itself, because the provider may have billed it; the caller can recognize and
// count it.
#[tokio::test]
async fn a_body_that_is_not_json_may_be_requested_again_and_another_form_may_not() {
    let cases = [
        ("{\"choices\":", ModelErrorKind::Dropped, "not JSON"),
        ("{malformed json: <<<chaos>>>", ModelErrorKind::Dropped, "not JSON"),
        ("upstream connect error", ModelErrorKind::Dropped, "upstream connect error"),
        ("{\"hello\":\"world\"}", ModelErrorKind::Malformed, "without choices"),
        ("\"words\"", ModelErrorKind::Malformed, "words"),
    ];
    for (body, expected, words) in cases {
        for kind in ["application/json", "text/event-stream", "text/plain"] {
            let (_, error) = outcome(Reply::Close(response(200, kind, "", body)), quick()).await;
            let (got, message) = error.unwrap();
            assert_eq!(got, expected, "{kind} {body}: {message}");
            assert!(message.contains(words), "{kind} {body}: {message}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_in_an_event_is_dropped() {
    let mut bytes = response(200, "text/event-stream", "", &format!("{HELLO}{END}"));
    bytes.truncate(bytes.len() - END.len() - 10);
    let (text, error) = outcome(Reply::Close(bytes), quick()).await;
    assert_eq!((text.as_str(), error.unwrap().0), ("", ModelErrorKind::Dropped));
    let mut bytes = response(200, "text/event-stream", "", &format!("{HELLO}{HELLO}{END}"));
    bytes.truncate(bytes.len() - END.len() - 10);
    let (text, error) = outcome(Reply::Close(bytes), quick()).await;
    assert_eq!((text.as_str(), error.unwrap().0), ("Hello", ModelErrorKind::Dropped));
}

#[tokio::test]
async fn a_silence_ends_with_the_timer_that_ended_it() {
    for reply in [
        Reply::Hold(Vec::new()),
        Reply::Hold(events("")),
        Reply::Hold(events(HELLO)),
        // Pings do not reset the idle timer.
        Reply::Ping(events(HELLO)),
    ] {
        let (_, error) = outcome(reply, impatient()).await;
        let (kind, message) = error.unwrap();
        assert_eq!(kind, ModelErrorKind::Idle);
        assert!(message.contains("60ms (the idle timeout)"), "{message}");
    }
    let options = Options { total_timeout: Duration::from_millis(60), ..quick() };
    let (text, error) = outcome(Reply::Ping(events(HELLO)), options).await;
    assert_eq!(text, "Hello");
    assert!(error.unwrap().1.contains("60ms (the total timeout)"));
}

// S15: data after the end is awaited, but its absence does not fail a complete answer.
#[tokio::test]
async fn a_whole_answer_does_not_fail_for_how_its_connection_ends() {
    let (text, error) = outcome(Reply::Hold(events(&format!("{HELLO}{END}"))), impatient()).await;
    assert_eq!((text.as_str(), error), ("Hello", None));
    let mut bytes = response(200, "text/event-stream", "", &format!("{HELLO}{END}{HELLO}"));
    bytes.truncate(bytes.len() - HELLO.len());
    let (text, error) = outcome(Reply::Close(bytes), quick()).await;
    assert_eq!((text.as_str(), error), ("Hello", None));
}

#[tokio::test]
async fn a_dropped_stream_closes_its_connection() {
    // The server reads until the client disconnects, and accepts the next connection only then.
    let server = Server::start(vec![Reply::Hold(events(HELLO)), hello()]).await;
    let client = server.client(quick());
    let request = request();
    let mut stream = client.stream(&request).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap(), Chunk::text("Hello"));
    drop(stream);
    let (chunks, error) = ask(&client, &request).await;
    assert!(error.is_none(), "{}", words(&error.unwrap()));
    assert_eq!(text(&chunks), "Hello");
}
