//! Decodes a client's request.

use serde_json::Value;
use windlass_protocol::{Delivery, OutputFormat, OutputSchema, ParallelCalls, RawJson, Request, Strictness};
use windlass_wire::{DecodedRequest, Fields, Framing, RequestError, replace_lone_surrogates};

use crate::names::NAME;
use crate::server::messages;
use crate::server::tools;

pub(crate) fn serves(path: &str) -> bool {
    path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').ends_with("/chat/completions")
}

pub(crate) fn decode_request(path: &str, body: &[u8]) -> Result<DecodedRequest, RequestError> {
    let asked = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let Some(before) = asked.strip_suffix("/chat/completions") else {
        return Err(RequestError::Path { wire: NAME, path: path.to_owned() });
    };
    let text = windlass_wire::decode_text(body);
    let text = text.trim_start_matches('\u{feff}');
    match replace_lone_surrogates(text) {
        Some(repaired) => read(before, &repaired),
        None => read(before, text),
    }
}

fn read(before: &str, text: &str) -> Result<DecodedRequest, RequestError> {
    let mut fields = Fields::parse("", text)?;
    // Azure has the deployment's name in the path, and its clients may omit the model.
    let deployment = before.split_once("/deployments/").map(|(_, name)| name.to_owned());
    let Some(model) = fields.text("model")?.or(deployment) else {
        return Err(fields.wrong("model", "expected a text"));
    };
    let Some(items) = fields.list("messages")? else {
        return Err(fields.wrong("messages", "expected a list"));
    };
    let (system, messages) = messages::read(items)?;
    let mut request = Request::new(model, messages);
    request.system = system;
    request.delivery = if fields.flag("stream")? == Some(true) { Delivery::Stream } else { Delivery::Whole };
    request.options.temperature = fields.number("temperature")?;
    request.options.parallel_calls = match fields.flag("parallel_tool_calls")? {
        None => ParallelCalls::ProviderDefault,
        Some(true) => ParallelCalls::Allow,
        Some(false) => ParallelCalls::Forbid,
    };
    request.options.stop_sequences = stop_sequences(&mut fields)?;
    tools::read(&mut fields, &mut request)?;
    limit(&mut fields, &mut request)?;
    output(&mut fields, &mut request)?;
    request.options.extra.extend(fields.rest());
    let framing = if request.delivery == Delivery::Stream { Framing::Events } else { Framing::Whole };
    Ok(DecodedRequest::new(request, framing))
}

fn stop_sequences(fields: &mut Fields<'_>) -> Result<Vec<String>, RequestError> {
    match fields.value("stop")? {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(list) => serde_json::from_value(list)
            .map_err(|_| fields.wrong("stop", "expected a text or a list of texts")),
    }
}

/// Takes the output limit. The newer field keeps its name, because the model decides which of the two a
/// server accepts.
fn limit(fields: &mut Fields<'_>, request: &mut Request) -> Result<(), RequestError> {
    let older = fields.count("max_tokens")?;
    let newer = fields.count("max_completion_tokens")?;
    request.options.max_output_tokens = newer.or(older);
    if let Some(tokens) = newer {
        request.options.extra.insert("max_completion_tokens".to_owned(), tokens.into());
        request.options.extra.extend(older.map(|tokens| ("max_tokens".to_owned(), tokens.into())));
    }
    Ok(())
}

fn output(fields: &mut Fields<'_>, request: &mut Request) -> Result<(), RequestError> {
    let whole = fields.peek("response_format");
    let Some(mut format) = fields.object("response_format")? else { return Ok(()) };
    match format.take_required_text("type")?.as_str() {
        "text" => {}
        "json_object" => request.output = OutputFormat::Json,
        "json_schema" => {
            let Some(mut schema) = format.object("json_schema")? else {
                return Err(format.wrong("json_schema", "expected an object"));
            };
            request.output = OutputFormat::Schema(output_schema(&mut schema)?);
        }
        // A form that only some servers have, for example `grammar` or `regex`.
        _ => {
            if let Some(raw) = whole.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
                request.options.extra.insert("response_format".to_owned(), raw);
            }
        }
    }
    Ok(())
}

fn output_schema(fields: &mut Fields<'_>) -> Result<OutputSchema, RequestError> {
    let name = fields.text("name")?.unwrap_or_default();
    let schema = match fields.raw("schema") {
        Some(raw) => tools::raw_json(raw.get())?,
        None => RawJson::default(),
    };
    let strict = Strictness::from_flag(fields.flag("strict")?);
    Ok(OutputSchema::new(name, schema).with_description(fields.text("description")?).with_strict(strict))
}
