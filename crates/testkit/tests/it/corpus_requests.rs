//! The recorded requests that OpenAI Responses accepted: read into a request of ours, and encoded again.
//!
//! What is equal for the API is made equal before the two are compared (`plain`); every other difference is named
//! with the rule that decides it.

use serde_json::{Map, Value, json};
use windlass_protocol::{
    Arguments, CallId, Content, Delivery, Grammar, Image, Message, Opaque, ParallelCalls, Part, Payload,
    RawJson, Reasoning, Request, ResultStatus, Role, Text, ToolCall, ToolChoice, ToolName, ToolResult,
    ToolSpec, Unknown,
};
use windlass_testkit::corpora;
use windlass_wire::Wire;
use windlass_wire_openai_responses::{
    EncryptedReasoning, OpenAiResponses, OpenAiResponsesOptions, Storage, StrictFunctions,
};

/// A request that does not come out as it went in, the rule that decides it, and why.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        "mirascope__e2e-output-test_structured_output_with_tools-tool-openai_gpt_4o_responses-async_stream__00.meta.json",
        "N5",
        "one strict tool and one that is not; strictness is said once for all tools, as schemas are made for a dialect",
    ),
    (
        "mirascope__e2e-output-test_structured_output_with_tools-tool-openai_gpt_4o_responses-async_stream__01.meta.json",
        "N5",
        "one strict tool and one that is not; strictness is said once for all tools, as schemas are made for a dialect",
    ),
    (
        "mirascope__e2e-output-test_structured_output_with_tools-tool-openai_gpt_4o_responses-stream__00.meta.json",
        "N5",
        "one strict tool and one that is not; strictness is said once for all tools, as schemas are made for a dialect",
    ),
    (
        "mirascope__e2e-output-test_structured_output_with_tools-tool-openai_gpt_4o_responses-stream__01.meta.json",
        "N5",
        "one strict tool and one that is not; strictness is said once for all tools, as schemas are made for a dialect",
    ),
    (
        "mirascope__typescript-e2e-input-empty-call-openai_responses-handles-empty-string-content.meta.json",
        "P3",
        "a message without words is refused here, though the API takes it: encoding is strict",
    ),
];

/// Takes a field out of a recorded body.
fn take<T: serde::de::DeserializeOwned>(body: &mut Map<String, Value>, name: &str) -> Option<T> {
    serde_json::from_value(body.remove(name)?).ok()
}

/// The request that says the same, and the options that say the rest.
fn read(body: &Value) -> (OpenAiResponsesOptions, Request) {
    let mut body = body.as_object().unwrap().clone();
    let tools: Vec<Value> = take(&mut body, "tools").unwrap_or_default();
    let strict = match tools.iter().find_map(|tool| tool.get("strict")?.as_bool()) {
        None => StrictFunctions::Unsaid,
        Some(true) => StrictFunctions::On,
        Some(false) => StrictFunctions::Off,
    };
    let storage = match take(&mut body, "store") {
        Some(false) => Storage::Off,
        // The API's own word where nothing is said.
        None | Some(true) => Storage::On,
    };
    let asked = body.get("include") == Some(&json!(["reasoning.encrypted_content"]));
    let encrypted = if asked { EncryptedReasoning::Ask } else { EncryptedReasoning::Leave };
    if asked {
        body.remove("include");
    }
    let (own, hosted): (Vec<_>, Vec<_>) =
        tools.iter().map(|tool| (own_tool(tool), tool)).partition(|(own, _)| own.is_some());
    let options = OpenAiResponsesOptions::default()
        .with_storage(storage)
        .with_encrypted_reasoning(encrypted)
        .with_strict_functions(strict)
        .with_hosted_tools(hosted.into_iter().map(|(_, tool)| RawJson::from(tool)));
    let messages = match body.remove("input") {
        Some(Value::Array(items)) => messages(&items),
        input => vec![Message::user(input.unwrap().as_str().unwrap())],
    };
    let mut request = Request::new(take::<String>(&mut body, "model").unwrap(), messages)
        .with_tools(own.into_iter().filter_map(|(own, _)| own).collect())
        .with_delivery(if take(&mut body, "stream") == Some(true) {
            Delivery::Stream
        } else {
            Delivery::Whole
        });
    request.system = take(&mut body, "instructions");
    request.max_output_tokens = take(&mut body, "max_output_tokens");
    request.temperature = take(&mut body, "temperature");
    request.parallel_calls = match take(&mut body, "parallel_tool_calls") {
        None => ParallelCalls::ProviderDefault,
        Some(true) => ParallelCalls::Allow,
        Some(false) => ParallelCalls::Forbid,
    };
    let choice = body.get("tool_choice").and_then(tool_choice);
    if let Some(choice) = choice {
        body.remove("tool_choice");
        request.tool_choice = choice;
    }
    request.extra = body;
    (options, request)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn name(value: &Value) -> ToolName {
    ToolName::new(text(value, "name")).unwrap()
}

fn own_tool(tool: &Value) -> Option<ToolSpec> {
    let (name, description) = (|| name(tool), text(tool, "description").to_owned());
    match text(tool, "type") {
        "function" => Some(ToolSpec::function(name(), description, RawJson::from(&tool["parameters"]))),
        "custom" => {
            let grammar = tool
                .pointer("/format/definition")
                .and_then(Value::as_str)
                .map(|text| Grammar::Lark(text.to_owned()));
            Some(ToolSpec::Freeform { name: name(), description, grammar })
        }
        _ => None,
    }
}

fn tool_choice(choice: &Value) -> Option<ToolChoice> {
    match choice.as_str().unwrap_or_else(|| text(choice, "type")) {
        "auto" => Some(ToolChoice::Auto),
        "none" => Some(ToolChoice::None),
        "required" => Some(ToolChoice::Required),
        "function" | "custom" => Some(ToolChoice::Named(name(choice))),
        _ => None,
    }
}

/// Items that stand together and have one speaker are one message.
fn messages(items: &[Value]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for item in items {
        let (role, parts) = parts(item);
        match messages.last_mut() {
            Some(last) if last.role == role && matches!(role, Role::Assistant | Role::Tool) => {
                last.parts.extend(parts);
            }
            _ => messages.push(Message::new(role, parts)),
        }
    }
    messages
}

fn marks(item: &Value) -> Opaque {
    let fields = ["id", "phase", "namespace", "caller"];
    let marks = fields.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone())));
    Opaque::new("openai-responses", Value::Object(marks.collect()))
}

fn parts(item: &Value) -> (Role, Vec<Part>) {
    let call = |payload| {
        let id = CallId::new(text(item, "call_id")).unwrap();
        Part::Call(ToolCall::new(id, name(item), payload).with_opaque(Some(marks(item))))
    };
    match text(item, "type") {
        "" | "message" => said(item),
        "function_call" => {
            let arguments = Arguments::parse(text(item, "arguments")).unwrap();
            (Role::Assistant, vec![call(Payload::Function { arguments })])
        }
        "custom_tool_call" => {
            (Role::Assistant, vec![call(Payload::Custom { input: text(item, "input").to_owned() })])
        }
        "function_call_output" | "custom_tool_call_output" => {
            let id = CallId::new(text(item, "call_id")).unwrap();
            let content = match &item["output"] {
                Value::String(text) => vec![Content::text(text)],
                other => vec![Content::Structured { value: other.clone() }],
            };
            (Role::Tool, vec![Part::Result(ToolResult::new(id, ResultStatus::Ok, content))])
        }
        "reasoning" => {
            let opaque = Opaque::new("openai-responses", json!({ "output_item": item }));
            (Role::Assistant, vec![Part::Reasoning(Reasoning::new("", Some(opaque)))])
        }
        _ => {
            let item = json!({ "output_item": item });
            (Role::Assistant, vec![Part::Unknown(Unknown::new("openai-responses", item))])
        }
    }
}

fn said(item: &Value) -> (Role, Vec<Part>) {
    let role = match text(item, "role") {
        "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        _ => Role::User,
    };
    let words = |words: &Value| {
        let opaque = (role == Role::Assistant).then(|| marks(item));
        Part::Text(Text::new(words.as_str().unwrap()).with_opaque(opaque))
    };
    let parts = match &item["content"] {
        Value::Array(parts) => parts
            .iter()
            .map(|part| match text(part, "type") {
                "input_image" => picture(text(part, "image_url")),
                "input_text" | "output_text" => words(&part["text"]),
                _ => Part::Unknown(Unknown::new("openai-responses", part.clone())),
            })
            .collect(),
        content => vec![words(content)],
    };
    (role, parts)
}

fn picture(url: &str) -> Part {
    let data = url.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
    Part::Image(match data {
        Some((media_type, base64)) => Image::base64(media_type, base64),
        None => Image::url("image/png", url),
    })
}

/// The body without what makes no difference to the API.
fn plain(body: &Value) -> Value {
    let mut body = body.clone();
    let fields = body.as_object_mut().unwrap();
    let stored = fields.get("store") != Some(&json!(false));
    if let Some(temperature) = fields.get("temperature").and_then(Value::as_f64) {
        fields.insert("temperature".to_owned(), temperature.into());
    }
    for tool in fields.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        tool.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    let has_tools = fields.get("tools").is_some_and(|tools| tools != &json!([]));
    fields.retain(|name, value| {
        let is_default = match name.as_str() {
            "tools" | "parallel_tool_calls" => !has_tools,
            "stream" => value == &json!(false),
            "store" => value == &json!(true),
            "tool_choice" => value == &json!("auto"),
            _ => false,
        };
        !is_default && !value.is_null()
    });
    let input = match fields.remove("input") {
        Some(Value::String(text)) => json!([{ "role": "user", "content": text }]),
        input => input.unwrap_or_default(),
    };
    let items = input.as_array().into_iter().flatten().map(|item| plain_item(item, stored));
    fields.insert("input".to_owned(), items.collect());
    body
}

fn plain_item(item: &Value, stored: bool) -> Value {
    let mut item = item.clone();
    let is_message = matches!(text(&item, "type"), "" | "message");
    let fields = item.as_object_mut().unwrap();
    fields.retain(|name, value| {
        // What a server that keeps nothing cannot look up is of no use to it.
        let is_idle = (name == "status" && value == "completed")
            || (name == "id" && !stored)
            || (name == "type" && value == "message");
        !is_idle && !value.is_null()
    });
    if is_message {
        if fields["role"] == "system" {
            fields.insert("role".to_owned(), "developer".into());
        }
        let content = fields.remove("content").unwrap();
        fields.insert("content".to_owned(), plain_content(content));
    }
    item
}

fn plain_content(content: Value) -> Value {
    let Value::Array(mut parts) = content else { return content };
    for part in &mut parts {
        let fields = part.as_object_mut().unwrap();
        fields.retain(|name, value| {
            !(value == &json!([]) || (name == "detail" && value == "auto") || name == "logprobs")
        });
    }
    match parts.as_slice() {
        [one] if matches!(text(one, "type"), "input_text" | "output_text") => one["text"].clone(),
        _ => Value::Array(parts),
    }
}

#[test]
fn corpus_openai_responses_requests_come_out_as_they_went_in() {
    let Some(folder) = corpora::find("streams/openai-responses") else { return };
    let (mut asked, mut same, mut named, mut unexplained) = (0, 0, 0, Vec::new());
    for (file, meta) in corpora::files(&folder).into_iter().filter(|(file, _)| file.ends_with(".meta.json")) {
        let meta: Value = serde_json::from_slice(&meta).unwrap();
        let recorded = &meta["request"];
        if !recorded.is_object() || meta["status"].as_u64() != Some(200) {
            continue;
        }
        asked += 1;
        let (options, request) = read(recorded);
        let encoded = OpenAiResponses::new(options).encode(&request);
        let met = encoded.as_ref().map(|http| plain(&serde_json::from_slice(&http.body).unwrap()));
        let wanted = plain(recorded);
        let is_same = met.as_ref().is_ok_and(|met| *met == wanted);
        match (is_same, DIFFERENCES.iter().find(|(name, ..)| *name == file)) {
            (true, None) => same += 1,
            (true, Some(_)) => unexplained.push(format!("{file} is listed, but is the same")),
            (false, Some((_, rule, why))) => {
                println!("corpus: {file} differs by {rule}: {why}");
                named += 1;
            }
            (false, None) => unexplained.push(format!(
                "{file}\n met    {}\n wanted {wanted}",
                met.map_or_else(ToString::to_string, |met| met.to_string())
            )),
        }
    }
    println!("corpus: openai-responses requests: {same} of {asked} the same, {named} by a named rule");
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(same >= 221, "most requests come out as they went in, not {same}");
}
