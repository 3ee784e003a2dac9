//! The recorded responses of Gemini, streamed as events, streamed as arrays and whole, against their known
//! content; and the recorded requests, parsed into values and written again.
#![expect(clippy::print_stdout, reason = "the counts are the result")]

use serde_json::{Value, json};
use windlass_assemble::{Answer, AnswerCall};
use windlass_testkit::{Need, require, split};
use windlass_wire::{ProviderErrorKind, Wire, WireLimits};
use windlass_wire_gemini::Gemini;

use crate::corpus_streams::{Case, Difference, assemble, cases, check_cut, check_resplit, decode, status};

/// Streams whose description has something else than the answer.
const DIFFERENCES: &[Difference] = &[];

/// Bodies with status 200 that are not answers of the format, although they are filed under it.
const NOT_ANSWERS: &[Difference] = &[(
    "ruby-llm__batch_with_gemini_gemini-2_5-flash_answers_staged_chats_and_appends_the_answers_to_their_\
     conversations__00.json",
    "P3",
    "the receipt for a batch",
)];

/// Returns the content of an answer as the descriptions of the recordings write it.
fn described(answer: &Answer) -> Value {
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .map(|call| match call {
            AnswerCall::Good(call) => {
                let opaque = call.opaque.as_ref().and_then(|opaque| opaque.for_wire("gemini"));
                let field = |name: &str| opaque.and_then(|opaque| opaque.get(name)).cloned();
                let arguments = call.arguments().map(windlass_protocol::Arguments::to_value);
                let is_signed = field("thoughtSignature").is_some();
                json!({ "id": field("id"), "name": call.name, "arguments": arguments, "sig": is_signed })
            }
            AnswerCall::Malformed(call) => json!({ "malformed": call.reason.to_string(), "text": call.text }),
        })
        .collect();
    json!({ "text": answer.text(), "tool_calls": calls, "finish": answer.raw_stop })
}

/// The description's own words in the same form. It lists the parts of a call that came in pieces one by one,
/// without their content, so such a call is known by its name only.
fn expected(meta: &Value) -> Value {
    let expected = &meta["expected"];
    let calls: Vec<Value> = expected["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|call| !call["name"].is_null())
        .map(|call| {
            let is_whole = call["will_continue"] != true;
            let arguments = match &call["arguments"] {
                Value::Null if is_whole => json!({}),
                arguments => arguments.clone(),
            };
            json!({ "id": call["id"], "name": call["name"], "arguments": arguments, "sig": call["sig"] })
        })
        .collect();
    let finish = match &expected["finish"] {
        Value::Number(number) => Value::from(number.to_string()),
        finish => finish.clone(),
    };
    json!({ "text": expected["text"], "tool_calls": calls, "finish": finish })
}

/// Leaves out values that the description does not have: the arguments of calls that came in pieces.
fn without_unknown(met: &mut Value, wanted: &Value) {
    let pairs = met["tool_calls"].as_array_mut().unwrap().iter_mut();
    for (met, wanted) in pairs.zip(wanted["tool_calls"].as_array().unwrap()) {
        if wanted["arguments"].is_null() && met["arguments"].is_object() {
            met["arguments"] = Value::Null;
        }
    }
}

#[track_caller]
fn check_expected(extension: &str, floor: usize) {
    let cases = require!(Need::Corpora, cases("gemini", extension));
    let (mut agreed, mut unexplained) = (0, Vec::new());
    for case in &cases {
        let (chunks, result) = decode(&Gemini::default(), &[&case.body]);
        let (_, answer) = assemble(chunks);
        let (mut met, wanted) = (described(&answer), expected(&case.meta));
        without_unknown(&mut met, &wanted);
        let named = DIFFERENCES.iter().find(|(name, ..)| *name == case.name);
        match (result.is_ok() && met == wanted, named) {
            (true, None) => agreed += 1,
            (false, Some((name, rule, why))) => println!("corpus: {name} differs by {rule}: {why}"),
            (true, Some((name, ..))) => unexplained.push(format!("{name} is listed, but agrees")),
            (false, None) => {
                unexplained.push(format!("{}\n met    {met}\n wanted {wanted}\n {result:?}", case.name));
            }
        }
    }
    println!("corpus: gemini {extension} streams: {agreed} of {} as expected", cases.len());
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(agreed >= floor, "only {agreed} of at least {floor}");
}

#[test]
fn corpus_gemini_streams_decode_as_expected() {
    check_expected(".sse", 190);
}

#[test]
fn corpus_gemini_arrays_decode_as_expected() {
    check_expected(".array.json", 11);
}

// S14
#[test]
fn corpus_gemini_streams_give_the_same_chunks_however_they_are_split() {
    check_resplit("gemini", &Gemini::default());
}

// S14
#[test]
fn corpus_gemini_arrays_give_the_same_chunks_however_they_are_split() {
    let cases = require!(Need::Corpora, cases("gemini", ".array.json"));
    let mut ways = 0;
    for case in &cases {
        let (whole, _) = decode(&Gemini::default(), &[&case.body]);
        for way in split::ways(&case.body) {
            assert!(decode(&Gemini::default(), &way).0 == whole, "{}", case.name);
            ways += 1;
        }
        let mut body = Vec::new();
        Gemini::default().decode_whole(&case.body, WireLimits::default(), &mut body).unwrap();
        assert!(body == whole, "{} as a body", case.name);
    }
    println!("corpus: gemini arrays re-split: {ways} of {ways} the same");
}

// S8, S10
#[test]
fn corpus_gemini_streams_cut_anywhere_finish_no_call_of_their_own() {
    check_cut("gemini", &Gemini::default());
}

/// Arguments that came value by value are what their values make.
#[test]
fn corpus_gemini_arguments_in_pieces_are_whole() {
    let cases = require!(Need::Corpora, cases("gemini", ".sse"));
    let (mut streams, mut calls) = (0, 0);
    for case in cases.iter().filter(|case| String::from_utf8_lossy(&case.body).contains("partialArgs")) {
        let (chunks, _) = decode(&Gemini::default(), &[&case.body]);
        let (_, answer) = assemble(chunks);
        assert_eq!(answer.iter_malformed().count(), 0, "{}", case.name);
        for call in answer.good_calls().filter(|call| call.name.as_str() != "read_theme") {
            let values = values(call.arguments().unwrap().as_object().values());
            assert!(values.iter().all(|value| !value.is_empty()), "{} {values:?}", case.name);
            calls += 1;
        }
        let told: usize = values_told(case);
        let met: usize = answer
            .good_calls()
            .map(|call| values(call.arguments().unwrap().as_object().values()).concat().len())
            .sum();
        assert_eq!(met, told, "{}: as many bytes of values as came", case.name);
        streams += 1;
    }
    println!("corpus: gemini arguments in pieces: {calls} calls of {streams} streams whole");
    assert!(streams >= 4 && calls >= 7, "{calls} calls of {streams} streams");
}

/// The texts and numbers inside values.
fn values<'a>(of: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let inner = of.flat_map(|value| match value {
        Value::Array(items) => values(items.iter()),
        Value::Object(members) => values(members.values()),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    });
    inner.collect()
}

/// Returns the bytes of the values in the events of a stream.
fn values_told(case: &Case) -> usize {
    let text = String::from_utf8_lossy(&case.body);
    let events =
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data:")?).ok());
    let mut bytes = 0;
    for event in events {
        let parts = event["candidates"][0]["content"]["parts"].as_array().cloned().unwrap_or_default();
        for value in parts.iter().filter_map(|part| part["functionCall"]["partialArgs"].as_array()).flatten()
        {
            let text = value["stringValue"].as_str().map(str::to_owned);
            bytes += text.unwrap_or_else(|| value["numberValue"].to_string()).len();
        }
    }
    bytes
}

#[test]
fn corpus_gemini_bodies_are_read_whole() {
    let bodies = require!(Need::Corpora, cases("gemini", ".json"));
    let wire = Gemini::default();
    let (mut answers, mut refusals, mut others, mut unexplained) = (0, 0, 0, Vec::new());
    for case in &bodies {
        let status = status(&case.meta);
        if status >= 400 {
            let error = wire.decode_error(status, &case.body);
            if error.kind == ProviderErrorKind::NotProvider
                || error.message.is_empty()
                || error.code.is_none()
            {
                unexplained.push(format!("{}: {error:?}", case.name));
            }
            refusals += 1;
            continue;
        }
        let mut chunks = Vec::new();
        let result = wire.decode_whole(&case.body, WireLimits::default(), &mut chunks);
        let (_, answer) = assemble(chunks);
        let is_answer = result.is_ok()
            && answer.error.is_none()
            && answer.raw_stop.is_some()
            && said(&answer) == said_by(&case.body);
        let named = NOT_ANSWERS.iter().find(|(name, ..)| *name == case.name);
        match (is_answer, named) {
            (true, None) => answers += 1,
            (false, Some((name, rule, why))) => {
                println!("corpus: {name} is no answer by {rule}: {why}");
                others += 1;
            }
            (true, Some((name, ..))) => unexplained.push(format!("{name} is listed, but is an answer")),
            (false, None) => unexplained.push(format!("{}: {result:?} {:?}", case.name, answer.error)),
        }
    }
    println!(
        "corpus: gemini bodies: {answers} answers and {refusals} refusals of {} read, {others} are neither",
        bodies.len()
    );
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(answers >= 90 && refusals >= 8, "{answers} answers and {refusals} refusals");
}

/// Words and calls of an answer.
fn said(answer: &Answer) -> Value {
    let calls: Vec<Value> =
        answer.good_calls().map(|call| json!([call.name, call.arguments().unwrap().to_value()])).collect();
    json!([answer.text(), calls])
}

/// Words and calls of a body, in their order.
fn said_by(body: &[u8]) -> Value {
    let body: Value = serde_json::from_slice(body).unwrap();
    let parts = body["candidates"][0]["content"]["parts"].as_array().cloned().unwrap_or_default();
    let texts = parts.iter().filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str());
    let calls: Vec<Value> = parts
        .iter()
        .filter(|part| part["functionCall"].is_object())
        .map(|part| {
            let call = &part["functionCall"];
            json!([call["name"], call.get("args").cloned().unwrap_or_else(|| json!({}))])
        })
        .collect();
    json!([texts.collect::<String>(), calls])
}
