//! The tables of events, stop reasons and errors: each one comes from a provider, and clients of the other formats read it.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_stream::Chunk;

use super::fields::smallest;
use crate::canned::{Canned, bytes, json as body, post};
use crate::formats::{Format, formats};

/// An event of a stream, or a part of one.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "event")]
    name: String,
    /// The frames with the event, inside of a stream of its format.
    #[serde(default)]
    frames: Vec<Value>,
    /// True if it is part of each stream.
    #[serde(default, rename = "frame")]
    is_frame: bool,
    /// The reason why the event can be left out.
    #[serde(default)]
    reason: String,
}

/// The frames of a format's stream with one word: its start, its end, and the event after which it ends.
struct Base {
    start: Vec<Value>,
    end: Vec<Value>,
    last: &'static str,
}

/// The events of a format, and its stop reasons.
struct Vocabulary {
    events: &'static str,
    base: fn(&str) -> Base,
    stops: &'static [&'static str],
    errors: &'static [(u16, &'static str)],
}

fn vocabulary(format: &str) -> Vocabulary {
    match format {
        "openai-chat" => Vocabulary {
            events: include_str!("../../data/events/openai-chat.jsonl"),
            base: chat,
            stops: &["stop", "length", "tool_calls", "content_filter", "function_call", "new"],
            errors: OPENAI_ERRORS,
        },
        "openai-responses" => Vocabulary {
            events: include_str!("../../data/events/openai-responses.jsonl"),
            base: responses,
            stops: &["completed", "max_output_tokens", "content_filter", "new"],
            errors: OPENAI_ERRORS,
        },
        "anthropic" => Vocabulary {
            events: include_str!("../../data/events/anthropic.jsonl"),
            base: anthropic,
            stops: &[
                "end_turn",
                "max_tokens",
                "stop_sequence",
                "tool_use",
                "pause_turn",
                "refusal",
                "compaction",
                "model_context_window_exceeded",
                "new",
            ],
            errors: &[
                (400, "invalid_request_error"),
                (401, "authentication_error"),
                (402, "billing_error"),
                (403, "permission_error"),
                (404, "not_found_error"),
                (413, "request_too_large"),
                (429, "rate_limit_error"),
                (500, "api_error"),
                (504, "timeout_error"),
                (529, "overloaded_error"),
            ],
        },
        _ => Vocabulary {
            events: include_str!("../../data/events/gemini.jsonl"),
            base: gemini,
            stops: GEMINI_STOPS,
            errors: &[
                (400, "INVALID_ARGUMENT"),
                (400, "FAILED_PRECONDITION"),
                (401, "UNAUTHENTICATED"),
                (403, "PERMISSION_DENIED"),
                (404, "NOT_FOUND"),
                (429, "RESOURCE_EXHAUSTED"),
                (499, "CANCELLED"),
                (500, "INTERNAL"),
                (503, "UNAVAILABLE"),
                (504, "DEADLINE_EXCEEDED"),
            ],
        },
    }
}

const OPENAI_ERRORS: &[(u16, &str)] = &[
    (400, "invalid_request_error"),
    (401, "authentication_error"),
    (403, "permission_error"),
    (404, "not_found_error"),
    (409, "conflict_error"),
    (422, "invalid_request_error"),
    (429, "rate_limit_error"),
    (429, "insufficient_quota"),
    (500, "server_error"),
    (503, "service_unavailable_error"),
];

const GEMINI_STOPS: &[&str] = &[
    "STOP",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "OTHER",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_OTHER",
    "NO_IMAGE",
    "IMAGE_RECITATION",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
    "ESCALATION",
    "PUP_LIMITED_DISABLED",
    "CONTINUATION",
    "MODEL_ARMOR",
    "NEW",
];

fn chat(stop: &str) -> Base {
    let frame = |choices: Value| json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "up", "choices": choices});
    let delta =
        |delta: Value, stop: Value| frame(json!([{"index": 0, "delta": delta, "finish_reason": stop}]));
    let mut usage = frame(json!([]));
    usage["usage"] = json!({"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4});
    Base {
        start: vec![
            delta(json!({"role": "assistant"}), Value::Null),
            delta(json!({"content": "hi"}), Value::Null),
        ],
        end: vec![delta(json!({}), stop.into()), usage],
        last: "data: [DONE]\n\n",
    }
}

fn responses(stop: &str) -> Base {
    let response = |status: &str| json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "up", "status": status, "output": []});
    let item = |status: &str, content: Value| json!({"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": content});
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let in_part = |kind: &str, field: &str, value: Value| json!({"type": kind, "item_id": "msg_1", "output_index": 0, "content_index": 0, (field): value});
    let (mut last, kind) = match stop {
        "completed" => (response("completed"), "response.completed"),
        _ => (response("incomplete"), "response.incomplete"),
    };
    if kind == "response.incomplete" {
        last["incomplete_details"] = json!({ "reason": stop });
    }
    last["output"] = json!([item("completed", json!([part("hi")]))]);
    last["usage"] = json!({"input_tokens": 3, "output_tokens": 1, "total_tokens": 4});
    Base {
        start: vec![
            json!({"type": "response.created", "response": response("in_progress")}),
            json!({"type": "response.in_progress", "response": response("in_progress")}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": item("in_progress", json!([]))}),
            in_part("response.content_part.added", "part", part("")),
            in_part("response.output_text.delta", "delta", "hi".into()),
            in_part("response.output_text.done", "text", "hi".into()),
            in_part("response.content_part.done", "part", part("hi")),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item("completed", json!([part("hi")]))}),
        ],
        end: vec![json!({"type": kind, "response": last})],
        last: "",
    }
}

fn anthropic(stop: &str) -> Base {
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "up", "content": [], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": 3, "output_tokens": 1}});
    Base {
        start: vec![
            json!({"type": "message_start", "message": message}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}}),
            json!({"type": "content_block_stop", "index": 0}),
        ],
        end: vec![
            json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 1}}),
            json!({"type": "message_stop"}),
        ],
        last: "",
    }
}

fn gemini(stop: &str) -> Base {
    let candidates =
        |part: &str| json!([{"content": {"role": "model", "parts": [{"text": part}]}, "index": 0}]);
    let mut end = json!({"candidates": candidates(""), "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4}});
    end["candidates"][0]["finishReason"] = stop.into();
    Base { start: vec![json!({"candidates": candidates("hi")})], end: vec![end], last: "" }
}

/// The bytes of a stream with these frames before its end.
fn stream(base: &Base, frames: &[Value]) -> String {
    let mut text = String::new();
    for frame in base.start.iter().chain(frames).chain(&base.end) {
        if let Some(kind) = frame["type"].as_str() {
            writeln!(text, "event: {kind}").unwrap();
        }
        write!(text, "data: {frame}\n\n").unwrap();
    }
    text + base.last
}

/// Returns the bytes that a client of the gateway receives if the provider sends `stream`.
async fn receive(client: &Format, upstream: &Format, stream: &str) -> Vec<u8> {
    let (mut path, mut asked) = smallest(client.name());
    if client.name() == "gemini" {
        path = "/v1beta/models/m:streamGenerateContent?alt=sse";
    } else {
        asked["stream"] = true.into();
    }
    if client.name() == "openai-chat" {
        asked["stream_options"] = json!({"include_usage": true});
    }
    let provider = Canned::new(200, "text/event-stream", stream.to_owned());
    bytes(provider.gateway(upstream.name()).answer(&post(path, &asked)).await).await
}

/// The frames of an event without the event itself: a delta has a part around it.
fn without(event: &Event) -> Vec<Value> {
    let is_event = |frame: &&Value| {
        [&frame["type"], &frame["delta"]["type"]].into_iter().any(|kind| *kind == event.name)
    };
    if event.frames.iter().any(|frame| is_event(&frame)) {
        return event.frames.iter().filter(|frame| !is_event(frame)).cloned().collect();
    }
    Vec::new()
}

async fn event_row(upstream: &Format, vocabulary: &Vocabulary, event: &Event) -> Vec<&'static str> {
    let base = (vocabulary.base)(vocabulary.stops[0]);
    let (without, with) = (stream(&base, &without(event)), stream(&base, &event.frames));
    if event.is_frame {
        let is_in = |stop: &&str| {
            stream(&(vocabulary.base)(stop), &[]).contains(event.name.rsplit('.').next().unwrap_or_default())
        };
        assert!(vocabulary.stops.iter().any(is_in), "{}", event.name);
    }
    let mut cells = Vec::new();
    for client in formats() {
        let place = format!("{} {} to {}", upstream.name(), event.name, client.name());
        let read = receive(&client, upstream, &with).await;
        if client.name() == upstream.name() {
            assert_eq!(String::from_utf8_lossy(&read), with, "{place}");
            cells.push("carried");
            continue;
        }
        let (with, without) =
            (super::read(&client, &read), super::read(&client, &receive(&client, upstream, &without).await));
        assert!(without.contains(&Chunk::text("hi")), "{place}");
        assert!(without.iter().any(|chunk| matches!(chunk, Chunk::Finish { .. })), "{place}");
        cells.push(if event.is_frame || with != without { "translated" } else { "left out" });
    }
    cells
}

/// Returns the stop reason that a client receives for one of the provider's.
async fn stop_cell(client: &Format, upstream: &Format, base: &Base) -> String {
    let read = super::read(client, &receive(client, upstream, &stream(base, &[])).await);
    let stop = read.iter().find_map(|chunk| match chunk {
        Chunk::Finish { raw, .. } => Some(format!("`{raw}`")),
        Chunk::Error { .. } => Some("an error".to_owned()),
        _ => None,
    });
    stop.expect("an answer has an end")
}

/// Returns the status and the kind of the error that a client receives for one of the provider's.
async fn error_cell(client: &Format, upstream: &Format, status: u16, kind: &str) -> String {
    let error = match upstream.name() {
        "gemini" => json!({"error": {"code": status, "message": "no", "status": kind}}),
        "anthropic" => json!({"type": "error", "error": {"type": kind, "message": "no"}}),
        _ => json!({"error": {"type": kind, "message": "no", "param": null, "code": null}}),
    };
    let (path, asked) = smallest(client.name());
    let gateway = Canned::new(status, "application/json", error.to_string()).gateway(upstream.name());
    let answer = gateway.answer(&post(path, &asked)).await;
    let status = answer.status;
    let error = &body(answer).await["error"];
    let kind = error["status"].as_str().or(error["type"].as_str()).unwrap_or_default();
    format!("{status} `{kind}`")
}

fn head(out: &mut String, title: &str, text: &str, columns: &str) {
    let rule = "---|".repeat(columns.matches('|').count() + 1);
    write!(out, "\n## {title}\n\n{text}\n\n| {columns} |\n|{rule}\n").unwrap();
}

/// The tables as Markdown, and the numbers of the events.
pub(crate) async fn tables() -> (String, String) {
    let mut out = String::new();
    let numbers = write_events(&mut out).await;
    write_stops(&mut out).await;
    write_errors(&mut out).await;
    (out, numbers)
}

async fn write_events(out: &mut String) -> String {
    let (mut all, mut unexplained) = (Vec::new(), Vec::new());
    head(
        out,
        "Events",
        "Events of a provider's stream, and parts of them. Within a format each one is `carried` byte for byte. `translated`: \
         clients of the other format read another answer with it, or their format's own event; `left out`: they read the same \
         answer, for the reason in the row.",
        "Event | Chat | Responses | Anthropic | Gemini | Reason",
    );
    for upstream in formats() {
        let vocabulary = vocabulary(upstream.name());
        let format = super::short(&upstream);
        for line in vocabulary.events.lines() {
            let event: Event = serde_json::from_str(line).unwrap();
            let cells = event_row(&upstream, &vocabulary, &event).await;
            writeln!(out, "| {format} `{}` | {} | {} |", event.name, cells.join(" | "), event.reason)
                .unwrap();
            if cells.contains(&"left out") == event.reason.is_empty() {
                unexplained.push(format!("{format} {}: {cells:?} {}", event.name, event.reason));
            }
            all.extend(cells);
        }
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    let number = |fate| format!("{} {fate}", all.iter().filter(|cell| **cell == fate).count());
    ["carried", "translated", "left out"].map(number).join(", ")
}

async fn write_stops(out: &mut String) {
    head(
        out,
        "Stop reasons",
        "The stop reason of a provider, as a client of each format reads it. Within a format it is carried. A reason that is not \
         known is the end of an answer for clients of other formats.",
        "Stop reason | Chat | Responses | Anthropic | Gemini",
    );
    for upstream in formats() {
        let vocabulary = vocabulary(upstream.name());
        for stop in vocabulary.stops {
            write!(out, "| {} `{stop}` |", super::short(&upstream)).unwrap();
            for client in formats() {
                let cell = stop_cell(&client, &upstream, &(vocabulary.base)(stop)).await;
                write!(out, " {cell} |").unwrap();
            }
            out.push('\n');
        }
    }
}

async fn write_errors(out: &mut String) {
    head(
        out,
        "Errors",
        "The error of a provider, as a client of each format reads it. Within a format it is carried byte for byte.",
        "Error | Chat | Responses | Anthropic | Gemini",
    );
    for upstream in formats() {
        for (status, kind) in vocabulary(upstream.name()).errors {
            write!(out, "| {} {status} `{kind}` |", super::short(&upstream)).unwrap();
            for client in formats() {
                write!(out, " {} |", error_cell(&client, &upstream, *status, kind).await).unwrap();
            }
            out.push('\n');
        }
    }
}
