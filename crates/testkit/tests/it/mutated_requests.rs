//! The recorded requests with one value replaced, as a client with a bug would send them.
#![expect(clippy::print_stdout, reason = "the counts are the result")]

use serde_json::{Value, json};
use windlass_testkit::split::SplitMix64;
use windlass_testkit::{Need, oracle, require};

use crate::golden::accepted;

/// Number of replacements for each request.
const ROUNDS: usize = 25;

/// Returns the paths of all values inside a value.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    found.push(place.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, &format!("{place}/{at}"), found);
            }
        }
        _ => {}
    }
}

#[track_caller]
fn check(api: &str) {
    let requests = require!(Need::Corpora, accepted(api));
    let others =
        [json!(null), json!(""), json!("x"), json!(-1), json!(2.5), json!(true), json!([]), json!({})];
    let more = [json!(["x"]), json!([{}]), json!({ "type": "x" }), json!([{ "type": "text", "text": "" }])];
    let others: Vec<&Value> = others.iter().chain(&more).collect();
    let mut ways = 0;
    for (at, (_, request)) in requests.iter().enumerate() {
        let mut found = Vec::new();
        places(request, "", &mut found);
        let mut random = SplitMix64::new(u64::try_from(at).unwrap());
        for _ in 0..ROUNDS {
            let mut mutated = request.clone();
            let place = &found[random.in_range(0, found.len() - 1)];
            *mutated.pointer_mut(place).unwrap() = others[random.in_range(0, others.len() - 1)].clone();
            oracle::wire_request(&serde_json::to_vec(&mutated).unwrap());
            ways += 1;
        }
    }
    println!("corpus: {api} requests with one value replaced: {ways} of {ways} read or refused with words");
}

#[test]
fn corpus_openai_chat_requests_with_one_value_replaced_are_read_or_refused() {
    check("openai-chat");
}

#[test]
fn corpus_anthropic_requests_with_one_value_replaced_are_read_or_refused() {
    check("anthropic");
}
