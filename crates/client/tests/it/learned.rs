//! Facts that a client learns from refusals, and their storage (RULES L9).

use std::fs;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;
use windlass_client::{
    Ability, CapabilityStore, ClaimSource, Client, ClientEvent, FileStorage, Options, Remedy, Vendor, Vendors,
};
use windlass_protocol::{Message, Request, Support, ToolChoice, ToolSpec};
use windlass_stream::ModelErrorKind;

use crate::server::{Reply, Server, ask, error, hello, quick, text};

const NO_TEMPERATURE: &str = r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.2 with this model.","param":"temperature"}}"#;

fn vendor(server: &Server, like: &str) -> Vendor {
    let file = format!("[vendor.taught]\nlike = \"{like}\"\nbase-url = \"{}\"\n", server.base_url);
    Vendors::builtin().with_file(&file).unwrap().get("taught").unwrap().clone()
}

fn warm() -> Request {
    let mut request = Request::new("m", vec![Message::user("hi")]).with_max_output_tokens(9);
    request.options.temperature = Some(0.2);
    request
}

fn with_tool(request: Request) -> Request {
    let tool = serde_json::json!({"function": {"name": "look", "description": "", "parameters": {"type": "object"}}});
    let tool: ToolSpec = serde_json::from_value(tool).unwrap();
    request.with_tools(vec![tool]).with_tool_choice(ToolChoice::Required)
}

async fn bodies(server: &Server) -> Vec<Value> {
    let requests = server.requests().await;
    requests
        .iter()
        .map(|request| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap())
        .collect()
}

// L9
#[tokio::test]
async fn a_refused_parameter_is_dropped_once_and_remembered() {
    let server = Server::start(vec![error(400, "", NO_TEMPERATURE), hello()]).await;
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let client = Client::vendor(vendor(&server, "together"))
        .options(quick())
        .on_event(move |event| seen.lock().unwrap().push(event.clone()))
        .build()
        .unwrap();
    for _ in 0..2 {
        assert_eq!(text(&ask(&client, &warm()).await.0), "Hello");
    }
    let bodies = bodies(&server).await;
    assert_eq!(bodies.len(), 3);
    let has: Vec<bool> = bodies.iter().map(|body| body.get("temperature").is_some()).collect();
    assert_eq!(has, [true, false, false]);
    assert!(bodies.iter().all(|body| body["max_tokens"] == 9 && body["messages"] == bodies[0]["messages"]));
    let facts = client.capability_store().rejections(&client.provider(), "m");
    assert_eq!((facts[0].parameter.as_str(), &facts[0].remedy), ("temperature", &Some(Remedy::Drop)));
    assert!(client.capability_store().rejections(&client.provider(), "another").is_empty());
    let events = events.lock().unwrap().clone();
    assert!(
        matches!(&events[0], ClientEvent::Learned(fact) if fact.parameter == "temperature"),
        "{events:?}"
    );
    assert!(matches!(&events[1], ClientEvent::Answer(info) if info.attempts == 2), "{events:?}");
    let losses = events.iter().filter(|event| {
        matches!(event, ClientEvent::OptionLoss { model, fields } if model == "m" && fields.iter().eq(["temperature"]))
    });
    assert_eq!(losses.count(), 2, "each request without the option has the event: {events:?}");
}

#[tokio::test]
async fn a_remedy_that_failed_is_not_learned() {
    let server = Server::start(vec![error(400, "", NO_TEMPERATURE)]).await;
    let client = Client::vendor(vendor(&server, "together")).options(quick()).build().unwrap();
    let error = ask(&client, &warm()).await.1.unwrap();
    assert!(error.message.contains("temperature"), "{error}");
    assert_eq!(server.requests().await.len(), 2);
    assert!(client.capability_store().rejections(&client.provider(), "m").is_empty());
}

#[tokio::test]
async fn refused_parameters_are_dropped_one_by_one_but_never_the_conversation() {
    let limit = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#;
    let server = Server::start(vec![error(400, "", NO_TEMPERATURE), error(400, "", limit), hello()]).await;
    let client = Client::vendor(vendor(&server, "together")).options(quick()).build().unwrap();
    assert_eq!(text(&ask(&client, &warm()).await.0), "Hello");
    let sent = bodies(&server).await;
    assert_eq!(
        (sent.len(), &sent[2]["max_completion_tokens"], sent[2].get("max_tokens")),
        (3, &Value::from(9), None)
    );

    let messages = r#"{"error":{"message":"'messages' are not supported","param":"messages"}}"#;
    let server = Server::start(vec![error(400, "", messages), hello()]).await;
    let client = Client::vendor(vendor(&server, "together")).options(quick()).build().unwrap();
    assert!(ask(&client, &warm()).await.1.is_some());
    assert_eq!(server.requests().await.len(), 1);
}

#[tokio::test]
async fn tools_are_never_dropped_and_the_error_names_a_remedy() {
    let refusal = r#"{"error":{"message":"No endpoints found that support tool use.","code":404}}"#;
    let server = Server::start(vec![error(404, "", refusal), hello()]).await;
    let client = Client::vendor(vendor(&server, "openrouter")).options(quick()).build().unwrap();
    let failure = ask(&client, &with_tool(warm())).await.1.unwrap();
    for part in ["support tool use", "use text calls", "later requests"] {
        assert!(failure.message.contains(part), "{part} is not in {failure}");
    }
    assert_eq!((failure.kind, server.requests().await.len()), (ModelErrorKind::Unsupported, 1));
    let answer = client.capabilities("m").claim(Ability::NativeTools);
    assert_eq!((answer.support, answer.source), (Support::No, Some(ClaimSource::Learned)));
}

#[tokio::test]
async fn encrypted_reasoning_is_not_requested_from_a_model_without_reasoning() {
    let refusal = r#"{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}"#;
    let done = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]}]}}\n\n";
    let answer = Reply::Close(crate::server::events(done));
    let server = Server::start(vec![error(400, "", refusal), answer]).await;
    let client = Client::vendor(vendor(&server, "openai-responses")).options(quick()).build().unwrap();
    let (_, failure) = ask(&client, &warm()).await;
    assert!(failure.is_none(), "{failure:?}");
    let sent = bodies(&server).await;
    assert_eq!(
        (sent[0]["include"][0].as_str(), sent[1].get("include")),
        (Some("reasoning.encrypted_content"), None)
    );
}

#[tokio::test]
async fn a_refused_strict_field_is_omitted() {
    let refusal = r#"{"error":{"message":"Validation Error: \"strict\" - Extra inputs are not permitted"}}"#;
    let server = Server::start(vec![error(400, "", refusal), hello()]).await;
    let client = Client::vendor(vendor(&server, "together")).options(quick()).build().unwrap();
    let strict = serde_json::json!({"function": {"name": "look", "description": "", "parameters": {}, "strict": "on"}});
    let request = warm().with_tools(vec![serde_json::from_value(strict).unwrap()]);
    assert_eq!(text(&ask(&client, &request).await.0), "Hello");
    let sent = bodies(&server).await;
    assert_eq!(sent[0]["tools"][0]["function"]["strict"], true);
    assert_eq!(sent[1]["tools"][0]["function"].get("strict"), None);
}

/// Lets a client learn that a temperature is refused, and keeps that in a folder's file.
async fn learn(folder: &TempDir) -> (CapabilityStore, Vec<Value>) {
    let server = Server::start(vec![error(400, "", NO_TEMPERATURE), hello()]).await;
    let facts = Arc::new(CapabilityStore::open(FileStorage::new(folder.path().join("deep/models.json"))));
    let mut vendor = vendor(&server, "together");
    vendor.endpoint.base_url = server.base_url.clone();
    let client = Client::vendor(vendor)
        .options(Options { retries: 0, ..quick() })
        .capability_store(facts.clone())
        .build()
        .unwrap();
    assert_eq!(text(&ask(&client, &warm()).await.0), "Hello");
    let bodies = bodies(&server).await;
    drop(client);
    (Arc::into_inner(facts).unwrap(), bodies)
}

fn file(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("deep/models.json")
}

#[tokio::test]
async fn learned_facts_outlive_the_process_for_seven_days() {
    let folder = tempfile::tempdir().unwrap();
    let (facts, bodies) = learn(&folder).await;
    assert_eq!((facts.trouble(), bodies.len()), (None, 2));
    let kept = fs::read_to_string(file(&folder)).unwrap();
    let book: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(book["version"], 1);
    let provider = book["facts"].as_object().unwrap().keys().next().unwrap().clone();
    assert!(provider.starts_with("taught 127.0.0.1:"), "{provider}");

    let opened = CapabilityStore::open(FileStorage::new(file(&folder)));
    assert_eq!(
        (opened.rejections(&provider, "m").len(), opened.models(&provider)),
        (1, vec!["m".to_owned()])
    );
    // Eight days ago is too long ago.
    let learned_at = book["facts"][&provider]["m"][0]["learned_at"].as_u64().unwrap();
    let old = kept.replace(&learned_at.to_string(), &(learned_at - 8 * 86_400).to_string());
    fs::write(file(&folder), old).unwrap();
    let opened = CapabilityStore::open(FileStorage::new(file(&folder)));
    assert_eq!((opened.rejections(&provider, "m"), opened.models(&provider)), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_broken_file_is_set_aside_and_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    fs::write(file(&folder), "{\"version\":1,\"facts\":[").unwrap();
    let (facts, _) = learn(&folder).await;
    assert!(facts.trouble().unwrap().contains("set aside"), "{:?}", facts.trouble());
    let aside = fs::read_to_string(folder.path().join("deep/models.json.broken")).unwrap();
    assert_eq!(aside, "{\"version\":1,\"facts\":[");
    assert!(fs::read_to_string(file(&folder)).unwrap().contains("temperature"));
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    fs::write(file(&folder), "{\"version\":2,\"what\":1}").unwrap();
    let (facts, bodies) = learn(&folder).await;
    assert_eq!(bodies.len(), 2);
    assert!(facts.trouble().unwrap().contains("newer version 2"), "{:?}", facts.trouble());
    assert_eq!(fs::read_to_string(file(&folder)).unwrap(), "{\"version\":2,\"what\":1}");
}

// Two processes that learn at the same time lose no fact of each other.
#[test]
fn facts_stored_by_another_process_are_preserved() {
    let folder = tempfile::tempdir().unwrap();
    let open = || CapabilityStore::open(FileStorage::new(file(&folder)));
    let (one, two) = (open(), open());
    let model = |id: &str| serde_json::from_value(serde_json::json!({"id": id})).unwrap();
    one.set_listing("a host", vec![model("first")]);
    two.set_listing("b host", vec![model("second")]);
    let both = open();
    assert_eq!(both.listing("a host").unwrap().models[0].id, "first");
    assert_eq!(both.listing("b host").unwrap().models[0].id, "second");
    // A file that is damaged between two writes is moved aside.
    fs::write(file(&folder), "half").unwrap();
    one.forget("a host");
    assert_eq!(fs::read_to_string(folder.path().join("deep/models.json.broken")).unwrap(), "half");
    assert!(open().listing("a host").is_some());
}

const LIST: &str = r#"{"data":[
    {"id":"m","context_length":8192,"supported_parameters":["tools","tool_choice"],"architecture":{"input_modalities":["text"]}},
    {"id":"n","supported_parameters":[]}]}"#;

#[tokio::test]
async fn the_stronger_source_wins_and_is_named() {
    let list = Reply::Close(crate::server::response(200, "application/json", "", LIST));
    let refusal = r#"{"error":{"message":"No endpoints found that support the provided 'tool_choice' value.","code":404}}"#;
    let server = Server::start(vec![list, error(404, "", refusal), hello()]).await;
    let vendor = vendor(&server, "openrouter");
    let client = Client::vendor(vendor).options(quick()).build().unwrap();
    let of = |ability| {
        let answer = client.capabilities("m").claim(ability);
        (answer.support, answer.source)
    };
    assert_eq!(of(Ability::NativeTools), (Support::Unknown, None));
    let models = client.list_models().await.unwrap();
    assert_eq!((models.len(), models[0].context_tokens), (2, Some(8192)));
    assert!(server.requests().await[0].starts_with("GET /v1/models HTTP/1.1\r\n"));
    assert_eq!(of(Ability::NativeTools), (Support::Yes, Some(ClaimSource::Discovered)));
    assert_eq!(of(Ability::Images), (Support::No, Some(ClaimSource::Discovered)));
    assert_eq!(of(Ability::ForcedToolChoice), (Support::Yes, Some(ClaimSource::Discovered)));
    assert_eq!(text(&ask(&client, &with_tool(warm())).await.0), "Hello");
    assert_eq!(of(Ability::ForcedToolChoice), (Support::No, Some(ClaimSource::Learned)));
    assert_eq!(client.capabilities("m").capabilities().native_tools, Support::Yes);
    client.capability_store().forget(&client.provider());
    assert_eq!(of(Ability::ForcedToolChoice), (Support::Yes, Some(ClaimSource::Discovered)));
}

#[tokio::test]
async fn ollama_is_queried_for_each_model() {
    let json = |body: &str| Reply::Close(crate::server::response(200, "application/json", "", body));
    let server = Server::start(vec![
        json(r#"{"object":"list","data":[{"id":"qwen3"},{"id":"old"}]}"#),
        json(r#"{"capabilities":["completion","tools"],"model_info":{"qwen3.context_length":40960}}"#),
        json("{}"),
    ])
    .await;
    let client = Client::vendor(vendor(&server, "ollama")).options(quick()).build().unwrap();
    let models = client.list_models().await.unwrap();
    assert_eq!((models[0].context_tokens, models[1].abilities.len()), (Some(40_960), 0));
    let requests = server.requests().await;
    assert!(requests[1].starts_with("POST /api/show HTTP/1.1\r\n"), "{}", requests[1]);
    assert!(requests[1].ends_with("{\"model\":\"qwen3\"}"), "{}", requests[1]);
    let known = client.capabilities("qwen3");
    assert_eq!(known.claim(Ability::NativeTools).source, Some(ClaimSource::Discovered));
    assert_eq!(known.claim(Ability::ForcedToolChoice).source, Some(ClaimSource::Vendor));
}

#[tokio::test]
async fn an_invalid_model_list_is_an_error_and_changes_nothing() {
    let page = Reply::Close(crate::server::response(200, "text/html", "", "<html>"));
    let server = Server::start(vec![page, error(401, "", "{}")]).await;
    let client = Client::vendor(vendor(&server, "together")).options(quick()).build().unwrap();
    for said in ["not a list of models", "status 401"] {
        let error = client.list_models().await.unwrap_err();
        assert!(error.message.contains(said), "{error}");
    }
    assert_eq!(client.capability_store().listing(&client.provider()), None);
}

// correctness-2 8: facts of concurrent writers are all stored.
#[test]
fn concurrent_writers_lose_no_fact() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.json");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                // Each writer has its own handle to the file, as a process has.
                let facts = CapabilityStore::open(FileStorage::new(path));
                for number in 0..5 {
                    facts.set_listing(&format!("provider {writer} {number}"), Vec::new());
                }
                assert_eq!(facts.trouble(), None);
            });
        }
    });
    let facts = CapabilityStore::open(FileStorage::new(&path));
    for writer in 0..8 {
        for number in 0..5 {
            assert!(facts.listing(&format!("provider {writer} {number}")).is_some(), "{writer} {number}");
        }
    }
}

#[test]
fn a_document_that_is_set_aside_replaces_no_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.json");
    for content in ["{1", "{2", "{3"] {
        fs::write(&path, content).unwrap();
        assert!(CapabilityStore::open(FileStorage::new(&path)).trouble().unwrap().contains("set aside"));
    }
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let mut kept: Vec<String> = names
        .filter(|path| path.to_str().unwrap().contains(".broken"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    kept.sort();
    assert_eq!(kept, ["{1", "{2", "{3"]);
}

// correctness-2 12b
#[test]
fn future_and_old_facts_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.json");
    let fact =
        r#"{"parameter": "tools", "abilities": {"native-tools": false}, "message": "no", "learned_at": AT}"#;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    for (at, is_believed) in [(now - 60, true), (4_102_444_800, false), (now - 8 * 86_400, false)] {
        let document = format!(
            r#"{{"version": 1, "facts": {{"p h": {{"m": [{}]}}}}}}"#,
            fact.replace("AT", &at.to_string())
        );
        fs::write(&path, document).unwrap();
        let facts = CapabilityStore::open(FileStorage::new(&path));
        assert_eq!(
            (facts.trouble(), facts.rejections("p h", "m").len()),
            (None, usize::from(is_believed)),
            "{at}"
        );
        assert_eq!(facts.models("p h").len(), usize::from(is_believed));
    }
}

/// Returns a stream with a status of success whose only event is an error.
fn in_stream(error: &str) -> Reply {
    Reply::Close(crate::server::events(&format!("data: {error}\n\n")))
}

// L9, S12: OpenRouter refuses a parameter in the stream of an answer with status 200.
#[tokio::test]
async fn a_parameter_that_the_stream_refuses_is_dropped_too() {
    let refusal =
        r#"{"error":{"message":"Unsupported parameter: 'temperature'","code":400,"param":"temperature"}}"#;
    let server = Server::start(vec![in_stream(refusal), hello()]).await;
    let client = Client::vendor(vendor(&server, "openrouter")).options(quick()).build().unwrap();
    assert_eq!(text(&ask(&client, &warm()).await.0), "Hello");
    let bodies = bodies(&server).await;
    assert_eq!(bodies[1].get("temperature"), None);
    assert_eq!(client.capability_store().rejections(&client.provider(), "m")[0].parameter, "temperature");
}

// P5
#[tokio::test]
async fn a_stream_that_refuses_tools_names_a_remedy() {
    let refusal = r#"{"error":{"message":"No endpoints found that support tool use.","code":404}}"#;
    let server = Server::start(vec![in_stream(refusal), hello()]).await;
    let client = Client::vendor(vendor(&server, "openrouter")).options(quick()).build().unwrap();
    let failure = ask(&client, &with_tool(warm())).await.1.unwrap();
    assert_eq!(failure.kind, ModelErrorKind::Unsupported, "{failure}");
}

// R4
#[tokio::test]
async fn a_stream_that_is_too_long_is_a_failure_of_length() {
    let refusal = r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#;
    let server = Server::start(vec![in_stream(refusal), hello()]).await;
    let client = Client::vendor(vendor(&server, "openrouter")).options(quick()).build().unwrap();
    let failure = ask(&client, &warm()).await.1.unwrap();
    assert_eq!(failure.kind, ModelErrorKind::ContextLength, "{failure}");
    assert_eq!(server.requests().await.len(), 1);
}

const NO_TOOL_USE: &str = r#"{"error":{"message":"m does not support tools"}}"#;

// L9: a missing ability is stored for other processes only after a request without it succeeded.
#[tokio::test]
async fn a_missing_ability_is_kept_when_a_request_without_it_succeeded() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("models.json");
    let facts = || Arc::new(CapabilityStore::open(FileStorage::new(&path)));
    let server = Server::start(vec![error(400, "", NO_TOOL_USE), hello()]).await;
    let client = Client::vendor(vendor(&server, "together"))
        .options(quick())
        .capability_store(facts())
        .build()
        .unwrap();
    assert_eq!(ask(&client, &with_tool(warm())).await.1.unwrap().kind, ModelErrorKind::Unsupported);
    assert_eq!(client.capabilities("m").claim(Ability::NativeTools).support, Support::No);
    assert!(facts().rejections(&client.provider(), "m").is_empty(), "nothing shows yet that it is so");
    assert_eq!(text(&ask(&client, &warm()).await.0), "Hello");
    assert_eq!(facts().rejections(&client.provider(), "m")[0].parameter, "tools");
}

#[tokio::test]
async fn a_missing_ability_that_is_there_after_all_is_forgotten() {
    let server = Server::start(vec![error(400, "", NO_TOOL_USE), hello()]).await;
    let client = Client::vendor(vendor(&server, "together")).options(quick()).build().unwrap();
    assert!(ask(&client, &with_tool(warm())).await.1.is_some());
    assert_eq!(text(&ask(&client, &with_tool(warm())).await.0), "Hello");
    assert_ne!(client.capabilities("m").claim(Ability::NativeTools).support, Support::No);
    assert!(client.capability_store().rejections(&client.provider(), "m").is_empty());
}

// A remedy has not helped if the server repeats the same refusal after it.
#[tokio::test]
async fn of_two_refused_parameters_only_the_effective_one_is_learned() {
    let words = r#"{"error":{"message":"temperature is not supported with 'stop'"}}"#;
    let server = Server::start(vec![error(400, "", words), error(400, "", words), hello()]).await;
    let client = Client::vendor(vendor(&server, "together")).options(quick()).build().unwrap();
    let mut request = warm();
    request.options.stop_sequences = vec!["x".into()];
    assert_eq!(text(&ask(&client, &request).await.0), "Hello");
    let facts = client.capability_store().rejections(&client.provider(), "m");
    assert_eq!(facts.iter().map(|fact| fact.parameter.as_str()).collect::<Vec<_>>(), ["stop"], "{facts:?}");
    let sent = bodies(&server).await;
    assert_eq!((sent[2].get("temperature").is_some(), sent[2].get("stop")), (true, None));
}

// A server that supports only functions, like LiteLLM and most local servers.
#[tokio::test]
async fn a_freeform_tool_is_sent_as_a_function_after_a_refusal() {
    let refusal = r#"{"error":{"message":"Invalid value: 'custom'. Supported values are: 'function'.","param":"tools[0].type"}}"#;
    let call = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"patch\",\"arguments\":\"{\\\"input\\\":\"}}]}}]}\n\n\
         data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"x\\\"}\"}}]}}]}\n\n\
         data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let answer = Reply::Close(crate::server::events(call));
    let server = Server::start(vec![error(400, "", refusal), answer]).await;
    let client = Client::vendor(vendor(&server, "openai-chat")).options(quick()).build().unwrap();
    let patch: ToolSpec =
        serde_json::from_value(serde_json::json!({"freeform": {"name": "patch", "description": ""}}))
            .unwrap();
    let request = Request::new("m", vec![Message::user("hi")]).with_tools(vec![patch]);
    let (chunks, failure) = ask(&client, &request).await;
    assert!(failure.is_none(), "{failure:?}");
    let sent = bodies(&server).await;
    let kinds: Vec<&Value> = sent.iter().map(|body| &body["tools"][0]["type"]).collect();
    assert_eq!(kinds, ["custom", "function"]);
    let is_patch = |chunk: &windlass_stream::Chunk| {
        serde_json::to_string(chunk).unwrap().contains(r#"{"payload":{"kind":"custom","input":"x"}}"#)
    };
    assert!(chunks.iter().any(is_patch), "{chunks:?}");
    let facts = client.capability_store().rejections(&client.provider(), "m");
    assert_eq!(facts[0].parameter, "tools.custom");
}
