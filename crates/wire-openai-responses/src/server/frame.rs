//! The response object around the items of an answer.

use serde_json::{Map, Value, json};
use windlass_protocol::{Request, StopReason, Usage};
use windlass_stream::StreamError;
use windlass_wire::{DecodedRequest, EncodedHistory, RequestBody, ResponseHead};

use crate::OpenAiResponsesOptions;
use crate::encode::encode;
use crate::server::error::stream_code;

/// The fields of a response, except its status, its items and its usage.
pub(crate) struct Frame(Map<String, Value>);

/// The end of a response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending<'a> {
    pub(crate) status: &'static str,
    pub(crate) incomplete: Option<&'a str>,
    pub(crate) error: Option<&'a StreamError>,
    pub(crate) usage: Usage,
}

impl Frame {
    /// Creates the response for a request. The official clients require every one of these fields.
    pub(crate) fn new(asked: &DecodedRequest, reply: &ResponseHead) -> Self {
        let fields = json!({
            "background": false, "error": null, "incomplete_details": null, "instructions": null,
            "max_output_tokens": null, "metadata": {}, "parallel_tool_calls": true, "previous_response_id": null,
            "reasoning": { "effort": null, "summary": null }, "store": true, "temperature": 1.0,
            "text": { "format": { "type": "text" } }, "tool_choice": "auto", "tools": [], "top_p": 1.0,
            "truncation": "disabled", "usage": null, "user": null,
        });
        let Value::Object(mut fields) = fields else { return Self(Map::new()) };
        fields.extend(repeat_fields(&asked.request));
        fields.insert("id".to_owned(), format!("resp_{}", reply.id).into());
        fields.insert("object".to_owned(), "response".into());
        fields.insert("created_at".to_owned(), reply.created.into());
        fields.insert("model".to_owned(), reply.model.as_str().into());
        Self(fields)
    }

    /// Returns the response at its beginning.
    pub(crate) fn start_response(&self) -> Value {
        let mut fields = self.0.clone();
        fields.insert("status".to_owned(), "in_progress".into());
        fields.insert("output".to_owned(), json!([]));
        Value::Object(fields)
    }

    /// Returns the response at its end.
    pub(crate) fn end_response(&self, output: Vec<Value>, ending: Ending<'_>) -> Value {
        let mut fields = self.0.clone();
        fields.insert("status".to_owned(), ending.status.into());
        fields.insert("output".to_owned(), output.into());
        if let Some(reason) = ending.incomplete {
            fields.insert("incomplete_details".to_owned(), json!({ "reason": reason }));
        }
        if let Some(error) = ending.error {
            fields
                .insert("error".to_owned(), json!({ "code": stream_code(error), "message": error.message }));
        }
        fields.insert("usage".to_owned(), usage(ending.usage));
        Value::Object(fields)
    }
}

/// Returns the fields of the request that its response repeats.
fn repeat_fields(request: &Request) -> Map<String, Value> {
    let mut bare = Request::new(request.model.as_str(), Vec::new())
        .with_tools(request.tools.clone())
        .with_hosted_tools(request.options.hosted_tools.clone())
        .with_output(request.output.clone())
        .with_tool_choice(request.options.tool_choice.clone())
        .with_parallel_calls(request.options.parallel_calls);
    bare.system.clone_from(&request.system);
    bare.tool_fields.clone_from(&request.tool_fields);
    bare.options.max_output_tokens = request.options.max_output_tokens;
    bare.options.temperature = request.options.temperature;
    bare.options.extra.clone_from(&request.options.extra);
    let body =
        encode(&OpenAiResponsesOptions::as_given(), &bare, RequestBody::new(&mut EncodedHistory::new()));
    let body: Option<Map<String, Value>> = body.ok().and_then(|http| serde_json::from_slice(&http.body).ok());
    let mut body = body.unwrap_or_default();
    body.retain(|name, _| {
        !matches!(name.as_str(), "input" | "stream" | "stream_options" | "include" | "model")
    });
    body
}

fn usage(usage: Usage) -> Value {
    let input = json!({
        "cached_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
    });
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": input,
        "output_tokens": usage.output_tokens,
        "output_tokens_details": { "reasoning_tokens": usage.reasoning_tokens },
        "total_tokens": usage.total(),
    })
}

/// Returns the status of a response for a stop reason, and the reason if the status is `incomplete`.
pub(crate) fn status(reason: &StopReason, raw: &str, refused: bool) -> (&'static str, Option<&'static str>) {
    match reason {
        StopReason::Length | StopReason::ContextWindow => ("incomplete", Some("max_output_tokens")),
        StopReason::ContentFilter => ("incomplete", Some("content_filter")),
        // Without a refusal text, only this status shows that the model refused.
        StopReason::Refusal if !refused => ("incomplete", Some("content_filter")),
        StopReason::Error if raw == "incomplete" => ("incomplete", Some("error")),
        StopReason::Error => ("failed", None),
        _ => ("completed", None),
    }
}
