//! Responses and conversations that an upstream of their format stores, and clients that must not reach those of others.

use serde_json::{Value, json};
use windlass_client::Method;
use windlass_gateway::{ClientKeys, ClientLimits, Front, GatewayChain};

use crate::canned::{CHAT_WORD, Canned};
use crate::front::{Answer, send, start};

/// A stored response of the provider.
const STORED: &str = r#"{"id":"resp_up1","object":"response","created_at":1,"status":"completed","model":"up","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}"#;

/// Returns the beginning of a stream whose first event has the id after a long text.
fn stream() -> String {
    let instructions = "be brief ".repeat(9_000);
    let created = json!({"type": "response.created", "sequence_number": 0, "response": {
        "instructions": instructions, "id": "resp_up1", "object": "response", "status": "in_progress",
        "model": "up", "output": [], "usage": null,
    }});
    let completed = json!({"type": "response.completed", "sequence_number": 1, "response": {
        "id": "resp_other", "object": "response", "status": "completed", "model": "up", "output": [],
        "usage": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
    }});
    format!("event: response.created\ndata: {created}\n\nevent: response.completed\ndata: {completed}\n\n")
}

fn provider(body: &str) -> Canned {
    let kind = if body.starts_with('{') { "application/json" } else { "text/event-stream" };
    Canned::new(200, kind, body.to_owned())
}

/// A front with the clients ann and bob, and the header of each.
fn shared(chain: impl Into<GatewayChain>) -> (Front, [String; 2]) {
    let mut keys = ClientKeys::default();
    let headers = ["ann", "bob"]
        .map(|name| format!("authorization: Bearer {}\r\n", keys.create(name, [""; 0]).unwrap()));
    (Front::new(chain).with_client_keys(keys), headers)
}

async fn ask(port: u16, headers: &str, more: Value) -> Answer {
    let mut body = json!({"model": "m", "input": "one"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    send(port, "POST", "/v1/responses", headers, &body.to_string()).await
}

/// The methods and addresses that arrived.
fn arrived(provider: &Canned) -> Vec<(Method, String)> {
    let path = |url: &str| url.strip_prefix("http://upstream.example/v1").unwrap().to_owned();
    provider.take_seen().iter().map(|request| (request.method, path(&request.url))).collect()
}

#[tokio::test]
async fn the_client_of_a_stored_response_reads_and_removes_it_and_no_other_does() {
    for body in [STORED.to_owned(), stream()] {
        let provider = provider(&body);
        let (front, [ann, bob]) = shared(provider.gateway("openai-responses"));
        let port = start(front).await;
        let is_stream = body.starts_with("event");
        assert_eq!(ask(port, &ann, json!({"stream": is_stream})).await.status, 200);
        provider.take_seen();
        let read = "/v1/responses/resp_up1?include=message.output_text.logprobs&key=client-key";
        let items = "/v1/responses/resp_up1/input_items?limit=2";
        for (method, path) in [
            ("GET", read),
            ("GET", items),
            ("POST", "/v1/responses/resp_up1/cancel"),
            ("DELETE", "/v1/responses/resp_up1"),
        ] {
            let answer = send(port, method, path, &bob, "").await;
            let missing = (answer.status, answer.json()["error"]["message"].clone());
            assert_eq!(missing, (404, json!("Response with id 'resp_up1' not found.")), "{method} {path}");
        }
        assert_eq!(send(port, "GET", read, "", "").await.status, 401);
        assert_eq!(arrived(&provider), []);
        for (method, path) in [("GET", read), ("GET", items), ("DELETE", "/v1/responses/resp_up1")] {
            let answer = send(port, method, path, &ann, "").await;
            assert_eq!((answer.status, answer.body.as_str()), (200, body.as_str()), "{method} {path}");
        }
        let expected = [
            (Method::Get, "/responses/resp_up1?include=message.output_text.logprobs"),
            (Method::Get, "/responses/resp_up1/input_items?limit=2"),
            (Method::Delete, "/responses/resp_up1"),
        ];
        assert_eq!(arrived(&provider), expected.map(|(method, path)| (method, path.to_owned())));
        // A removed response is not found any more.
        assert_eq!(send(port, "GET", read, &ann, "").await.status, 404);
        assert_eq!(arrived(&provider), []);
    }
}

#[tokio::test]
async fn a_request_that_continues_the_response_of_another_client_is_refused() {
    let provider = provider(STORED);
    let (front, [ann, bob]) = shared(provider.gateway("openai-responses"));
    let port = start(front).await;
    assert_eq!(ask(port, &ann, json!({})).await.status, 200);
    let conversation = send(port, "POST", "/v1/conversations", &ann, "{}").await;
    assert_eq!(conversation.json()["id"], "resp_up1", "the canned answer is that of a response");
    provider.take_seen();
    let twice =
        r#"{"model":"m","input":"x","previous_response_id":"resp_x","previous\u005fresponse_id":"resp_up1"}"#;
    for body in [
        r#"{"model":"m","input":"x","previous_response_id":"resp_up1"}"#,
        r#"{"model":"m","input":"x","conversation":"resp_up1"}"#,
        r#"{"model":"m","input":"x","conversation":{"id":"resp_up1"}}"#,
        twice,
    ] {
        let refused = send(port, "POST", "/v1/responses", &bob, body).await;
        assert!(matches!(refused.status, 400 | 404), "{body}: {}", refused.body);
        assert_eq!(arrived(&provider), [], "{body}");
        assert_eq!(send(port, "POST", "/v1/responses", &ann, body).await.status, 200, "{body}");
        provider.take_seen();
    }
    // The provider decides about an id that the gateway does not know, because the id can be older than this process.
    assert_eq!(ask(port, &bob, json!({"previous_response_id": "resp_old"})).await.status, 200);
}

#[tokio::test]
async fn an_id_reaches_the_upstream_that_stored_it() {
    let (first, second) = (provider(&STORED.replace("resp_up1", "resp_first")), provider(STORED));
    let named = |provider: &Canned, label| provider.gateway_labelled("openai-responses", label);
    let front = Front::new(named(&first, "first")).with_route(["other"], named(&second, "second"));
    let port = start(front).await;
    assert_eq!(ask(port, "", json!({})).await.status, 200);
    assert_eq!(ask(port, "", json!({"model": "other"})).await.status, 200);
    first.take_seen();
    second.take_seen();
    assert_eq!(send(port, "GET", "/v1/responses/resp_first", "", "").await.status, 200);
    assert_eq!((first.take_seen().len(), second.take_seen().len()), (1, 0));
    assert_eq!(send(port, "GET", "/v1/responses/resp_up1", "", "").await.status, 200);
    assert_eq!((first.take_seen().len(), second.take_seen().len()), (0, 1));
    // A gateway cannot know which of two upstreams has an id that it did not issue.
    let unknown = send(port, "GET", "/v1/responses/resp_old", "", "").await;
    assert_eq!((unknown.status, first.seen().len(), second.seen().len()), (404, 0, 0));
}

#[tokio::test]
async fn without_keys_unknown_ids_go_to_the_only_upstream_of_the_format() {
    let provider = provider(STORED);
    let other = Canned::new(200, "application/json", CHAT_WORD);
    let front = Front::new(other.gateway("openai-chat"))
        .with_route(["fast"], provider.gateway("openai-responses"))
        .with_state(std::sync::Arc::new(windlass_gateway::MemoryStateStore::default()));
    let port = start(front).await;
    // The gateway's own store answers for upstreams of other formats.
    let own = ask(port, "", json!({})).await.json()["id"].as_str().unwrap().to_owned();
    let answer = send(port, "GET", &format!("/v1/responses/{own}"), "", "").await;
    assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(own)));
    assert_eq!(arrived(&provider), []);
    assert_eq!(send(port, "GET", "/v1/responses/resp_old", "", "").await.body, STORED);
    assert_eq!(arrived(&provider), [(Method::Get, "/responses/resp_old".to_owned())]);
    // A conversation can be for either upstream, so the gateway stores it.
    let conversation = send(port, "POST", "/v1/conversations", "", "{}").await;
    assert!(conversation.json()["id"].as_str().unwrap().starts_with("conv_"), "{}", conversation.body);
    assert_eq!(arrived(&provider), []);
    let refused = send(port, "GET", "/v1/responses/../files", "", "").await;
    assert_eq!((refused.status, arrived(&provider)), (404, vec![]));
}

#[tokio::test]
async fn reading_a_stored_response_counts_as_a_request() {
    let provider = provider(STORED);
    let mut keys = ClientKeys::default();
    let key = format!("authorization: Bearer {}\r\n", keys.create("ann", [""; 0]).unwrap());
    let limits = ClientLimits { requests_per_minute: Some(2), ..ClientLimits::default() };
    assert!(keys.set_limits("ann", limits));
    let port = start(Front::new(provider.gateway("openai-responses")).with_client_keys(keys)).await;
    assert_eq!(ask(port, &key, json!({})).await.status, 200);
    assert_eq!(send(port, "GET", "/v1/responses/resp_up1", &key, "").await.status, 200);
    let refused = send(port, "GET", "/v1/responses/resp_up1", &key, "").await;
    assert_eq!((refused.status, provider.seen().len()), (429, 2), "{}", refused.body);
}

/// The provider continues a background response after the answer that has its id, and the client reads the rest later.
#[tokio::test]
async fn a_background_response_costs_its_reservation() {
    let queued =
        r#"{"id":"resp_up1","object":"response","status":"queued","model":"up","output":[],"usage":null}"#;
    let provider = provider(queued);
    let mut keys = ClientKeys::default();
    let key = format!("authorization: Bearer {}\r\n", keys.create("ann", [""; 0]).unwrap());
    assert!(keys.set_limits("ann", ClientLimits { tokens_per_day: Some(1_000), ..ClientLimits::default() }));
    let port = start(Front::new(provider.gateway("openai-responses")).with_client_keys(keys)).await;
    let answer = ask(port, &key, json!({"background": true, "max_output_tokens": 600})).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let again = ask(port, &key, json!({"background": true, "max_output_tokens": 600})).await;
    assert_eq!(again.status, 429, "{}", again.body);
}
