//! Stored responses and conversations, with an upstream that stores neither.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_gateway::{
    ClientKeys, ClientRequest, Front, Gateway, MemoryStateStore, StateError, StateLimits, StateStore as _,
};

use crate::canned::{CHAT_WORD, Canned, bytes, json, post, text};
use crate::front::{Answer, send, start};

/// A stream of Chat Completions with one word.
const CHAT_STREAM: &str = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hi\"}}]}\n\n\
    data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn chat(word: &'static str) -> Canned {
    let kind = if word.starts_with("data") { "text/event-stream" } else { "application/json" };
    Canned::new(200, kind, word)
}

fn stateful(provider: &Canned, upstream: &str) -> Gateway {
    provider.gateway(upstream).with_state(Arc::new(MemoryStateStore::default()))
}

fn build_request(input: &str, more: &Value) -> ClientRequest {
    let mut body = json!({"model": "m", "input": input});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    post("/v1/responses", &body)
}

/// The texts that the provider received, with the first letter of the role.
fn conversation(provider: &Canned) -> Vec<String> {
    let messages = provider.body()["messages"].as_array().unwrap().clone();
    let word = |message: &Value| {
        let role = message["role"].as_str().unwrap().chars().next().unwrap();
        format!("{role}:{}", message["content"].as_str().unwrap())
    };
    messages.iter().map(word).collect()
}

async fn ask(gateway: &Gateway, input: &str, more: &Value) -> Value {
    let answer = gateway.answer(&build_request(input, more)).await;
    assert_eq!(answer.status, 200, "{input}");
    json(answer).await
}

#[tokio::test]
async fn a_response_continues_the_one_before() {
    let provider = chat(CHAT_WORD);
    let gateway = stateful(&provider, "openai-chat");
    let first = ask(&gateway, "one", &json!({"instructions": "Be brief."})).await;
    assert_eq!((&first["store"], &first["previous_response_id"]), (&json!(true), &Value::Null));
    let second = ask(&gateway, "two", &json!({"previous_response_id": first["id"]})).await;
    assert_eq!(second["previous_response_id"], first["id"]);
    // Instructions apply to one request only.
    assert_eq!(conversation(&provider), ["u:one", "a:hi", "u:two"]);
    let third = ask(&gateway, "three", &json!({"previous_response_id": second["id"], "store": false})).await;
    assert_eq!(third["store"], false);
    assert_eq!(conversation(&provider), ["u:one", "a:hi", "u:two", "a:hi", "u:three"]);
    // Two responses can continue the same response.
    ask(&gateway, "other", &json!({"previous_response_id": first["id"]})).await;
    assert_eq!(conversation(&provider), ["u:one", "a:hi", "u:other"]);
    // A response that is not stored cannot be continued.
    let refused = gateway.answer(&build_request("four", &json!({"previous_response_id": third["id"]}))).await;
    assert_eq!(refused.status, 400);
    assert_eq!(json(refused).await["error"]["code"], "previous_response_not_found");
}

#[tokio::test]
async fn without_a_store_a_client_falls_back_to_the_whole_conversation() {
    let provider = chat(CHAT_WORD);
    let gateway = provider.gateway("openai-chat");
    let refused = gateway.answer(&build_request("x", &json!({"previous_response_id": "resp_1"}))).await;
    assert_eq!(refused.status, 400);
    let error = json(refused).await["error"].clone();
    assert_eq!(
        (&error["code"], &error["param"]),
        (&json!("previous_response_not_found"), &json!("previous_response_id"))
    );
    assert!(provider.seen().is_empty());
    assert_eq!(ask(&gateway, "x", &json!({"store": true})).await["store"], false);
}

#[tokio::test]
async fn a_stream_is_stored_when_it_ends_and_not_before() {
    let provider = chat(CHAT_STREAM);
    let store = Arc::new(MemoryStateStore::default());
    let gateway = provider.gateway("openai-chat").with_state(store.clone());
    let streamed = build_request("one", &json!({"stream": true}));
    drop(gateway.answer(&streamed).await);
    assert_eq!(store.size().0, 0, "the client left");
    let stream = text(gateway.answer(&streamed).await).await;
    let end = stream.split("event: response.completed\ndata: ").nth(1).unwrap();
    let end: Value = serde_json::from_str(end.trim()).unwrap();
    assert_eq!(store.size().0, 1);
    let id = &end["response"]["id"];
    bytes(gateway.answer(&build_request("two", &json!({"stream": true, "previous_response_id": id}))).await)
        .await;
    assert_eq!(conversation(&provider), ["u:one", "a:hi", "u:two"]);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_not_stored() {
    let broken = CHAT_STREAM.split("\n\n").next().unwrap().to_owned() + "\n\n";
    let provider = Canned::new(200, "text/event-stream", broken);
    let store = Arc::new(MemoryStateStore::default());
    let gateway = provider.gateway("openai-chat").with_state(store.clone());
    let stream = text(gateway.answer(&build_request("one", &json!({"stream": true}))).await).await;
    assert!(stream.contains("hi") && !stream.contains("response.completed"), "{stream}");
    assert_eq!(store.size().0, 0);
}

#[tokio::test]
async fn a_response_beyond_the_limit_is_marked_as_not_stored() {
    let limits = StateLimits { owner_bytes: 900, ..StateLimits::default() };
    for word in [CHAT_WORD, CHAT_STREAM] {
        let provider = chat(word);
        let gateway = provider.gateway("openai-chat").with_state(Arc::new(MemoryStateStore::new(limits)));
        let more = json!({"stream": word == CHAT_STREAM});
        let answer = text(gateway.answer(&build_request(&"long ".repeat(200), &more)).await).await;
        let end = answer.rsplit("data: ").next().unwrap();
        let end: Value = serde_json::from_str(end).unwrap();
        let response = end.get("response").unwrap_or(&end);
        assert_eq!((&response["store"], &response["status"]), (&json!(false), &json!("completed")));
    }
}

#[tokio::test]
async fn references_and_results_find_their_stored_items() {
    let call = r#"{"id":"c","object":"chat.completion","created":1,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}}]},"finish_reason":"tool_calls"}]}"#;
    let provider = chat(call);
    let gateway = stateful(&provider, "openai-chat");
    let tools = json!([{"type": "function", "name": "look", "parameters": {"type": "object"}}]);
    let first = ask(&gateway, "one", &json!({"tools": tools})).await;
    let result = json!({"type": "function_call_output", "call_id": "call_1", "output": "seen"});
    let more = json!({"input": [result], "previous_response_id": first["id"], "tools": tools});
    ask(&gateway, "", &more).await;
    let sent = provider.body()["messages"].clone();
    assert_eq!(sent[1]["tool_calls"][0]["id"], "call_1");
    assert_eq!((&sent[2]["role"], &sent[2]["content"]), (&json!("tool"), &json!("seen")));
    // The Vercel SDK sends the whole conversation with references to stored items.
    let reference = json!({"type": "item_reference", "id": first["output"][0]["id"]});
    let input = json!([{"role": "user", "content": "one"}, reference, result]);
    ask(&gateway, "", &json!({"input": input, "tools": tools})).await;
    assert_eq!(provider.body()["messages"], sent);
    let missing = json!([{"type": "item_reference", "id": "msg_0_0"}]);
    let refused = gateway.answer(&build_request("", &json!({"input": missing}))).await;
    assert_eq!(refused.status, 404);
}

#[tokio::test]
async fn a_response_is_read_listed_and_deleted() {
    let provider = chat(CHAT_WORD);
    let port = start(front(&provider)).await;
    let first = post_to(port, "", &json!({"model": "m", "input": "one"})).await.json();
    let id = first["id"].as_str().unwrap();
    let path = format!("/v1/responses/{id}");
    assert_eq!(send(port, "GET", &path, "", "").await.json(), first);
    let items = send(port, "GET", &format!("{path}/input_items"), "", "").await.json();
    assert_eq!(items["data"][0]["content"][0], json!({"type": "input_text", "text": "one"}));
    assert_eq!((&items["first_id"], &items["has_more"]), (&items["data"][0]["id"], &json!(false)));
    assert_eq!(send(port, "GET", &format!("{path}/input_items?limit=0"), "", "").await.status, 400);
    let removed = send(port, "DELETE", &path, "", "").await.json();
    assert_eq!(removed, json!({"id": id, "object": "response", "deleted": true}));
    for (method, status) in [("GET", 404), ("DELETE", 404)] {
        assert_eq!(send(port, method, &path, "", "").await.status, status);
    }
    let body = json!({"model": "m", "input": "two", "previous_response_id": id});
    assert_eq!(post_to(port, "", &body).await.json()["error"]["code"], "previous_response_not_found");
}

fn front(provider: &Canned) -> Front {
    Front::new(provider.gateway("openai-chat")).with_state(Arc::new(MemoryStateStore::default()))
}

async fn post_to(port: u16, headers: &str, body: &Value) -> Answer {
    send(port, "POST", "/v1/responses", headers, &body.to_string()).await
}

#[tokio::test]
async fn a_conversation_collects_the_items_of_its_responses() {
    let provider = chat(CHAT_WORD);
    let port = start(front(&provider)).await;
    let body = json!({"metadata": {"a": "b"}, "items": [{"role": "user", "content": "zero"}]}).to_string();
    let made = send(port, "POST", "/v1/conversations", "", &body).await.json();
    assert_eq!((&made["object"], &made["metadata"]), (&json!("conversation"), &json!({"a": "b"})));
    let id = made["id"].as_str().unwrap();
    let answer =
        post_to(port, "", &json!({"model": "m", "input": "one", "conversation": id, "store": false})).await;
    assert_eq!(answer.json()["conversation"]["id"], id);
    let named = json!({"model": "m", "input": "two", "conversation": {"id": id}});
    let second = post_to(port, "", &named).await.json();
    assert_eq!(conversation(&provider), ["u:zero", "u:one", "a:hi", "u:two"]);
    // A response of a conversation can be continued outside of it.
    let body = json!({"model": "m", "input": "three", "previous_response_id": second["id"]});
    assert_eq!(post_to(port, "", &body).await.status, 200);
    assert_eq!(conversation(&provider), ["u:zero", "u:one", "a:hi", "u:two", "a:hi", "u:three"]);
    let path = format!("/v1/conversations/{id}");
    let list = send(port, "GET", &format!("{path}/items?order=asc&limit=2"), "", "").await.json();
    assert_eq!((list["data"].as_array().unwrap().len(), &list["has_more"]), (2, &json!(true)));
    let after = list["last_id"].as_str().unwrap();
    let rest = send(port, "GET", &format!("{path}/items?order=asc&after={after}"), "", "").await.json();
    assert_eq!(rest["data"].as_array().unwrap().len(), 3);
    assert_eq!(send(port, "DELETE", &format!("{path}/items/{after}"), "", "").await.status, 200);
    post_to(port, "", &named).await;
    assert_eq!(conversation(&provider), ["u:zero", "a:hi", "u:two", "a:hi", "u:two"]);
    let both = json!({"model": "m", "input": "x", "conversation": id, "previous_response_id": second["id"]});
    assert_eq!(post_to(port, "", &both).await.json()["error"]["code"], "mutually_exclusive_parameters");
    assert_eq!(send(port, "DELETE", &path, "", "").await.json()["deleted"], true);
    assert_eq!(post_to(port, "", &named).await.status, 404);
}

#[tokio::test]
async fn clients_of_other_keys_find_nothing() {
    let provider = chat(CHAT_WORD);
    let mut keys = ClientKeys::default();
    let key = |keys: &mut ClientKeys, name| {
        format!("authorization: Bearer {}\r\n", keys.create(name, Vec::<String>::new()).unwrap())
    };
    let (ann, bob) = (key(&mut keys, "ann"), key(&mut keys, "bob"));
    let store = Arc::new(MemoryStateStore::default());
    let front = Front::new(provider.gateway("openai-chat")).with_client_keys(keys).with_state(store);
    let port = start(front).await;
    let first = post_to(port, &ann, &json!({"model": "m", "input": "one"})).await.json();
    let path = format!("/v1/responses/{}", first["id"].as_str().unwrap());
    for (headers, status) in [(&ann, 200), (&bob, 404), (&String::new(), 401)] {
        assert_eq!(send(port, "GET", &path, headers, "").await.status, status);
    }
    assert_eq!(send(port, "DELETE", &path, &bob, "").await.status, 404);
    let body = json!({"model": "m", "input": "two", "previous_response_id": first["id"]});
    assert_eq!(post_to(port, &bob, &body).await.status, 400);
    let reference = json!([{"type": "item_reference", "id": first["output"][0]["id"]}]);
    assert_eq!(post_to(port, &bob, &json!({"model": "m", "input": reference})).await.status, 404);
    assert_eq!(post_to(port, &ann, &body).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_store_in_memory_keeps_its_limits() {
    let limits = StateLimits {
        idle: Duration::from_mins(1),
        owner_bytes: 10_000,
        bytes: 25_000,
        ..StateLimits::default()
    };
    let store = MemoryStateStore::new(limits);
    let large = store.insert("ann", "a", vec![b'x'; 10_000].into()).await;
    assert!(matches!(large, Err(StateError::TooLarge { .. })));
    for number in 0..200 {
        let owner = format!("owner-{}", number % 7);
        store.insert(&owner, &format!("id-{number}"), vec![b'x'; 1000].into()).await.unwrap();
    }
    let (values, bytes) = store.size();
    assert!(values > 10 && bytes <= 25_000, "{values} values of {bytes} bytes");
    assert!(store.get("owner-3", "id-199").await.unwrap().is_some());
    tokio::time::advance(Duration::from_secs(59)).await;
    assert!(store.get("owner-3", "id-199").await.unwrap().is_some());
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(store.size().0, 1, "only the value that was read");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(store.size(), (0, 0));
}

/// One step of a client.
#[derive(Clone, Debug)]
enum Step {
    /// Sends a request that continues the response with this number, of any client.
    Ask { owner: usize, previous: Option<usize> },
    /// Removes the response with this number.
    Remove { owner: usize, number: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ask = (0..3_usize, proptest::option::of(0..12_usize));
    let remove = (0..3_usize, 0..12_usize);
    let step = prop_oneof![
        4 => ask.prop_map(|(owner, previous)| Step::Ask { owner, previous }),
        1 => remove.prop_map(|(owner, number)| Step::Remove { owner, number }),
    ];
    proptest::collection::vec(step, 1..24)
}

/// A response as the test expects it: its owner, its id, and the texts of its conversation.
struct Expected {
    owner: usize,
    id: String,
    words: Vec<String>,
    previous: Option<usize>,
    is_removed: bool,
}

/// Returns whether a response and all that it continues are stored.
fn is_complete(made: &[Expected], number: usize) -> bool {
    let mut next = Some(number);
    while let Some(number) = next {
        if made[number].is_removed {
            return false;
        }
        next = made[number].previous;
    }
    true
}

async fn play(steps: Vec<Step>) {
    let provider = chat(CHAT_WORD);
    let store = Arc::new(MemoryStateStore::default());
    let gateway = provider.gateway("openai-chat").with_state(store.clone());
    let mut made: Vec<Expected> = Vec::new();
    for (number, step) in steps.into_iter().enumerate() {
        match step {
            Step::Ask { owner, previous } => {
                let previous = previous.filter(|previous| *previous < made.len());
                let word = format!("secret-{owner}-{number}");
                let more = previous.map_or(json!({}), |at| json!({"previous_response_id": made[at].id}));
                let request = build_request(&word, &more).with_owner(format!("owner-{owner}"));
                let count = provider.seen().len();
                let answer = gateway.answer(&request).await;
                let is_known = previous.is_none_or(|at| made[at].owner == owner && is_complete(&made, at));
                assert_eq!(answer.status, if is_known { 200 } else { 400 });
                let body = json(answer).await;
                if !is_known {
                    assert_eq!(provider.seen().len(), count);
                    assert!(!body.to_string().contains("secret"), "{body}");
                    continue;
                }
                let mut words = previous.map(|at| made[at].words.clone()).unwrap_or_default();
                words.push(format!("u:{word}"));
                assert_eq!(conversation(&provider), words);
                words.push("a:hi".to_owned());
                let id = body["id"].as_str().unwrap().to_owned();
                made.push(Expected { owner, id, words, previous, is_removed: false });
            }
            Step::Remove { owner, number } => {
                let Some(response) = made.get_mut(number) else { continue };
                let is_there = response.owner == owner && !response.is_removed;
                assert_eq!(store.remove(&format!("owner-{owner}"), &response.id).await.unwrap(), is_there);
                response.is_removed |= is_there;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_client_reads_or_removes_the_state_of_another(steps in steps()) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(play(steps));
    }
}
