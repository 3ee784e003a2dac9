//! Prompt caches that the provider stores.

use std::sync::Arc;
use std::time::Duration;

use windlass_client::{Client, Endpoint, Fallback, Options, Pace, StoredCacheModel, Vendors};
use windlass_protocol::{Message, Part, Request, ToolChoice, ToolName, ToolSpec};
use windlass_stream::Model;
use windlass_wire::Wire;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;

use crate::server::{KEY, Reply, Server, error, events, quick, response};

const ANSWER: &str = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}],\"role\":\"model\"},\"finishReason\":\"STOP\"}]}\n\n";
const HOUR: Duration = Duration::from_hours(1);

pub(crate) fn creation_reply(number: usize) -> Reply {
    let body = format!(
        r#"{{"name":"cachedContents/c-{number}","model":"models/gemini-2.5-flash","expireTime":"2026-11-27T13:00:00Z","usageMetadata":{{"totalTokenCount":5000}}}}"#
    );
    Reply::Close(response(200, "application/json", "", &body))
}

fn empty_reply() -> Reply {
    Reply::Close(response(200, "application/json", "", "{}"))
}

pub(crate) fn answer() -> Reply {
    Reply::Close(events(ANSWER))
}

fn client(server: &Server, wire: impl Wire + 'static) -> Client {
    let endpoint = Endpoint::custom(&server.base_url, wire.name());
    let options = Options { pace: Pace::Ignored, ..quick() };
    Client::new(endpoint, Some(KEY.into()), Arc::new(wire), options).unwrap()
}

pub(crate) fn gemini(server: &Server) -> Client {
    client(server, Gemini::default())
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec::function(ToolName::new(name).unwrap(), "Does it.", r#"{"type":"object"}"#.parse().unwrap())
}

fn request(tools: &[&str]) -> Request {
    Request::new("gemini-2.5-flash", vec![Message::user("hello")])
        .with_system("Be kind.")
        .with_tools(tools.iter().map(|name| tool(name)).collect())
}

/// The first line and the body of each request.
async fn lines(server: &Server) -> Vec<(String, String)> {
    let requests = server.requests().await;
    let pair = |request: &String| {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(KEY), "{head}");
        (head.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned(), body.to_owned())
    };
    requests.iter().map(pair).collect()
}

#[tokio::test]
async fn a_cache_is_created_used_renewed_and_deleted() {
    let server = Server::start(vec![creation_reply(1), answer(), empty_reply(), empty_reply()]).await;
    let client = client(&server, Gemini::default());
    let prefix = request(&["read"]);
    let cache = client.create_cache(&prefix, HOUR).await.unwrap();
    assert_eq!((cache.name.as_str(), cache.tokens), ("cachedContents/c-1", Some(5_000)));
    assert_eq!(cache.expires_at.as_deref(), Some("2026-11-27T13:00:00Z"));
    // A million tokens cost a dollar an hour: 5,000 tokens for two hours.
    assert_eq!(cache.storage_cost(1_000_000, 2 * HOUR), Some(10_000));

    assert_eq!(cache.apply(&prefix), None, "a request needs a message besides");
    let mut question = prefix.clone();
    question.messages.push(Message::assistant(vec![Part::text("hello")]));
    question.messages.push(Message::user("and?"));
    assert_eq!(cache.apply(&question.clone().with_system("Be brief.")), None);
    assert_eq!(cache.apply(&question.clone().with_tools(vec![tool("write")])), None);
    assert_eq!(cache.apply(&question.clone().with_tool_choice(ToolChoice::Required)), None);
    let applied = cache.apply(&question).unwrap();
    drop(client.stream(&applied).await.unwrap());
    client.set_cache_ttl(&cache, Duration::from_mins(1)).await.unwrap();
    client.delete_cache(&cache).await.unwrap();

    let lines = lines(&server).await;
    assert_eq!(
        lines[0],
        (
            "POST /v1/cachedContents".to_owned(),
            r#"{"model":"models/gemini-2.5-flash","systemInstruction":{"parts":[{"text":"Be kind."}]},"tools":[{"functionDeclarations":[{"name":"read","description":"Does it.","parametersJsonSchema":{"type":"object","properties":{}}}]}],"contents":[{"role":"user","parts":[{"text":"hello"}]}],"ttl":"3600s"}"#
                .to_owned()
        )
    );
    assert_eq!(
        lines[1],
        (
            "POST /v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse".to_owned(),
            r#"{"cachedContent":"cachedContents/c-1","contents":[{"role":"model","parts":[{"text":"hello"}]},{"role":"user","parts":[{"text":"and?"}]}]}"#
                .to_owned()
        )
    );
    assert_eq!(
        lines[2],
        ("PATCH /v1/cachedContents/c-1?updateMask=ttl".to_owned(), r#"{"ttl":"60s"}"#.to_owned())
    );
    assert_eq!(lines[3], ("DELETE /v1/cachedContents/c-1".to_owned(), String::new()));
}

#[tokio::test]
async fn a_model_keeps_one_cache_for_its_tools() {
    let replies = vec![
        creation_reply(1),
        answer(),
        answer(),
        empty_reply(),
        creation_reply(2),
        answer(),
        empty_reply(),
    ];
    let server = Server::start(replies).await;
    let model = StoredCacheModel::new(client(&server, Gemini::default()), HOUR);
    for tools in [&["read"], &["read"], &["write"]] {
        drop(model.stream(&request(tools)).await.unwrap());
    }
    assert_eq!(model.cache().await.unwrap().name, "cachedContents/c-2");
    model.close().await.unwrap();
    model.close().await.unwrap();
    let lines = lines(&server).await;
    let heads: Vec<&str> = lines.iter().map(|(head, _)| head.as_str()).collect();
    let (ask, create) =
        ("POST /v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse", "POST /v1/cachedContents");
    assert_eq!(
        heads,
        [create, ask, ask, "DELETE /v1/cachedContents/c-1", create, ask, "DELETE /v1/cachedContents/c-2"]
    );
    assert!(!lines[0].1.contains("contents"), "the conversation is not in the cache: {}", lines[0].1);
    let body =
        r#"{"cachedContent":"cachedContents/c-1","contents":[{"role":"user","parts":[{"text":"hello"}]}]}"#;
    assert_eq!((lines[1].1.as_str(), lines[2].1.as_str()), (body, body));
}

#[tokio::test]
async fn a_cache_is_renewed_in_the_second_half_of_its_time() {
    let server = Server::start(vec![creation_reply(1), answer(), empty_reply(), answer()]).await;
    // With no time to live, each request is in the second half of the cache's life.
    let model = StoredCacheModel::new(client(&server, Gemini::default()), Duration::ZERO);
    for _ in 0..2 {
        drop(model.stream(&request(&["read"])).await.unwrap());
    }
    assert!(lines(&server).await[2].0.starts_with("PATCH /v1/cachedContents/c-1"));
}

#[tokio::test]
async fn a_refused_cache_is_not_requested_again() {
    let small = error(
        400,
        "",
        r#"{"error":{"code":400,"message":"Cached content is too small.","status":"INVALID_ARGUMENT"}}"#,
    );
    let server = Server::start(vec![small, answer(), answer()]).await;
    let model = StoredCacheModel::new(client(&server, Gemini::default()), HOUR);
    for _ in 0..2 {
        drop(model.stream(&request(&["read"])).await.unwrap());
    }
    let lines = lines(&server).await;
    assert_eq!(lines.len(), 3);
    assert!(lines[1].1.starts_with(r#"{"systemInstruction":"#), "{}", lines[1].1);
    assert_eq!(lines[1], lines[2]);
}

#[tokio::test]
async fn a_request_with_an_expired_cache_is_sent_without_it() {
    let gone = r#"{"error":{"code":403,"message":"CachedContent not found (or permission denied)","status":"PERMISSION_DENIED"}}"#;
    let server = Server::start(vec![creation_reply(1), error(403, "", gone), answer()]).await;
    let model = StoredCacheModel::new(client(&server, Gemini::default()), HOUR);
    drop(model.stream(&request(&["read"])).await.unwrap());
    assert!(lines(&server).await[2].1.starts_with(r#"{"systemInstruction":"#));
    assert_eq!(model.cache().await, None);
}

#[tokio::test]
async fn other_formats_have_no_stored_caches() {
    let server = Server::start(vec![empty_reply()]).await;
    let client = client(&server, OpenAiChat::default());
    let error = client.create_cache(&request(&[]), HOUR).await.unwrap_err();
    assert!(error.message.ends_with("it has no API for caches that it stores"), "{error}");
    let gemini = self::client(&server, Gemini::default());
    let error = gemini.create_cache(&request(&[]), HOUR).await.unwrap_err();
    assert!(error.message.ends_with("the response to the creation of a cache does not name it"), "{error}");
}

/// A client of Gemini at another address, with a price of the user.
fn priced(server: &Server, price: &str) -> Client {
    let own = format!(
        "[vendor.own]\nlike = \"gemini\"\nbase-url = \"{}\"\n\n[[vendor.own.model]]\npattern = \"*\"\n\
         price = {{ input = \"1\", output = \"2\"{price} }}\n",
        server.base_url
    );
    let vendors = Vendors::builtin().with_file(&own).unwrap();
    let options = Options { pace: Pace::Ignored, ..quick() };
    Client::vendor(vendors.get("own").unwrap().clone())
        .key(Some(KEY.into()))
        .options(options)
        .build()
        .unwrap()
}

#[tokio::test]
async fn the_storage_of_a_models_caches_is_counted_until_they_are_deleted() {
    for (price, is_known) in [(", storage = \"4.5\"", true), ("", false)] {
        let replies =
            vec![creation_reply(1), answer(), empty_reply(), creation_reply(2), answer(), empty_reply()];
        let server = Server::start(replies).await;
        let model = StoredCacheModel::new(priced(&server, price), 4 * HOUR);
        assert_eq!(model.storage().await.to_string(), "0 caches, 0 token hours, 0");
        // Other tools delete the first cache.
        for tools in [&["read"], &["write"]] {
            drop(model.stream(&request(tools)).await.unwrap());
        }
        let before = model.storage().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        model.close().await.unwrap();
        let after = model.storage().await;
        assert_eq!((after.caches, after.cost.is_some()), (2, is_known), "{after}");
        assert!(after.token_hours >= before.token_hours && after.cost >= before.cost, "{before} {after}");
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(model.storage().await, after, "a deleted cache costs nothing more");
    }
}

#[tokio::test]
async fn a_cache_of_the_table_has_the_price_of_its_model() {
    let server = Server::start(vec![creation_reply(1)]).await;
    let at_server = client(&server, Gemini::default());
    let cache = at_server.create_cache(&request(&["read"]), HOUR).await.unwrap();
    assert_eq!(at_server.storage_cost(&cache, HOUR), None, "the table is for the provider's address");
    let gemini = Client::vendor(Vendors::builtin().get("gemini").unwrap().clone());
    let gemini = gemini.key(Some(KEY.into())).build().unwrap();
    assert_eq!(gemini.storage_cost(&cache, 2 * HOUR), Some(10_000));
}

/// A gateway reads the prices alone for each request.
#[tokio::test]
async fn the_prices_alone_are_those_of_the_facts() {
    let server = Server::start(vec![]).await;
    let own = priced(&server, "");
    let cached = StoredCacheModel::new(own.clone(), HOUR);
    let gemini = Client::vendor(Vendors::builtin().get("gemini").unwrap().clone());
    let gemini = gemini.key(Some(KEY.into())).build().unwrap();
    let fallback = Fallback::new(Arc::new(gemini.clone()), "gemini-2.5-flash");
    let models: [&dyn Model; 5] = [&own, &cached, &gemini, &fallback, &Arc::new(gemini.clone())];
    for (place, model) in models.into_iter().enumerate() {
        for name in ["gemini-2.5-flash", "unknown"] {
            let prices = model.prices(name);
            assert_eq!(prices, model.facts(name).unwrap().prices, "model {place}, {name}");
            assert!(prices.is_some() || name == "unknown", "model {place}");
        }
    }
}
