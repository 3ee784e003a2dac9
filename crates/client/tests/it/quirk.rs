//! Each quirk by its fixture: the request without it, and with it.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::stream;
use serde_json::Value;
use windlass_client::{
    Client, ClientEvent, Quirk, Transport, TransportFuture, TransportRequest, TransportResponse, Vendors,
};
use windlass_protocol::{
    Grammar, Image, Message, ParallelCalls, Part, PromptCache, Request, RequestOptions, Role, Strictness,
    ToolChoice, ToolName, ToolSpec,
};

use crate::server::{END, ask};

/// Stores the last body, and returns nothing.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Transport for Kept {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        *self.0.lock().unwrap() = request.body.to_vec();
        let body = stream::iter([Ok(Bytes::from_static(END.as_bytes()))]);
        Box::pin(async { Ok(TransportResponse::new(200, Vec::new(), Box::pin(body))) })
    }
}

/// The body that is sent to a vendor of this table.
pub(crate) fn body(vendors: &Vendors, vendor: &str, request: &Request) -> String {
    let kept = Kept::default();
    let vendor = vendors.get(vendor).unwrap().clone();
    let client = Client::vendor(vendor).transport(kept.clone()).build().unwrap();
    body_of(&client, &kept, request)
}

fn body_of(client: &Client, kept: &Kept, request: &Request) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(ask(client, request));
    let body = kept.0.lock().unwrap().clone();
    String::from_utf8(body).unwrap()
}

#[derive(serde::Deserialize)]
struct Fixture {
    vendor: String,
    /// The wire format of the vendor `custom`.
    #[serde(default = "openai_chat")]
    wire: String,
    request: Request,
    plain: Value,
    said: Value,
}

fn openai_chat() -> String {
    "openai-chat".to_owned()
}

fn vendors(quirk: Quirk, key: &str, wire: &str) -> Vendors {
    let custom = format!("[vendor.custom]\nbase-url = \"http://localhost:1/v1\"\nwire = \"{wire}\"\n");
    let name = quirk.name();
    let mut vendors = Vendors::builtin();
    let names =
        ["custom", "openai-chat", "openai-responses", "mistral", "ollama", "lmstudio", "xai", "cerebras"];
    for vendor in names {
        let begin = if vendor == "custom" { &custom } else { &format!("[vendor.{vendor}]\n") };
        vendors = vendors.with_file(&format!("{begin}{key} = [\"{name}\"]")).unwrap();
    }
    vendors
}

/// Returns the options that a client of the vendor reports as not sent.
fn losses(vendors: &Vendors, vendor: &str, request: &Request) -> Vec<String> {
    let (kept, losses) = (Kept::default(), Arc::new(Mutex::new(Vec::new())));
    let seen = losses.clone();
    let client = Client::vendor(vendors.get(vendor).unwrap().clone())
        .transport(kept.clone())
        .on_event(move |event| {
            if let ClientEvent::OptionLoss { fields, .. } = event {
                seen.lock().unwrap().extend(fields.iter().cloned());
            }
        })
        .build()
        .unwrap();
    body_of(&client, &kept, request);
    losses.lock().unwrap().clone()
}

#[test]
fn an_option_that_the_model_is_known_to_refuse_is_reported_by_its_name() {
    let schema = r#"{"type":"object","properties":{},"additionalProperties":false}"#.parse().unwrap();
    let function =
        ToolSpec::function(ToolName::new("look").unwrap(), "Looks.", schema).with_strict(Strictness::On);
    let options = RequestOptions::default()
        .with_temperature(0.5)
        .with_stop_sequences(["END"])
        .with_parallel_calls(ParallelCalls::Forbid)
        .with_tool_choice(ToolChoice::Required);
    let request = |model: &str| {
        let request = Request::new(model, vec![Message::user("hi")]).with_tools(vec![function.clone()]);
        request.with_options(options.clone())
    };
    let none: [&str; 0] = [];
    let builtin = Vendors::builtin();
    assert_eq!(losses(&builtin, "openai-chat", &request("gpt-5.1")), ["temperature"]);
    assert_eq!(losses(&builtin, "openai-chat", &request("o3")), ["parallel_tool_calls", "temperature"]);
    assert_eq!(losses(&builtin, "openai-chat", &request("gpt-4.1")), none);
    assert_eq!(losses(&builtin, "xai", &request("grok-4")), ["stop"]);
    assert_eq!(losses(&builtin, "ollama", &request("any")), ["tool_choice"]);
    // The format's own `stream_options` is not an option of the caller.
    let plain = Request::new("any", vec![Message::user("hi")]);
    assert_eq!(losses(&builtin, "mistral", &plain), none);

    let lenient = vendors(Quirk::NoStrict, "quirks", "openai-chat");
    let strict = plain.clone().with_tools(vec![function.clone()]);
    assert_eq!(losses(&lenient, "custom", &strict), ["strict"]);
    let free = plain.clone().with_tools(vec![function.clone().with_strict(Strictness::Off)]);
    assert_eq!(losses(&lenient, "custom", &free), none);
    let grammar = Some(Grammar::Regex("a+".to_owned()));
    let patch = ToolSpec::Freeform { name: function.name().clone(), description: String::new(), grammar };
    assert_eq!(losses(&builtin, "cerebras", &plain.with_tools(vec![patch])), ["grammar"]);
}

#[test]
fn each_quirk_has_a_fixture_that_shows_what_it_changes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/quirks");
    for quirk in Quirk::ALL {
        let name = quirk.name();
        let text = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let fixture: Fixture = serde_json::from_str(&text).unwrap();
        let sent = |vendors: &Vendors| -> Value {
            serde_json::from_str(&body(vendors, &fixture.vendor, &fixture.request)).unwrap()
        };
        assert_ne!(fixture.plain, fixture.said, "{name}");
        assert_eq!(sent(&vendors(*quirk, "without-quirks", &fixture.wire)), fixture.plain, "{name}");
        assert_eq!(sent(&vendors(*quirk, "quirks", &fixture.wire)), fixture.said, "{name}");
        // A vendor's own row has the quirk too. The vendor `custom`, a user's own server, has no row.
        if fixture.vendor != "custom" {
            assert_eq!(sent(&Vendors::builtin()), fixture.said, "{name}");
        }
        assert_eq!(serde_json::to_value(quirk).unwrap(), name);
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), Quirk::ALL.len());
}

// P1
#[test]
fn short_ids_differ_where_the_long_ones_do_and_good_ones_stay() {
    let conversation = |ids: &[String]| {
        let call = |id: &String| {
            serde_json::json!({"type": "call", "id": id, "name": "look",
            "payload": {"kind": "function", "arguments": "{}"}})
        };
        let calls: Vec<Part> = ids.iter().map(|id| serde_json::from_value(call(id)).unwrap()).collect();
        let result =
            |id: &String| serde_json::json!({"type": "result", "call": id, "status": "ok", "content": []});
        let results: Vec<Part> = ids.iter().map(|id| serde_json::from_value(result(id)).unwrap()).collect();
        let message = |role: &str, parts: Vec<Part>| -> Message {
            serde_json::from_value(serde_json::json!({"role": role, "parts": parts})).unwrap()
        };
        let messages = vec![Message::user("hi"), message("assistant", calls), message("tool", results)];
        Request::new("mistral-large-latest", messages)
    };
    let ids: Vec<String> = (0..200).map(|n| format!("call_{n}")).chain(["aB3xK9mP2".to_owned()]).collect();
    let sent = body(&Vendors::builtin(), "mistral", &conversation(&ids));
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let calls = sent["messages"][1]["tool_calls"].as_array().unwrap();
    let short: Vec<&str> = calls.iter().map(|call| call["id"].as_str().unwrap()).collect();
    let answered: Vec<&str> = sent["messages"].as_array().unwrap()[2..]
        .iter()
        .map(|result| result["tool_call_id"].as_str().unwrap())
        .collect();
    assert_eq!(short, answered);
    assert_eq!(short.last(), Some(&"aB3xK9mP2"));
    assert!(short.iter().all(|id| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())));
    let distinct: std::collections::BTreeSet<&&str> = short.iter().collect();
    assert_eq!(distinct.len(), ids.len());
}

// N6
#[test]
fn a_longer_conversation_begins_with_the_bytes_of_the_shorter() {
    for vendor in ["mistral", "groq", "xai", "lmstudio"] {
        let short = Request::new("qwen3", vec![Message::user("one")]);
        let long = Request::new("qwen3", vec![Message::user("one"), Message::user("two")]);
        let vendors = Vendors::builtin();
        let (short, long) = (body(&vendors, vendor, &short), body(&vendors, vendor, &long));
        assert!(long.starts_with(short.strip_suffix("]}").unwrap()), "{vendor}: {short} {long}");
    }
}

// P2. A field that DeepSeek demands inside of a round of calls is ignored elsewhere; the wire format needs no
// quirk for that.
#[test]
fn deepseek_reasoning_is_returned_only_with_calls() {
    let request: Request = serde_json::from_value(serde_json::json!({"model": "deepseek-reasoner", "messages": [
        {"role": "user", "parts": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "parts": [
            {"type": "reasoning", "text": "one", "opaque": {"wire": "openai-chat", "value": {"field": "reasoning_content"}}},
            {"type": "call", "id": "c1", "name": "look", "payload": {"kind": "function", "arguments": "{}"}}]},
        {"role": "tool", "parts": [{"type": "result", "call": "c1", "status": "ok", "content": []}]},
        {"role": "assistant", "parts": [
            {"type": "reasoning", "text": "two", "opaque": {"wire": "openai-chat", "value": {"field": "reasoning_content"}}},
            {"type": "text", "text": "done"}]},
        {"role": "user", "parts": [{"type": "text", "text": "thanks"}]},
    ]}))
    .unwrap();
    let sent: Value = serde_json::from_str(&body(&Vendors::builtin(), "deepseek", &request)).unwrap();
    assert_eq!(sent["messages"][1]["reasoning_content"], "one");
    assert_eq!(sent["messages"][3].get("reasoning_content"), None);
}

// Only OpenAI accepts the role `developer`, and all vendors accept `system`:
// https://github.com/earendil-works/pi/issues/1048.
#[test]
fn every_chat_vendor_gets_the_system_role() {
    let vendors = Vendors::builtin()
        .with_file("[vendor.azure-openai]\nbase-url = \"http://localhost:1/openai/v1\"")
        .unwrap();
    let request = Request::new("any", vec![Message::user("hi")]).with_system("Be brief.");
    for vendor in vendors.iter().filter(|vendor| vendor.endpoint.wire == "openai-chat") {
        let sent: Value = serde_json::from_str(&body(&vendors, vendor.name(), &request)).unwrap();
        assert_eq!(sent["messages"][0]["role"], "system", "{}", vendor.name());
    }
}

// The endpoint of the documentation's example, `Client::new(Endpoint::find(..), ..)`, is that of a vendor.
#[test]
fn a_vendor_endpoint_applies_its_quirks_to_any_wire() {
    let wires: [(&str, &str, Arc<dyn windlass_wire::Wire>); 4] = [
        ("openai-chat", "gpt-5-mini", Arc::new(windlass_wire_openai_chat::OpenAiChat::default())),
        ("mistral", "mistral-large-latest", Arc::new(windlass_wire_openai_chat::OpenAiChat::default())),
        ("openai-responses", "gpt-4o", Arc::new(windlass_wire_openai_responses::OpenAiResponses::default())),
        ("cerebras", "gpt-oss-120b", Arc::new(windlass_wire_openai_chat::OpenAiChat::default())),
    ];
    for (name, model, wire) in wires {
        let mut request = Request::new(model, vec![Message::user("hi")]).with_max_output_tokens(9);
        request.options.temperature = Some(0.5);
        request.options.stop_sequences =
            if name == "openai-responses" { Vec::new() } else { vec!["x".into()] };
        let kept = Kept::default();
        let endpoint = windlass_client::Endpoint::find(name).unwrap();
        let client = Client::builder(endpoint, wire).transport(kept.clone()).build().unwrap();
        let sent: Value = serde_json::from_str(&body_of(&client, &kept, &request)).unwrap();
        let by_vendor: Value = serde_json::from_str(&body(&Vendors::builtin(), name, &request)).unwrap();
        assert_eq!(sent, by_vendor, "{name}");
    }
}

// command-line B4: a gateway that serves a model with free-text tools in the format of another provider.
#[test]
fn a_format_without_free_text_tools_gets_functions() {
    let tool = serde_json::json!({"freeform": {"name": "patch", "description": "Changes files."}});
    let call = serde_json::json!({"role": "assistant", "parts": [{"type": "call", "id": "c1", "name": "patch",
        "payload": {"kind": "custom", "input": "*** Begin"}}]});
    let result = serde_json::json!({"role": "tool", "parts": [
        {"type": "result", "call": "c1", "status": "ok", "content": [{"type": "text", "text": "done"}]}]});
    for (vendor, model, arguments) in [
        ("anthropic", "gpt-5-mini", r#""input":{"input":"*** Begin"}"#),
        ("gemini", "gpt-5-mini", r#""args":{"input":"*** Begin"}"#),
    ] {
        let messages = vec![
            Message::user("hi"),
            serde_json::from_value(call.clone()).unwrap(),
            serde_json::from_value(result.clone()).unwrap(),
        ];
        let tools = vec![serde_json::from_value(tool.clone()).unwrap()];
        let sent = body(&Vendors::builtin(), vendor, &Request::new(model, messages).with_tools(tools));
        assert!(sent.contains(r#""name":"patch""#) && sent.contains(arguments), "{vendor}: {sent}");
    }
}

// A key that changes in the middle of a conversation sends the next request to a server without its cache.
#[test]
fn a_conversation_keeps_its_cache_key() {
    let sent = |vendor: &str, request: &Request| -> Value {
        serde_json::from_str(&body(&Vendors::builtin(), vendor, request)).unwrap()
    };
    let key = |request: &Request| sent("openai", request)["prompt_cache_key"].as_str().unwrap().to_owned();
    let first = Request::new("gpt-5.1", vec![Message::user("Mend the test.")]);
    let mut later = first.clone().with_system("Now in another mode.");
    later.messages.push(Message::assistant(vec![Part::text("Done.")]));
    later.messages.push(Message::user("Thank you."));
    assert_eq!(key(&first), key(&later));
    assert_eq!(key(&first).len(), 24);
    assert_ne!(key(&first), key(&Request::new("gpt-5.1", vec![Message::user("Mend the tests.")])));
    let long = |end: &str| Request::new("gpt-5.1", vec![Message::user("é".repeat(1_000) + end)]);
    assert_eq!(key(&long("a")), key(&long("b")), "only the beginning counts");
    for vendor in ["openai-chat", "openai-responses"] {
        assert_eq!(sent(vendor, &first)["prompt_cache_key"], key(&first), "{vendor}");
    }
    for vendor in ["anthropic", "gemini", "groq", "openrouter", "ollama"] {
        assert_eq!(sent(vendor, &first).get("prompt_cache_key"), None, "{vendor}");
    }
    let mut own = first.clone();
    own.options = RequestOptions::default().with_extra("prompt_cache_key", "mine");
    assert_eq!(key(&own), "mine");
    own.options = RequestOptions::default().with_prompt_cache(PromptCache::Off);
    assert_eq!(sent("openai", &own).get("prompt_cache_key"), None);
    let picture = Part::Image(Image::url("image/png", "https://x.example/a.png"));
    let without_text = Request::new("gpt-5.1", vec![Message::new(Role::User, vec![picture])]);
    assert_eq!(sent("openai", &without_text).get("prompt_cache_key"), None);
}
