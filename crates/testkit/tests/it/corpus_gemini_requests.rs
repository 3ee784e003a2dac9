//! What Gemini sent goes back as it came, and recorded requests are written again from their values.

use serde_json::{Map, Value, json};
use windlass_protocol::{
    Arguments, CallId, Content, Delivery, Image, Message, Opaque, Part, RawJson, Request, ResultStatus, Role,
    Text, ToolCall, ToolChoice, ToolName, ToolResult, ToolSpec,
};
use windlass_wire::{Limits, Wire};
use windlass_wire_gemini::{Framing, Gemini, GeminiOptions, SchemaField};

use crate::corpus_streams::{Case, Difference, assemble, cases, decode, status};

/// Requests that are not written as they were recorded.
const DIFFERENCES: &[Difference] = &[];

fn all(extensions: &[&str]) -> Vec<Case> {
    extensions.iter().filter_map(|extension| cases("gemini", extension)).flatten().collect()
}

// P2
#[test]
fn corpus_gemini_answers_go_back_as_they_came() {
    let (mut same, mut signatures, mut answers) = (0, 0, 0);
    for case in all(&[".sse", ".array.json", ".json"]) {
        let mut chunks = Vec::new();
        if case.meta["stream"].is_null() {
            if status(&case.meta) >= 400
                || Gemini::default().decode_whole(&case.body, Limits::default(), &mut chunks).is_err()
            {
                continue;
            }
        } else {
            chunks = decode(&Gemini::default(), &[&case.body]).0;
        }
        let (_, answer) = assemble(chunks);
        let Some(message) = answer.message() else { continue };
        let results = answer
            .calls
            .iter()
            .map(|call| ToolResult::text(call.id().clone(), ResultStatus::Ok, "done"))
            .collect::<Vec<_>>();
        let messages = vec![Message::user("hi"), message, Message::results(results)];
        let body = Gemini::default().encode(&Request::new("gemini-2.5-pro", messages)).unwrap().body;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let parts = match &body["contents"][1] {
            content if content["role"] == "model" => content["parts"].clone(),
            _ => json!([]),
        };
        let mut wanted = wanted_parts(&case.body);
        name_unknown_arguments(&mut wanted, &parts);
        assert_eq!(parts, Value::Array(wanted), "{}", case.name);
        signatures += parts.to_string().matches("thoughtSignature").count();
        same += 1;
        answers += 1;
    }
    println!("corpus: gemini answers back: {same} of {answers} the same, with {signatures} signatures");
    if answers > 0 {
        assert!(same >= 290 && signatures >= 120, "{same} answers with {signatures} signatures");
    }
}

/// The parts of a recorded answer as they have to go back: neighbouring words without a signature are one part,
/// empty words and thoughts without a signature are none, and a call in pieces is one call.
fn wanted_parts(body: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(body);
    let events: Vec<Value> = match serde_json::from_str(&text) {
        Ok(Value::Array(events)) => events,
        Ok(event) => vec![event],
        Err(_) => {
            let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            data.filter_map(|data| serde_json::from_str(data).ok()).collect()
        }
    };
    let mut wanted: Vec<Value> = Vec::new();
    let mut grows = false;
    for event in events {
        let parts = event["candidates"][0]["content"]["parts"].as_array().cloned().unwrap_or_default();
        for mut part in parts {
            let is_signed = part.get("thoughtSignature").is_some();
            if let Some(call) = part.get_mut("functionCall").and_then(Value::as_object_mut) {
                grows = false;
                if !call.contains_key("name") {
                    continue;
                }
                let is_whole = call.remove("willContinue").is_none();
                call.remove("partialArgs");
                call.entry("args").or_insert(if is_whole { json!({}) } else { Value::Null });
                wanted.push(part);
            } else if part["thought"] == true {
                grows = false;
                if is_signed {
                    wanted.push(part);
                }
            } else if let (Some(text), false) = (part["text"].as_str(), is_signed) {
                match wanted.last_mut() {
                    Some(last) if grows => {
                        last["text"] = (last["text"].as_str().unwrap().to_owned() + text).into();
                    }
                    _ if text.is_empty() => continue,
                    _ => wanted.push(part),
                }
                grows = true;
            } else {
                grows = false;
                wanted.push(part);
            }
        }
    }
    wanted
}

/// Arguments that came in pieces are looked at elsewhere.
fn name_unknown_arguments(wanted: &mut [Value], met: &Value) {
    for (at, part) in wanted.iter_mut().enumerate() {
        if part["functionCall"]["args"].is_null() && part.get("functionCall").is_some() {
            part["functionCall"]["args"] = met[at]["functionCall"]["args"].clone();
        }
    }
}

// N6 and the property that the values lose nothing
#[test]
fn corpus_gemini_requests_are_written_again() {
    let (mut same, mut recorded, mut unexplained) = (0, 0, Vec::new());
    for case in all(&[".sse", ".array.json", ".json"]) {
        let body = &case.meta["request"];
        if status(&case.meta) != 200 || body.get("contents").is_none() {
            continue;
        }
        recorded += 1;
        let wanted = normal(body);
        let url = case.meta["url"].as_str().unwrap();
        let (options, request) = read(&wanted, url);
        let named = DIFFERENCES.iter().find(|(name, ..)| *name == case.name);
        let http = Gemini::new(options).encode(&request).unwrap();
        let met: Value = serde_json::from_slice(&http.body).unwrap();
        let is_same = normal(&met) == wanted && url.contains(http.path.split('?').next().unwrap());
        match (is_same, named) {
            (true, None) => same += 1,
            (false, Some((name, rule, why))) => println!("corpus: {name} differs by {rule}: {why}"),
            (true, Some((name, ..))) => unexplained.push(format!("{name} is listed, but agrees")),
            (false, None) => unexplained.push(format!(
                "{} {url} {}\n met    {}\n wanted {wanted}",
                case.name,
                http.path,
                normal(&met)
            )),
        }
    }
    assert!(recorded == 0 || same >= 140, "only {same} of {recorded}");
    println!("corpus: gemini requests: {same} of {recorded} written as they were recorded");
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
}

/// The same request in one spelling: what says nothing is left out, names are in camel case, numbers are floats.
fn normal(body: &Value) -> Value {
    let mut body = camel(body);
    let fields = body.as_object_mut().unwrap();
    if let Some(system) = fields.get_mut("systemInstruction").and_then(Value::as_object_mut) {
        system.remove("role");
    }
    if fields.get("generationConfig") == Some(&json!({})) {
        fields.remove("generationConfig");
    }
    if fields.get("toolConfig") == Some(&json!({ "functionCallingConfig": { "mode": "AUTO" } })) {
        fields.remove("toolConfig");
    }
    let tools = fields.get_mut("tools").and_then(Value::as_array_mut);
    let functions =
        tools.into_iter().flatten().filter_map(|tool| tool.get_mut("functionDeclarations")?.as_array_mut());
    for function in functions.flatten().filter_map(Value::as_object_mut) {
        let is_empty = |schema: &Value| schema["properties"] == json!({});
        if function.get("parameters").is_some_and(is_empty) {
            function.remove("parameters");
        }
    }
    for content in fields["contents"].as_array_mut().unwrap() {
        for call in content["parts"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .filter_map(|part| part.get_mut("functionCall"))
        {
            call.as_object_mut().unwrap().entry("args").or_insert_with(|| json!({}));
        }
    }
    body
}

/// Names in camel case but inside of what is the user's own, and numbers as floats.
fn camel(value: &Value) -> Value {
    let own = ["args", "response", "properties", "parametersJsonSchema", "responseJsonSchema"];
    match value {
        Value::Object(members) => {
            let renamed = members.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_owned();
                let name = words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..]);
                let value = if own.contains(&name.as_str()) { floats(value) } else { camel(value) };
                (name, value)
            });
            renamed.collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(camel).collect(),
        other => floats(other),
    }
}

fn floats(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), floats(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(floats).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}

/// A recorded request as values.
fn read(body: &Value, url: &str) -> (GeminiOptions, Request) {
    let (_, address) = url.split_once("/models/").unwrap();
    let (model, method) = address.split_once(':').unwrap();
    let mut request = Request::new(model, messages(&body["contents"]));
    let mut options = GeminiOptions::default();
    if !method.starts_with("stream") {
        request.delivery = Delivery::Whole;
    } else if !method.contains("alt=sse") {
        options = options.with_framing(Framing::Array);
    }
    if let Some([part]) = body["systemInstruction"]["parts"].as_array().map(Vec::as_slice) {
        request.system = part["text"].as_str().map(str::to_owned);
    }
    if body["tools"].to_string().contains(r#""parameters":"#) {
        options = options.with_schema_field(SchemaField::Parameters);
    }
    let (functions, hosted): (Vec<_>, Vec<_>) = body["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .partition(|tool| tool.get("functionDeclarations").is_some());
    request.tools = functions
        .iter()
        .flat_map(|tool| tool["functionDeclarations"].as_array().unwrap())
        .map(spec)
        .collect();
    if !hosted.is_empty() {
        request.extra.insert("tools".to_owned(), hosted.into_iter().cloned().collect());
    }
    choice(&body["toolConfig"], &mut request);
    let mut config = body["generationConfig"].as_object().cloned().unwrap_or_default();
    request.temperature = config.remove("temperature").and_then(|value| value.as_f64());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of tokens")]
    let tokens =
        config.remove("maxOutputTokens").and_then(|value| value.as_f64()).map(|tokens| tokens as u64);
    request.max_output_tokens = tokens;
    let stops = config.remove("stopSequences").unwrap_or(json!([]));
    request.stop_sequences = serde_json::from_value(stops).unwrap();
    if !config.is_empty() {
        request.extra.insert("generationConfig".to_owned(), config.into());
    }
    let known = ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"];
    for (name, value) in body.as_object().unwrap().iter().filter(|(name, _)| !known.contains(&name.as_str()))
    {
        request.extra.insert(name.clone(), value.clone());
    }
    (options, request)
}

fn choice(config: &Value, request: &mut Request) {
    let calling = &config["functionCallingConfig"];
    let allowed = calling["allowedFunctionNames"].as_array().map(Vec::as_slice);
    request.tool_choice = match (calling["mode"].as_str(), allowed) {
        (None | Some("AUTO"), None) => ToolChoice::Auto,
        (Some("NONE"), None) => ToolChoice::None,
        (Some("ANY"), None) => ToolChoice::Required,
        (Some("ANY"), Some([name])) => ToolChoice::Named(ToolName::new(name.as_str().unwrap()).unwrap()),
        _ => {
            request.extra.insert("toolConfig".to_owned(), config.clone());
            ToolChoice::Auto
        }
    };
}

fn spec(function: &Value) -> ToolSpec {
    let schema = function.get("parameters").or_else(|| function.get("parametersJsonSchema"));
    let name = ToolName::new(function["name"].as_str().unwrap()).unwrap();
    let schema = schema.map_or_else(RawJson::default, RawJson::from);
    ToolSpec::function(name, function["description"].as_str().unwrap_or_default(), schema)
}

fn messages(contents: &Value) -> Vec<Message> {
    let mut waiting: Vec<(String, CallId)> = Vec::new();
    let mut messages = Vec::new();
    for (turn, content) in contents.as_array().unwrap().iter().enumerate() {
        let mut parts = Vec::new();
        for (position, part) in content["parts"].as_array().unwrap().iter().enumerate() {
            parts.push(message_part(part, (turn, position), &mut waiting));
        }
        let only_results = parts.iter().all(|part| matches!(part, Part::Result(_)));
        let role = match content["role"].as_str() {
            Some("model") => Role::Assistant,
            _ if only_results => Role::Tool,
            _ => Role::User,
        };
        messages.push(Message::new(role, parts));
    }
    messages
}

fn message_part(part: &Value, (turn, position): (usize, usize), waiting: &mut Vec<(String, CallId)>) -> Part {
    let signature = part.get("thoughtSignature").cloned();
    let opaque = signature.map(|signature| Opaque::new("gemini", json!({ "thoughtSignature": signature })));
    if let Some(call) = part.get("functionCall") {
        let id = CallId::synthesized(u64::try_from(turn).unwrap(), position);
        let name = call["name"].as_str().unwrap();
        waiting.push((name.to_owned(), id.clone()));
        let arguments = Arguments::parse(call["args"].to_string()).unwrap();
        return Part::Call(
            ToolCall::function(id, ToolName::new(name).unwrap(), arguments).with_opaque(opaque),
        );
    }
    if let Some(result) = part.get("functionResponse") {
        let at = waiting.iter().position(|(name, _)| result["name"] == name.as_str()).unwrap();
        let (_, id) = waiting.remove(at);
        let content = vec![Content::Structured { value: result["response"].clone() }];
        return Part::Result(ToolResult::new(id, ResultStatus::Ok, content));
    }
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    if let Some(blob) = part.get("inlineData") {
        return Part::Image(Image::base64(text(&blob["mimeType"]), text(&blob["data"])));
    }
    if let Some(file) = part.get("fileData") {
        return Part::Image(Image::url(text(&file["mimeType"]), text(&file["fileUri"])));
    }
    Part::Text(Text::new(text(&part["text"])).with_opaque(opaque))
}
