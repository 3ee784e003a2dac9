//! Values from Gemini are sent back unchanged, and recorded requests are written again from their values.

use serde_json::{Map, Value, json};
use windlass_protocol::{Message, Request, ResultStatus, ToolResult};
use windlass_wire::{Server, Wire, WireLimits};
use windlass_wire_gemini::{Gemini, GeminiOptions, StreamFraming};

use crate::corpus_streams::{Case, Difference, assemble, cases, decode, status};
use windlass_testkit::Need;

/// Requests that are not written as they were recorded.
const DIFFERENCES: &[Difference] = &[];

/// Requests in which the linter finds something, though the API took them.
const EXCEPTIONS: &[Difference] = &[];

fn all(extensions: &[&str]) -> Vec<Case> {
    extensions
        .iter()
        .filter_map(|extension| Need::Corpora.check(cases("gemini", extension)))
        .flatten()
        .collect()
}

// P2
#[test]
fn corpus_gemini_answers_are_returned_unchanged() {
    let (mut same, mut signatures, mut answers) = (0, 0, 0);
    for case in all(&[".sse", ".array.json", ".json"]) {
        let mut chunks = Vec::new();
        if case.meta["stream"].is_null() {
            if status(&case.meta) >= 400
                || Gemini::default().decode_whole(&case.body, WireLimits::default(), &mut chunks).is_err()
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

/// The parts of a recorded answer in the form for the next request: neighbouring words without a signature
/// are one part, empty words and thoughts without a signature are left out, and a call in pieces is one call.
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
fn corpus_gemini_golden_requests_round_trip() {
    let (mut same, mut recorded, mut unexplained) = (0, 0, Vec::new());
    for case in all(&[".sse", ".array.json", ".json"]) {
        let body = &case.meta["request"];
        if status(&case.meta) != 200 || body.get("contents").is_none() {
            continue;
        }
        recorded += 1;
        let path = path(case.meta["url"].as_str().unwrap());
        let asked = Gemini::default().decode_request(&path, body.to_string().as_bytes()).unwrap();
        let framing = match asked.framing {
            windlass_wire::Framing::Array => StreamFraming::Array,
            _ => StreamFraming::Events,
        };
        let wire = Gemini::new(GeminiOptions::as_given().with_framing(framing));
        let http = wire.encode(&asked.request).unwrap();
        let (met, wanted) = (normal(&serde_json::from_slice(&http.body).unwrap()), normal(body));
        // Further words of the query select the form of the answer.
        let bare = |path: &str| path.split('?').next().unwrap().to_owned();
        let is_same = met == wanted && bare(&path).ends_with(&bare(&http.path));
        match (is_same, DIFFERENCES.iter().find(|(name, ..)| *name == case.name)) {
            (true, None) => same += 1,
            (false, Some((name, rule, why))) => println!("corpus: {name} differs by {rule}: {why}"),
            (true, Some((name, ..))) => unexplained.push(format!("{name} is listed, but agrees")),
            (false, None) => unexplained
                .push(format!("{} {path} {}\n met    {met}\n wanted {wanted}", case.name, http.path)),
        }
    }
    println!("corpus: gemini golden requests: {same} of {recorded}");
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(recorded == 0 || same >= 140, "only {same} of {recorded}");
}

// The linter reports nothing for requests that the API accepted.
#[test]
fn corpus_gemini_golden_requests_are_not_refused() {
    let (mut recorded, mut named, mut unexplained) = (0, 0, Vec::new());
    let wire = Gemini::new(GeminiOptions::as_given());
    for case in all(&[".sse", ".array.json", ".json"]) {
        let body = &case.meta["request"];
        if status(&case.meta) != 200 || body.get("contents").is_none() {
            continue;
        }
        recorded += 1;
        let path = path(case.meta["url"].as_str().unwrap());
        let asked = wire.decode_request(&path, body.to_string().as_bytes()).unwrap();
        let refusals = wire.check(&asked.request);
        match (refusals.is_empty(), EXCEPTIONS.iter().find(|(name, ..)| *name == case.name)) {
            (true, None) => {}
            (true, Some((name, ..))) => unexplained.push(format!("{name} is listed, but nothing is found")),
            (false, Some((name, rule, why))) => {
                println!("corpus: {name} refused by {rule}: {why}");
                named += 1;
            }
            (false, None) => unexplained.push(format!("{} {refusals:?}", case.name)),
        }
    }
    println!(
        "corpus: gemini golden requests linted: nothing found in {} of {recorded}, {named} named",
        recorded - named
    );
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
}

/// The path of a recorded address. The recording has names in brackets in place of projects.
fn path(url: &str) -> String {
    let (_, rest) = url.split_once("://").unwrap();
    rest[rest.find('/').unwrap()..].replace(['<', '>'], "")
}

/// The same request in one spelling: empty values are left out, names are in camel case, numbers are floats.
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

/// Names in camel case except inside of the user's own values, and numbers as floats.
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
