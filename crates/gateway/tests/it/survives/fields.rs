//! The tables of fields, headers and statuses: every row is sent through a gateway, and its fate observed.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_gateway::{GatewayResponse, LossPolicy, MemoryStateStore, StateStore as _, common_header_rules};
use windlass_wire::{FieldFate, FieldRule, HeaderDirection, HeaderRule};

use crate::canned::{ANTHROPIC_WORD, CHAT_WORD, Canned, GEMINI_WORD, header, post, text};
use crate::formats::{Format, formats};

const RESPONSES_WORD: &str = r#"{"id":"resp_1","object":"response","created_at":1,"model":"up","status":"completed","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}"#;

const UPSTREAMS: [(&str, &str); 4] = [
    ("openai-chat", CHAT_WORD),
    ("openai-responses", RESPONSES_WORD),
    ("anthropic", ANTHROPIC_WORD),
    ("gemini", GEMINI_WORD),
];

/// The path and the smallest body of a format.
pub(super) fn smallest(format: &str) -> (&'static str, Value) {
    let messages = json!([{"role": "user", "content": "x"}]);
    match format {
        "openai-chat" => ("/v1/chat/completions", json!({"model": "m", "messages": messages})),
        "openai-responses" => ("/v1/responses", json!({"model": "m", "input": "x"})),
        "anthropic" => ("/v1/messages", json!({"model": "m", "max_tokens": 9, "messages": messages})),
        _ => ("/v1beta/models/m:generateContent", json!({"contents": [{"parts": [{"text": "x"}]}]})),
    }
}

/// Fields that the gateway implements itself if the other format lacks them.
const KEPT: [&str; 6] =
    ["stream_options", "stop", "stop_sequences", "stopSequences", "parallel_tool_calls", "store"];

/// Adds the parts of a request without which a field has no effect.
fn add_context(format: &Format, name: &str, body: &mut Value) {
    match name {
        "mediaResolution" => {
            let picture = json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}});
            body["contents"][0]["parts"].as_array_mut().unwrap().push(picture);
        }
        "tool_choice" | "parallel_tool_calls" | "functionCallingConfig" => {
            let tools = format.server.field_rules().iter().find(|rule| rule.field == "tools").unwrap();
            body["tools"] = serde_json::from_str(tools.sample).unwrap();
        }
        "responseSchema" | "responseJsonSchema" => {
            body["generationConfig"]["responseMimeType"] = "application/json".into();
        }
        _ => {}
    }
}

/// The address and the body that a provider receives for a request.
async fn arrival(format: &str, body: &Value, upstream: &str, word: &'static str) -> (String, Value) {
    let provider = Canned::new(200, "application/json", word);
    let answer = provider.gateway(upstream).answer(&post(smallest(format).0, body)).await;
    assert_eq!(answer.status, 200, "{format} to {upstream}: {body}");
    (provider.seen().last().unwrap().url.clone(), provider.body())
}

/// Sends a field to a provider, and returns its fate.
async fn fate(from: &Format, rule: &FieldRule, upstream: &str, word: &'static str) -> &'static str {
    let format = from.name();
    let (path, mut body) = smallest(format);
    let value: Value = serde_json::from_str(rule.sample).unwrap();
    let name = rule.field.rsplit('.').next().unwrap();
    add_context(from, name, &mut body);
    let without = body.clone();
    match rule.field.split_once('.') {
        Some((outer, inner)) => body[outer][inner] = value,
        None => body[rule.field] = value,
    }
    let provider = Canned::new(200, "application/json", word);
    let place = format!("{format} {} to {upstream}", rule.field);
    if upstream != format && rule.fate == FieldFate::Stored {
        let refused = provider.gateway(upstream).answer(&post(path, &body)).await;
        assert!(matches!(refused.status, 400 | 404) && provider.seen().is_empty(), "{place}");
        let stored = provider.gateway(upstream).with_state(store().await).answer(&post(path, &body)).await;
        assert_eq!((stored.status, header(&stored, "x-windlass-lost")), (200, None), "{place}");
        return "stored";
    }
    let request = post(path, &body);
    let answer = provider.gateway(upstream).answer(&request).await;
    if upstream == format {
        assert_eq!(answer.status, 200, "{place}");
        assert_eq!(provider.body(), body, "{place}");
        return "carried";
    }
    let is_named = |answer: &GatewayResponse| {
        header(answer, "x-windlass-lost").unwrap_or_default().split(", ").any(|lost| lost == name)
    };
    let lenient = provider.gateway(upstream).with_loss_policy(LossPolicy::Lenient);
    if answer.status == 400 {
        let error = text(answer).await;
        assert!(error.contains(name), "{place}: {error}");
        assert!(provider.seen().is_empty(), "{place}");
        let answer = lenient.answer(&request).await;
        match rule.fate {
            FieldFate::Refused => assert_eq!(answer.status, 400, "{place}"),
            _ => assert!(answer.status == 200 && is_named(&answer), "{place}"),
        }
        return "refused";
    }
    assert_eq!(answer.status, 200, "{place}");
    if !is_named(&answer) {
        assert!(rule.fate == FieldFate::Translated, "{place}");
        assert_eq!(header(&answer, "x-windlass-lost"), None, "{place}");
        let before = arrival(format, &without, upstream, word).await;
        if before != arrival(format, &body, upstream, word).await {
            return "translated";
        }
        assert!(KEPT.contains(&name), "{place}");
        return "gateway";
    }
    assert_eq!(rule.fate == FieldFate::LeftOut, !rule.reason.is_empty(), "{place}");
    let strict = provider.gateway(upstream).with_loss_policy(LossPolicy::Strict);
    let is_left_out = rule.fate == FieldFate::LeftOut && strict.answer(&request).await.status == 200;
    if is_left_out { "left out" } else { "dropped" }
}

/// A row of the table of fields.
struct Row {
    name: String,
    sample: &'static str,
    cells: Vec<&'static str>,
    reason: &'static str,
}

/// The fates of all fields, in the order of their rows.
async fn fates() -> Vec<Row> {
    let mut rows = Vec::new();
    for from in formats() {
        for rule in from.server.field_rules() {
            let mut cells = Vec::new();
            for (upstream, word) in UPSTREAMS {
                cells.push(fate(&from, rule, upstream, word).await);
            }
            rows.push(Row {
                name: format!("{} `{}`", super::short(&from), rule.field),
                sample: rule.sample,
                cells,
                reason: rule.reason,
            });
        }
    }
    rows
}

/// The paragraph with the numbers of the tables. `features` has those of the features.
pub(crate) async fn count(features: &str) -> String {
    let cells: Vec<&str> = fates().await.into_iter().flat_map(|row| row.cells).collect();
    let number = |fate: &str| cells.iter().filter(|cell| **cell == fate).count();
    let known = ["carried", "translated", "gateway", "stored", "refused", "left out"];
    let counts = known.map(|fate| format!("{} {fate}", number(fate)));
    let dropped = cells.iter().filter(|cell| !known.contains(*cell)).count();
    assert_eq!(dropped, 0, "fields against their rule: {cells:?}");
    format!(
        "Features below: {features}. Fields below: {}; dropped: {dropped} that change an answer.",
        counts.join(", ")
    )
}

/// A store with the state that the samples name.
async fn store() -> Arc<MemoryStateStore> {
    let store = MemoryStateStore::default();
    let response = r#"{"input":[],"response":{"output":[]}}"#;
    store.insert("", "resp_1", response.into()).await.unwrap();
    let conversation = r#"{"id":"conv_1","created":1,"metadata":{},"segments":[]}"#;
    store.insert("", "conv_1", conversation.into()).await.unwrap();
    Arc::new(store)
}

/// The tables as Markdown.
pub(crate) async fn tables() -> String {
    let mut out = String::from(
        "\n## Fields\n\nEach field is `carried` within its format. `translated`: the other provider \
         receives another request; `gateway`: it receives the same, and the gateway acts on the field; `refused`: the client receives an error of its format that \
         names it (a gateway with `LossPolicy::Lenient` leaves out the options that only change how an answer is drawn, and \
         names them); `left out`: it is named in `x-windlass-lost`, and the answer does not depend on it, for the reason in \
         the row; `stored`: the gateway's store acts on it, and without a store the client receives an error. Any other \
         field is carried within its format, and left out and named otherwise.\n\n\
         Values without an effect are left out without a name: defaults of the APIs, filters that are off, a resolution \
         without a picture, an edit of a conversation that is below its trigger. One call at a time is kept by the gateway \
         where the other format has no switch for it.\n\n\
         | Field | Value | Chat | Responses | Anthropic | Gemini | Reason |\n|---|---|---|---|---|---|---|\n",
    );
    for Row { name, sample, cells, reason } in fates().await {
        writeln!(out, "| {name} | `{sample}` | {} | {reason} |", cells.join(" | ")).unwrap();
    }
    out.push_str(
        "\n## Headers\n\nThese headers are carried within a format; `*` matches any end. Keys, cookies and headers that \
         select an account stay at the gateway. Between two formats the request id, `retry-after`, `retry-after-ms` and the \
         limits of requests and tokens are translated, and other headers are left out.\n\n| Header | Direction | Format |\n|---|---|---|\n",
    );
    let row = |out: &mut String, rule: &HeaderRule, format: &str| {
        let way = if rule.direction == HeaderDirection::Up { "to the provider" } else { "to the client" };
        writeln!(out, "| `{}` | {way} | {format} |", rule.name).unwrap();
    };
    for rule in common_header_rules() {
        row(&mut out, rule, "each");
    }
    for format in formats() {
        for rule in format.server.header_rules() {
            row(&mut out, rule, super::short(&format));
        }
    }
    out.push_str(
        "\n## Statuses\n\nThe status of a provider of another format, as the client of a format receives it. Within a format \
         every status is carried.\n\n| Provider | Chat | Responses | Anthropic | Gemini |\n|---|---|---|---|---|\n",
    );
    for status in [400, 401, 402, 403, 404, 413, 429, 500, 502, 503, 529] {
        write!(out, "| {status} |").unwrap();
        for (format, _) in UPSTREAMS {
            let upstream = if format == "openai-chat" { "anthropic" } else { "openai-chat" };
            let error = r#"{"type":"error","error":{"message":"no","type":"some_error"}}"#;
            let (path, body) = smallest(format);
            let gateway = Canned::new(status, "application/json", error).gateway(upstream);
            write!(out, " {} |", gateway.answer(&post(path, &body)).await.status).unwrap();
        }
        out.push('\n');
    }
    out
}
