//! Chains of gateways: fallback before the first byte, weights, conversations and cool-downs.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use windlass_client::{Client, Endpoint};
use windlass_gateway::{
    Affinity, ClientKeys, ClientLimits, Front, FrontHandle, Gateway, GatewayChain, ServeOptions, Upstream,
    serve,
};
use windlass_protocol::Request;
use windlass_stream::{Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};

use crate::canned::{ANTHROPIC_WORD, CHAT_WORD, Canned};
use crate::formats::{format, formats};
use crate::front::{Answer, send};

fn served(upstream: Upstream) -> Gateway {
    formats().into_iter().fold(Gateway::new(upstream), |gateway, format| gateway.with_server(format.server))
}

/// Creates a gateway to a provider that always gives the same answer.
pub(crate) fn gateway(provider: &Canned, wire: &str, label: &str) -> Gateway {
    let endpoint = Endpoint::custom("http://upstream.example/v1", wire);
    let builder = Client::builder(endpoint, format(wire).wire.clone());
    let client = builder.transport(provider.clone()).build().unwrap();
    served(Upstream::from_client(client).with_label(label))
}

fn word() -> Canned {
    Canned::new(200, "application/json", CHAT_WORD)
}

async fn start(front: impl Into<FrontHandle>) -> u16 {
    let handle: FrontHandle = front.into();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(serve(listener, handle, ServeOptions::default()));
    port
}

async fn ask(port: u16, body: &Value) -> Answer {
    send(port, "POST", "/v1/chat/completions", "", &body.to_string()).await
}

fn conversation(number: usize, turns: usize) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "brief"})];
    for turn in 0..turns {
        messages.push(json!({"role": "user", "content": format!("conversation {number}, turn {turn}")}));
        messages.push(json!({"role": "assistant", "content": "yes"}));
    }
    json!({"model": "m", "messages": messages})
}

#[tokio::test]
async fn another_gateway_answers_after_each_refusal_that_it_may_not_share() {
    for (status, reason) in [
        (401, "authentication"),
        (402, "quota"),
        (403, "authentication"),
        (404, "not_found"),
        (408, "failure"),
        (429, "rate_limit"),
        (500, "failure"),
        (503, "failure"),
        (529, "failure"),
    ] {
        let bad = Canned::new(status, "application/json", r#"{"error":{"message":"no","type":"x"}}"#);
        // The second upstream has another format, and the client keeps its own.
        let good = Canned::new(200, "application/json", ANTHROPIC_WORD);
        let chain = GatewayChain::new(gateway(&bad, "openai-chat", "bad")).with_fallback(gateway(
            &good,
            "anthropic",
            "good",
        ));
        let front = FrontHandle::from(Front::new(chain));
        let answer = ask(start(front.clone()).await, &conversation(1, 1)).await;
        assert_eq!(answer.status, 200, "{status}: {}", answer.body);
        assert_eq!(answer.json()["choices"][0]["message"]["content"], "hi", "{status}");
        assert_eq!((bad.seen().len(), good.seen().len()), (1, 1), "{status}");
        let metrics = front.current().to_prometheus();
        let line = format!("failed_attempts_total{{upstream=\"bad\",reason=\"{reason}\"}} 1\n");
        assert!(metrics.contains(&line), "{status}: {metrics}");
        assert!(metrics.contains("upstream=\"good\",kind=\"input\"} 3\n"), "{metrics}");
    }
}

#[tokio::test]
async fn a_bad_request_has_no_fallback_and_the_last_error_is_returned() {
    for status in [400, 413, 422] {
        let bad = Canned::new(status, "application/json", r#"{"error":{"message":"no","type":"x"}}"#);
        let other = word();
        let chain = GatewayChain::new(gateway(&bad, "openai-chat", "bad")).with_fallback(gateway(
            &other,
            "openai-chat",
            "other",
        ));
        let answer = ask(start(Front::new(chain)).await, &conversation(1, 1)).await;
        assert_eq!((answer.status, other.seen().len()), (status, 0));
    }
    let first = Canned::new(500, "application/json", r#"{"error":{"message":"first","type":"x"}}"#);
    let last = Canned::new(429, "application/json", r#"{"error":{"message":"last","type":"x"}}"#)
        .with_header("retry-after", "7");
    let chain = GatewayChain::new(gateway(&first, "openai-chat", "first")).with_fallback(gateway(
        &last,
        "openai-chat",
        "last",
    ));
    let answer = ask(start(Front::new(chain)).await, &conversation(1, 1)).await;
    assert_eq!(answer.status, 429);
    assert!(answer.body.contains("last") && answer.head.contains("retry-after: 7"), "{}", answer.head);
}

#[tokio::test]
async fn a_failed_gateway_is_tried_last_until_its_wait_is_over() {
    let bad =
        Canned::new(429, "application/json", r#"{"error":{"message":"no"}}"#).with_header("retry-after", "1");
    let good = word();
    let chain = GatewayChain::new(gateway(&bad, "openai-chat", "bad"))
        .with_fallback(gateway(&good, "openai-chat", "good"))
        .with_cool_down(Duration::from_mins(9));
    let port = start(Front::new(chain)).await;
    for number in 0..3 {
        assert_eq!(ask(port, &conversation(number, 1)).await.status, 200);
    }
    assert_eq!(bad.seen().len(), 1, "the wait of one second replaces the cool-down of minutes");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(ask(port, &conversation(9, 1)).await.status, 200);
    assert_eq!(bad.seen().len(), 2);
}

#[tokio::test]
async fn conversations_stay_at_one_gateway_and_follow_the_weights() {
    let (light, heavy) = (word(), word());
    let chain = GatewayChain::new(gateway(&light, "openai-chat", "light"))
        .with_peer(gateway(&heavy, "openai-chat", "heavy"), 3);
    let port = start(Front::new(chain)).await;
    for number in 0..100 {
        let before = light.seen().len();
        for turns in 1..=3 {
            let mut body = conversation(number, turns);
            // Clients move the mark of the cache to the newest message.
            body["messages"][turns * 2 - 1]["cache_control"] = json!({"type": "ephemeral"});
            assert_eq!(ask(port, &body).await.status, 200);
        }
        let turns = light.seen().len() - before;
        assert!(turns == 0 || turns == 3, "conversation {number} had {turns} turns at one gateway");
    }
    let (light, heavy) = (light.seen().len() / 3, heavy.seen().len() / 3);
    assert!((10..=40).contains(&light) && light + heavy == 100, "{light} and {heavy}");
}

#[tokio::test]
async fn without_affinity_the_turns_of_a_conversation_are_balanced() {
    let (one, other) = (word(), word());
    let chain = GatewayChain::new(gateway(&one, "openai-chat", "one"))
        .with_peer(gateway(&other, "openai-chat", "other"), 1)
        .with_affinity(Affinity::Request);
    let port = start(Front::new(chain)).await;
    for _ in 0..100 {
        assert_eq!(ask(port, &conversation(1, 1)).await.status, 200);
    }
    assert!((20..=80).contains(&one.seen().len()), "{}", one.seen().len());
}

/// A model whose answer breaks, after its first word or before it.
struct Broken {
    has_word: bool,
}

impl Model for Broken {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        let has_word = self.has_word;
        Box::pin(async move {
            if !has_word {
                return Err(ModelError::new(ModelErrorKind::Dropped, "gone"));
            }
            let chunks = [Ok(Chunk::text("half")), Err(ModelError::new(ModelErrorKind::Dropped, "gone"))];
            Ok(Box::pin(futures_util::stream::iter(chunks)) as ChunkStream)
        })
    }
}

#[tokio::test]
async fn a_client_that_received_a_byte_gets_no_second_answer() {
    for (has_word, attempts) in [(true, 0), (false, 1)] {
        let good = word();
        let broken =
            Upstream::new(Arc::new(Broken { has_word }), format("openai-chat").wire).with_label("broken");
        let chain = GatewayChain::new(served(broken)).with_fallback(gateway(&good, "openai-chat", "good"));
        let mut body = conversation(1, 1);
        body["stream"] = json!(true);
        let answer = ask(start(Front::new(chain)).await, &body).await;
        assert_eq!(good.seen().len(), attempts, "{}", answer.body);
        assert_eq!(answer.body.contains("half"), has_word, "{}", answer.body);
    }
}

#[tokio::test]
async fn a_chain_reserves_once_and_settles_what_the_last_gateway_counted() {
    let bad = Canned::new(500, "application/json", r#"{"error":{"message":"no"}}"#);
    let good = word();
    let chain = GatewayChain::new(gateway(&bad, "openai-chat", "bad")).with_fallback(gateway(
        &good,
        "openai-chat",
        "good",
    ));
    let mut keys = ClientKeys::default();
    let key = keys.create("laptop", [""; 0]).unwrap();
    keys.set_limits("laptop", ClientLimits { tokens_per_day: Some(10_000), ..ClientLimits::default() });
    let front = FrontHandle::from(Front::new(chain).with_client_keys(keys));
    let port = start(front.clone()).await;
    let body = conversation(1, 1).to_string();
    let answer = send(port, "POST", "/v1/chat/completions", &format!("x-api-key: {key}\r\n"), &body).await;
    assert_eq!(answer.status, 200);
    while !front.current().to_prometheus().contains("windlass_gateway_active_requests 0") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(front.current().usage()[0].day_tokens, 4);
}

#[tokio::test]
async fn an_error_as_the_first_event_of_a_stream_is_a_reason_for_another_gateway() {
    let overload = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n";
    let failure = "data: {\"error\":{\"message\":\"x\",\"type\":\"server_error\",\"code\":null}}\n\n";
    let cut = "data: {\"id\":\"c\",\"obj";
    for (wire, stream, reason) in [
        ("openai-chat", failure, "failure"),
        // An upstream of another format, whose error is translated.
        ("anthropic", overload, "failure"),
        ("openai-chat", cut, "broken"),
    ] {
        let bad = Canned::new(200, "text/event-stream", stream);
        let good = Canned::new(200, "text/event-stream", GOOD_STREAM);
        let chain = GatewayChain::new(gateway(&bad, wire, "bad")).with_fallback(gateway(
            &good,
            "openai-chat",
            "good",
        ));
        let front = FrontHandle::from(Front::new(chain));
        let mut body = conversation(1, 1);
        body["stream"] = true.into();
        let answer = ask(start(front.clone()).await, &body).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, GOOD_STREAM), "{wire} {stream}");
        let metrics = front.current().to_prometheus();
        let line = format!("failed_attempts_total{{upstream=\"bad\",reason=\"{reason}\"}} 1\n");
        assert!(metrics.contains(&line), "{wire} {stream}: {metrics}");
    }
    // An error that each upstream would repeat is the answer.
    let refused = "data: {\"error\":{\"message\":\"x\",\"type\":\"invalid_request_error\"}}\n\n";
    let bad = Canned::new(200, "text/event-stream", refused);
    let other = word();
    let chain = GatewayChain::new(gateway(&bad, "openai-chat", "bad")).with_fallback(gateway(
        &other,
        "openai-chat",
        "other",
    ));
    let mut body = conversation(1, 1);
    body["stream"] = true.into();
    let answer = ask(start(Front::new(chain)).await, &body).await;
    assert_eq!((answer.body.as_str(), other.seen().len()), (refused, 0));
}

const GOOD_STREAM: &str = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
