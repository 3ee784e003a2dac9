//! The endpoints of the four public APIs at the gateway.
//!
//! The table in `ENDPOINTS.md` is written by this test: `UPDATE_EXPECT=1 cargo test -p windlass-gateway endpoints`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::expect_file;
use serde_json::{Value, json};
use windlass_gateway::{ClientKeys, ClientLimits, Front, MemoryStateStore, RequestLine, RequestLog};

use crate::canned::{ANTHROPIC_WORD, CHAT_WORD, Canned, GEMINI_WORD};
use crate::front::{Answer, send, start};

/// A whole answer of the Responses API with one word.
pub(crate) const RESPONSES_WORD: &str = r#"{"id":"resp_up","object":"response","created_at":1,"status":"completed","model":"up","output":[{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}"#;

/// A compaction, as OpenAI documents it.
const COMPACTION: &str = r#"{"id":"resp_up","object":"response.compaction","created_at":1,"output":[{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]},{"type":"compaction","id":"cmp_1","encrypted_content":"gAAA"}],"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":0},"output_tokens":11,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":41}}"#;

/// An API with its format, a second format, and its endpoints: a method, a path, and a body for those that take JSON.
struct Api {
    name: &'static str,
    own: (&'static str, &'static str),
    other: (&'static str, &'static str),
    headers: &'static str,
    endpoints: &'static [(&'static str, &'static str, &'static str)],
}

const CHAT: (&str, &str) = ("openai-chat", CHAT_WORD);
const ASK: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":9}"#;
const RESPOND: &str = r#"{"model":"m","input":"hi"}"#;
const CONTENTS: &str = r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#;
const MODEL: &str = r#"{"model":"m"}"#;

const APIS: [Api; 4] = [
    Api {
        name: "OpenAI: Chat Completions",
        own: CHAT,
        other: ("anthropic", ANTHROPIC_WORD),
        headers: "",
        endpoints: &[
            ("POST", "/v1/chat/completions", ASK),
            ("GET", "/v1/chat/completions", ""),
            ("GET", "/v1/chat/completions/ID", ""),
            ("POST", "/v1/chat/completions/ID", "{}"),
            ("DELETE", "/v1/chat/completions/ID", ""),
            ("GET", "/v1/chat/completions/ID/messages", ""),
            ("GET", "/v1/models", ""),
            ("GET", "/v1/models/m", ""),
            ("DELETE", "/v1/models/m", ""),
            ("POST", "/v1/embeddings", r#"{"model":"m","input":"hi"}"#),
            ("POST", "/v1/completions", r#"{"model":"m","prompt":"hi"}"#),
            ("POST", "/v1/moderations", r#"{"model":"m","input":"hi"}"#),
            ("POST", "/v1/images/generations", MODEL),
            ("POST", "/v1/images/edits", MODEL),
            ("POST", "/v1/images/variations", MODEL),
            ("POST", "/v1/audio/speech", MODEL),
            ("POST", "/v1/audio/transcriptions", MODEL),
            ("POST", "/v1/audio/translations", MODEL),
            ("POST", "/v1/videos", MODEL),
            ("GET", "/v1/videos/ID", ""),
            ("POST", "/v1/files", "{}"),
            ("GET", "/v1/files", ""),
            ("GET", "/v1/files/ID", ""),
            ("DELETE", "/v1/files/ID", ""),
            ("GET", "/v1/files/ID/content", ""),
            ("POST", "/v1/uploads", "{}"),
            ("POST", "/v1/uploads/ID/parts", "{}"),
            ("POST", "/v1/uploads/ID/complete", "{}"),
            ("POST", "/v1/batches", "{}"),
            ("GET", "/v1/batches", ""),
            ("GET", "/v1/batches/ID", ""),
            ("POST", "/v1/batches/ID/cancel", ""),
            ("POST", "/v1/fine_tuning/jobs", MODEL),
            ("GET", "/v1/fine_tuning/jobs", ""),
            ("POST", "/v1/vector_stores", "{}"),
            ("GET", "/v1/vector_stores", ""),
            ("POST", "/v1/vector_stores/ID/search", "{}"),
            ("POST", "/v1/containers", "{}"),
            ("GET", "/v1/containers/ID/files", ""),
            ("POST", "/v1/assistants", MODEL),
            ("POST", "/v1/threads", "{}"),
            ("POST", "/v1/threads/ID/messages", "{}"),
            ("POST", "/v1/threads/ID/runs", MODEL),
            ("POST", "/v1/realtime/client_secrets", "{}"),
            ("POST", "/v1/realtime/calls", "{}"),
            ("POST", "/v1/evals", "{}"),
            ("GET", "/v1/evals/ID/runs", ""),
            ("POST", "/v1/skills", "{}"),
            ("GET", "/v1/organization/usage/completions", ""),
        ],
    },
    Api {
        name: "OpenAI: Responses",
        own: ("openai-responses", RESPONSES_WORD),
        other: CHAT,
        headers: "",
        endpoints: &[
            ("POST", "/v1/responses", RESPOND),
            ("GET", "/v1/responses", ""),
            ("GET", "/v1/responses/RESPONSE", ""),
            ("GET", "/v1/responses/RESPONSE/input_items", ""),
            ("POST", "/v1/responses/RESPONSE/cancel", ""),
            ("DELETE", "/v1/responses/RESPONSE", ""),
            ("GET", "/v1/responses/ID", ""),
            ("POST", "/v1/responses/input_tokens", RESPOND),
            ("POST", "/v1/responses/compact", RESPOND),
            ("POST", "/v1/conversations", "{}"),
            ("GET", "/v1/conversations/CONVERSATION", ""),
            ("POST", "/v1/conversations/CONVERSATION", r#"{"metadata":{"a":"b"}}"#),
            ("POST", "/v1/conversations/CONVERSATION/items", r#"{"items":[{"role":"user","content":"hi"}]}"#),
            ("GET", "/v1/conversations/CONVERSATION/items", ""),
            ("GET", "/v1/conversations/CONVERSATION/items/ID", ""),
            ("DELETE", "/v1/conversations/CONVERSATION/items/ID", ""),
            ("DELETE", "/v1/conversations/CONVERSATION", ""),
        ],
    },
    Api {
        name: "Anthropic",
        own: ("anthropic", ANTHROPIC_WORD),
        other: CHAT,
        headers: "anthropic-version: 2026-10-21\r\n",
        endpoints: &[
            ("POST", "/v1/messages", ASK),
            ("GET", "/v1/messages", ""),
            ("POST", "/v1/messages/count_tokens", ASK),
            ("POST", "/v1/messages/batches", r#"{"requests":[]}"#),
            ("GET", "/v1/messages/batches", ""),
            ("GET", "/v1/messages/batches/ID", ""),
            ("GET", "/v1/messages/batches/ID/results", ""),
            ("POST", "/v1/messages/batches/ID/cancel", ""),
            ("DELETE", "/v1/messages/batches/ID", ""),
            ("GET", "/v1/models", ""),
            ("GET", "/v1/models/m", ""),
            ("POST", "/v1/files", "{}"),
            ("GET", "/v1/files", ""),
            ("GET", "/v1/files/ID", ""),
            ("GET", "/v1/files/ID/content", ""),
            ("DELETE", "/v1/files/ID", ""),
            ("POST", "/v1/skills", "{}"),
            ("GET", "/v1/skills", ""),
            ("POST", "/v1/complete", r#"{"model":"m","prompt":"hi"}"#),
            ("POST", "/v1/experimental/generate_prompt", "{}"),
            ("GET", "/v1/organizations/usage_report/messages", ""),
        ],
    },
    Api {
        name: "Gemini",
        own: ("gemini", GEMINI_WORD),
        other: CHAT,
        headers: "",
        endpoints: &[
            ("POST", "/v1beta/models/m:generateContent", CONTENTS),
            ("POST", "/v1beta/models/m:streamGenerateContent", CONTENTS),
            ("POST", "/v1beta/models/m:countTokens", CONTENTS),
            ("POST", "/v1beta/models/m:embedContent", r#"{"content":{"parts":[{"text":"hi"}]}}"#),
            ("POST", "/v1beta/models/m:batchEmbedContents", r#"{"requests":[]}"#),
            ("POST", "/v1beta/models/m:batchGenerateContent", "{}"),
            ("POST", "/v1beta/models/m:asyncBatchEmbedContent", "{}"),
            ("POST", "/v1beta/models/m:predict", "{}"),
            ("POST", "/v1beta/models/m:predictLongRunning", "{}"),
            ("GET", "/v1beta/models", ""),
            ("GET", "/v1beta/models/m", ""),
            ("POST", "/v1beta/interactions", "{}"),
            ("GET", "/v1beta/interactions/ID", ""),
            ("POST", "/v1beta/cachedContents", "{}"),
            ("GET", "/v1beta/cachedContents", ""),
            ("GET", "/v1beta/cachedContents/ID", ""),
            ("PATCH", "/v1beta/cachedContents/ID", "{}"),
            ("DELETE", "/v1beta/cachedContents/ID", ""),
            ("POST", "/upload/v1beta/files", "{}"),
            ("GET", "/v1beta/files", ""),
            ("GET", "/v1beta/files/ID", ""),
            ("DELETE", "/v1beta/files/ID", ""),
            ("GET", "/v1beta/batches/ID", ""),
            ("POST", "/v1beta/batches/ID:cancel", ""),
            ("POST", "/v1beta/fileSearchStores", "{}"),
            ("POST", "/v1beta/fileSearchStores/ID:importFile", "{}"),
            ("GET", "/v1beta/fileSearchStores", ""),
            ("POST", "/v1beta/tunedModels", "{}"),
            ("POST", "/v1beta/tunedModels/ID:generateContent", CONTENTS),
            ("POST", "/v1alpha/auth_tokens", "{}"),
            ("GET", "/v1beta/operations/ID", ""),
        ],
    },
];

/// Checks that an error has the form of the API, and returns its kind.
fn error_kind(api: &Api, answer: &Answer) -> String {
    let body = answer.json();
    let error = &body["error"];
    assert!(error["message"].as_str().is_some_and(|words| !words.is_empty()), "{}", answer.body);
    let kind = match api.own.0 {
        "anthropic" => {
            assert_eq!(body["type"], "error", "{}", answer.body);
            &error["type"]
        }
        "gemini" => {
            assert_eq!(error["code"], answer.status, "{}", answer.body);
            &error["status"]
        }
        _ => {
            let fields = error.as_object().unwrap();
            assert!(fields.contains_key("param") && fields.contains_key("code"), "{}", answer.body);
            &error["type"]
        }
    };
    kind.as_str().unwrap().to_owned()
}

/// A server with a store that forwards to one upstream of a format.
struct Stand {
    provider: Canned,
    port: u16,
    /// The ids that replace the placeholders of a path.
    ids: [(&'static str, String); 2],
}

impl Stand {
    async fn new(api: &Api, (wire, word): (&str, &'static str)) -> Self {
        let provider = Canned::new(200, "application/json", word);
        let front = Front::new(provider.gateway(wire))
            .with_model(windlass_gateway::CatalogModel::new("m", "up"))
            .with_state(Arc::new(MemoryStateStore::default()));
        let port = start(front).await;
        let id = |answer: &Answer| answer.json()["id"].as_str().unwrap_or("none").to_owned();
        let mut ids = [("RESPONSE", "none".to_owned()), ("CONVERSATION", "none".to_owned())];
        if api.own.0 == "openai-responses" {
            ids[0].1 = id(&send(port, "POST", "/v1/responses", "", RESPOND).await);
            ids[1].1 = id(&send(port, "POST", "/v1/conversations", "", "{}").await);
        }
        provider.take_seen();
        Self { provider, port, ids }
    }

    /// Sends a request, and returns the fate.
    async fn fate(&self, api: &Api, (method, path, body): (&str, &str, &str)) -> String {
        let path = self.ids.iter().fold(path.to_owned(), |path, (word, id)| path.replace(word, id));
        let answer = send(self.port, method, &path, api.headers, body).await;
        let seen = self.provider.take_seen().pop();
        match (answer.status, seen) {
            (200, Some(sent)) if sent.body == body => "forwarded".to_owned(),
            (200, Some(_)) => "translated".to_owned(),
            (200, None) => "served".to_owned(),
            (status, seen) => {
                assert!(status >= 400 && seen.is_none(), "{method} {path}: {status}");
                format!("refused: {status} `{}`", error_kind(api, &answer))
            }
        }
    }
}

#[tokio::test]
async fn the_table_of_endpoints_is_true() {
    let mut text = String::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for api in &APIS {
        let (own, other) = (Stand::new(api, api.own).await, Stand::new(api, api.other).await);
        write!(
            text,
            "\n## {}\n\n| endpoint | upstream of the format | another upstream |\n|---|---|---|",
            api.name
        )
        .unwrap();
        for endpoint in api.endpoints {
            let fates = [own.fate(api, *endpoint).await, other.fate(api, *endpoint).await];
            write!(text, "\n| `{} {}` | {} | {} |", endpoint.0, endpoint.1, fates[0], fates[1]).unwrap();
            for fate in fates {
                let word = fate.split(':').next().unwrap_or_default().to_owned();
                *counts.entry(word).or_default() += 1;
            }
        }
        text.push('\n');
    }
    let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    let text = format!(
        "# Endpoints of the public APIs\n\n\
         The fate of each endpoint at a server with a store for responses. Generated by a test that sends each request \
         to an upstream of the API's own format and to one of another format. `forwarded`: the upstream receives the \
         body byte for byte; `translated`: it receives the request in its own format; `served`: the gateway answers; \
         `refused`: the status and the kind of the error, in the form of the API. A path that is not listed is refused \
         like these, with status 404.\n\n{}.\n{text}",
        counts.join(", ")
    );
    expect_file!["../../ENDPOINTS.md"].assert_eq(&text);
}

#[derive(Clone, Default)]
struct Lines(Arc<std::sync::Mutex<Vec<RequestLine>>>);

impl RequestLog for Lines {
    fn log(&self, line: &RequestLine) {
        self.0.lock().unwrap().push(line.clone());
    }
}

#[tokio::test]
async fn a_compaction_is_forwarded_with_the_rights_and_the_budget_of_its_client() {
    let provider = Canned::new(200, "application/json", COMPACTION).with_header("x-request-id", "req_up");
    let mut keys = ClientKeys::default();
    let key = keys.create("ann", ["fast"]).unwrap();
    let limits = ClientLimits { tokens_per_day: Some(200), ..ClientLimits::default() };
    assert!(keys.set_limits("ann", limits));
    let lines = Lines::default();
    let gateway = provider.gateway("openai-responses");
    let front = Front::new(gateway).with_client_keys(keys).with_log(Arc::new(lines.clone()));
    let port = start(front.clone()).await;
    let header = format!("authorization: Bearer {key}\r\n");
    let body = |model: &str| json!({"model": model, "input": "one", "max_output_tokens": 100}).to_string();
    let answer = send(port, "POST", "/v1/responses/compact?a=b", &header, &body("fast")).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, COMPACTION));
    assert!(answer.head.contains("x-request-id: req_up"), "{}", answer.head);
    let sent = provider.take_seen().pop().unwrap();
    assert!(sent.url.ends_with("/v1/responses/compact?a=b"), "{}", sent.url);
    assert_eq!(sent.body, body("fast"));
    // Another model, a body without one, and a request without a key.
    for (header, body, status) in
        [(header.as_str(), body("slow"), 404), (&header, "{}".to_owned(), 404), ("", body("fast"), 401)]
    {
        assert_eq!(send(port, "POST", "/v1/responses/compact", header, &body).await.status, status, "{body}");
    }
    assert_eq!(front.usage()[0].day_tokens, 41);
    let line = lines.0.lock().unwrap()[0].clone();
    assert_eq!((line.input_tokens, line.output_tokens, line.is_complete), (Some(30), Some(11), true));
    let long = json!({"model": "fast", "input": "one", "max_output_tokens": 190}).to_string();
    assert_eq!(send(port, "POST", "/v1/responses/compact", &header, &long).await.status, 429);
    assert!(provider.seen().is_empty());
}

#[tokio::test]
async fn a_compaction_and_its_items_are_refused_for_an_upstream_of_another_format() {
    for (wire, word) in [CHAT, ("anthropic", ANTHROPIC_WORD), ("gemini", GEMINI_WORD)] {
        let provider = Canned::new(200, "application/json", word);
        let port = start(provider.gateway(wire).into()).await;
        let answer = send(port, "POST", "/v1/responses/compact", "", RESPOND).await;
        assert_eq!((answer.status, &answer.json()["error"]["type"]), (404, &json!("invalid_request_error")));
        let item = json!({"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"});
        for item in [item, json!({"type": "compaction_trigger"})] {
            let body = json!({"model": "m", "input": [{"role": "user", "content": "hi"}, item]});
            let answer = send(port, "POST", "/v1/responses", "", &body.to_string()).await;
            assert_eq!(
                (answer.status, &answer.json()["error"]["param"]),
                (400, &json!("input")),
                "{wire} {body}"
            );
        }
        assert!(provider.seen().is_empty(), "{wire}");
    }
}

#[tokio::test]
async fn errors_of_the_server_itself_have_the_form_of_the_api() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let port = start(provider.gateway("openai-chat").into()).await;
    for api in &APIS {
        let (_, path, body) = api.endpoints[0];
        for (header, status) in [
            ("content-encoding: rot13\r\n", 415),
            ("content-encoding: gzip\r\n", 400),
            ("origin: https://evil.example\r\n", 403),
        ] {
            let headers = format!("{}{header}", api.headers);
            let answer = send(port, "POST", path, &headers, body).await;
            assert_eq!(answer.status, status, "{path}: {}", answer.body);
            error_kind(api, &answer);
        }
    }
    let value: Value = send(port, "PATCH", "/v1/messages", "", "").await.json();
    assert_eq!(value["type"], "error");
}
