//! Observation of requests over real sockets: samples of the log, spans and the context of a trace.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_gateway::{
    Attempt, AttemptSpan, ClientKeys, FallbackReason, Front, Gateway, GatewayChain, RequestLine, RequestLog,
    RequestSpan, RequestTracer, SampledLog, Upstream,
};
use windlass_protocol::Request;
use windlass_stream::{Model, ModelFuture};

use crate::canned::{ANTHROPIC_WORD, CHAT_WORD, Canned};
use crate::chain::gateway;
use crate::formats::{format, formats};
use crate::front::{send, start};

/// The `traceparent` of a client, and the line at the end.
type SeenSpan = (Option<String>, Option<RequestLine>);

#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<SeenSpan>>>);

struct Span {
    spans: Spans,
    place: usize,
}

impl RequestTracer for Spans {
    fn begin(&self, line: &RequestLine, parent: Option<&str>) -> Box<dyn RequestSpan> {
        assert!(!line.path.is_empty());
        let mut spans = self.0.lock().unwrap();
        spans.push((parent.map(str::to_owned), None));
        Box::new(Span { spans: self.clone(), place: spans.len() - 1 })
    }
}

impl RequestSpan for Span {
    fn trace_parent(&self) -> Option<String> {
        Some(format!("00-0af7651916cd43dd8448eb211c80319c-{:016x}-01", self.place + 1))
    }

    fn end(self: Box<Self>, line: &RequestLine) {
        let ended = self.spans.0.lock().unwrap()[self.place].1.replace(line.clone());
        assert!(ended.is_none(), "a span ends once");
    }
}

impl RequestLog for Spans {
    fn log(&self, line: &RequestLine) {
        self.0.lock().unwrap().push((None, Some(line.clone())));
    }
}

fn body() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": 9})
}

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Returns the values of a header that the upstream received.
fn received(provider: &Canned, name: &str) -> Vec<String> {
    let seen = provider.seen().pop().unwrap();
    let headers = seen.headers.iter().filter(|header| header.name == name);
    headers.map(|header| format!("{:?}", header.value)).collect()
}

#[tokio::test]
async fn the_context_of_a_trace_crosses_forwarded_and_translated_requests() {
    for (wire, word) in [("openai-chat", CHAT_WORD), ("anthropic", ANTHROPIC_WORD)] {
        let headers = format!("traceparent: {PARENT}\r\ntracestate: a=b\r\n");
        let path = "/v1/chat/completions";
        let provider = Canned::new(200, "application/json", word);
        let front = Front::new(provider.gateway(wire));
        let port = start(front.clone()).await;
        assert_eq!(send(port, "POST", path, &headers, &body().to_string()).await.status, 200);
        let waits = "windlass_gateway_wait_seconds_count{client=\"\",model=\"m\",upstream=\"custom\"} 1\n";
        assert!(front.to_prometheus().contains(waits), "{}", front.to_prometheus());
        let parents = received(&provider, "traceparent");
        assert!(parents.len() == 1 && parents[0].contains(PARENT), "{wire}: {parents:?}");
        assert!(received(&provider, "tracestate")[0].contains("a=b"), "{wire}");

        // With a tracer, the upstream is a child of the gateway's span.
        let spans = Spans::default();
        let port = start(Front::new(provider.gateway(wire)).with_tracer(Arc::new(spans.clone()))).await;
        assert_eq!(send(port, "POST", path, &headers, &body().to_string()).await.status, 200);
        assert_eq!(send(port, "POST", path, "", "{}").await.status, 400);
        let parents = received(&provider, "traceparent");
        assert!(parents.len() == 1 && parents[0].contains("-0000000000000001-01"), "{wire}: {parents:?}");
        let spans = spans.0.lock().unwrap();
        assert_eq!(spans[0].0.as_deref(), Some(PARENT));
        let line = spans[0].1.as_ref().unwrap();
        assert_eq!((line.status, line.model.as_str(), line.input_tokens), (200, "m", Some(3)));
        assert_eq!(spans[1].1.as_ref().map(|line| line.status), Some(400));
    }
}

#[tokio::test]
async fn a_share_of_the_requests_and_each_refused_one_is_logged_without_keys() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let mut keys = ClientKeys::default();
    let key = keys.create("ann", ["m"]).unwrap();
    let mut counts = Vec::new();
    for share in [0.0, 0.5, 1.0] {
        let lines = Spans::default();
        let log = SampledLog::new(Arc::new(lines.clone()), share);
        let front = Front::new(provider.gateway("openai-chat"))
            .with_client_keys(keys.clone())
            .with_log(Arc::new(log));
        let port = start(front.clone()).await;
        let header = format!("x-api-key: {key}\r\n");
        for _ in 0..40 {
            send(port, "POST", "/v1/chat/completions", &header, &body().to_string()).await;
        }
        let mut leak = body();
        leak["model"] = format!("m-{key}").into();
        let refused = send(port, "POST", "/v1/chat/completions", &header, &leak.to_string()).await;
        assert_eq!(refused.status, 404);
        let lines: Vec<RequestLine> =
            lines.0.lock().unwrap().iter().filter_map(|line| line.1.clone()).collect();
        let last = lines.last().unwrap();
        assert_eq!((last.status, last.model.as_str()), (404, "m-[redacted]"));
        assert!(!front.to_prometheus().contains(&key));
        counts.push(lines.len());
    }
    assert!(counts[0] == 1 && counts[2] == 41 && (5..=37).contains(&counts[1]), "{counts:?}");
}

#[tokio::test]
async fn the_repeats_that_a_client_permits_are_in_the_line_of_its_request() {
    let busy = Canned::new(503, "application/json", OVERLOAD).with_header("retry-after-ms", "5");
    let word = Canned::new(200, "application/json", CHAT_WORD);
    let chain = GatewayChain::new(gateway(&busy, "openai-chat", "one")).with_fallback(gateway(
        &word,
        "openai-chat",
        "two",
    ));
    let lines = Spans::default();
    let port = start(Front::new(chain).with_log(Arc::new(lines.clone()))).await;
    let path = "/v1/messages";
    assert_eq!(send(port, "POST", path, "x-windlass-attempts: 3\r\n", &body().to_string()).await.status, 200);
    assert_eq!(send(port, "POST", path, "", &body().to_string()).await.status, 200);
    let lines = lines.0.lock().unwrap();
    let repeats = |at: usize| {
        let line = lines[at].1.as_ref().unwrap();
        assert_eq!(line.upstream, "two");
        line.repeats.iter().map(|it| (it.upstream.clone(), it.attempts)).collect::<Vec<_>>()
    };
    assert_eq!(repeats(0), [("one".to_owned(), 1), ("one".to_owned(), 2)]);
    assert_eq!(repeats(1), []);
}

/// The attempts of a request that have ended, and the number of those that have not.
#[derive(Clone, Default)]
struct Attempts(Arc<Mutex<(Vec<Attempt>, usize)>>);

impl RequestTracer for Attempts {
    fn begin(&self, _: &RequestLine, _: Option<&str>) -> Box<dyn RequestSpan> {
        Box::new(self.clone())
    }
}

impl RequestSpan for Attempts {
    fn trace_parent(&self) -> Option<String> {
        Some(PARENT.to_owned())
    }

    fn begin_attempt(&self, attempt: &Attempt) -> Option<Box<dyn AttemptSpan>> {
        assert_eq!((attempt.status, attempt.fallback, attempt.is_complete), (499, None, false));
        self.0.lock().unwrap().1 += 1;
        let parent = format!("00-0af7651916cd43dd8448eb211c80319c-{:016x}-01", attempt.number);
        Some(Box::new(AttemptOf { attempts: self.clone(), parent }))
    }

    fn end(self: Box<Self>, _: &RequestLine) {
        assert_eq!(self.0.lock().unwrap().1, 0, "a child ends before its parent");
    }
}

struct AttemptOf {
    attempts: Attempts,
    parent: String,
}

impl AttemptSpan for AttemptOf {
    fn trace_parent(&self) -> Option<String> {
        Some(self.parent.clone())
    }

    fn end(self: Box<Self>, attempt: &Attempt) {
        let mut attempts = self.attempts.0.lock().unwrap();
        attempts.0.push(attempt.clone());
        attempts.1 -= 1;
    }
}

const OVERLOAD: &str = r#"{"error":{"message":"busy","type":"server_error","code":null}}"#;

/// A model that never answers.
struct Silent;

impl Model for Silent {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        Box::pin(std::future::pending())
    }
}

async fn chain(gateways: impl IntoIterator<Item = Gateway>) -> (Attempts, u16) {
    let mut gateways = gateways.into_iter();
    let first = GatewayChain::new(gateways.next().unwrap());
    let chain = gateways.fold(first, GatewayChain::with_fallback);
    let attempts = Attempts::default();
    let port = start(Front::new(chain).with_tracer(Arc::new(attempts.clone()))).await;
    (attempts, port)
}

/// An attempt as its number, upstream, status, reason, and whether its answer was read to the end.
type Seen = (usize, String, u16, Option<FallbackReason>, bool);

impl Attempts {
    /// Returns the attempts that have ended.
    fn ended(&self) -> Vec<Seen> {
        let ended = self.0.lock().unwrap().0.clone();
        let seen = |it: Attempt| (it.number, it.upstream, it.status, it.fallback, it.is_complete);
        ended.into_iter().map(seen).collect()
    }
}

#[tokio::test]
async fn each_attempt_of_a_chain_has_a_span_and_its_upstream_the_parent() {
    let path = "/v1/chat/completions";
    let busy = Canned::new(503, "application/json", OVERLOAD);
    let limited = "data: {\"error\":{\"message\":\"slow\",\"code\":\"rate_limit_exceeded\"}}\n\n";
    let limited = Canned::new(200, "text/event-stream", limited);
    let word = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let gateways = [
        gateway(&busy, "openai-chat", "one"),
        gateway(&limited, "openai-chat", "two"),
        gateway(&word, "anthropic", "three"),
    ];
    let (attempts, port) = chain(gateways).await;
    assert_eq!(send(port, "POST", path, "", &body().to_string()).await.status, 200);
    let expected = [
        (1, "one".to_owned(), 503, Some(FallbackReason::Failure), false),
        (2, "two".to_owned(), 200, Some(FallbackReason::RateLimit), false),
        (3, "three".to_owned(), 200, None, true),
    ];
    assert_eq!(attempts.ended(), expected);
    for (number, provider) in [(1, &busy), (2, &limited), (3, &word)] {
        let parents = received(provider, "traceparent");
        assert!(parents.len() == 1 && parents[0].contains(&format!("-{number:016x}-01")), "{parents:?}");
    }
    assert!(attempts.0.lock().unwrap().0.iter().all(|attempt| attempt.model == "m"));

    // The last attempt fails too.
    let (attempts, port) =
        chain([gateway(&busy, "openai-chat", "one"), gateway(&busy, "openai-chat", "two")]).await;
    assert_eq!(send(port, "POST", path, "", &body().to_string()).await.status, 503);
    let reasons: Vec<_> = attempts.ended().into_iter().map(|it| it.3).collect();
    assert_eq!(reasons, [Some(FallbackReason::Failure); 2]);

    // A chain of one gateway has the span of the request only.
    let (attempts, port) = chain([gateway(&word, "anthropic", "one")]).await;
    assert_eq!(send(port, "POST", path, "", &body().to_string()).await.status, 200);
    assert!(attempts.ended().is_empty() && received(&word, "traceparent")[0].contains(PARENT));
}

#[tokio::test]
async fn the_span_of_an_attempt_ends_when_the_client_leaves() {
    let silent = Upstream::new(Arc::new(Silent), format("openai-chat").wire.clone()).with_label("silent");
    let silent = formats()
        .into_iter()
        .fold(Gateway::new(silent), |gateway, format| gateway.with_server(format.server));
    let word = Canned::new(200, "application/json", CHAT_WORD);
    let (attempts, port) = chain([silent, gateway(&word, "openai-chat", "two")]).await;
    let text = body().to_string();
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    );
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
    let wait_until = async |is_there: &dyn Fn() -> bool| {
        while !is_there() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    wait_until(&|| attempts.0.lock().unwrap().1 == 1).await;
    drop(stream);
    wait_until(&|| !attempts.ended().is_empty()).await;
    assert_eq!(attempts.ended(), [(1, "silent".to_owned(), 499, None, false)]);
    assert!(word.seen().is_empty());
}
