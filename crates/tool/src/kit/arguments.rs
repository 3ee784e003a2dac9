//! Payloads that a model could send in place of the example.

use serde_json::{Map, Value, json};
use windlass_protocol::{Arguments, Payload};

/// Returns copies of the example with missing, unknown and wrong arguments.
pub(super) fn damage(example: &Payload) -> Vec<Payload> {
    let Payload::Function { arguments } = example else {
        return ["", "\u{0}\u{202e}", "\n\n", "日本語"]
            .map(|input| Payload::Custom { input: input.into() })
            .into();
    };
    let members = arguments.as_object();
    let mut damaged = vec![Map::new(), add_member(members, "no_such_argument", json!(1))];
    for name in members.keys() {
        for value in [
            json!(null),
            json!(-1),
            json!(1e300),
            json!(""),
            json!("\u{0}../é"),
            json!([[]]),
            json!({"a": 1}),
        ] {
            damaged.push(add_member(members, name, value));
        }
        let mut without = members.clone();
        without.remove(name);
        damaged.push(without);
    }
    let payloads = damaged.into_iter().filter_map(|members| {
        let arguments = Arguments::parse(Value::Object(members).to_string()).ok()?;
        Some(Payload::Function { arguments })
    });
    payloads.collect()
}

fn add_member(members: &Map<String, Value>, name: &str, value: Value) -> Map<String, Value> {
    let mut members = members.clone();
    members.insert(name.to_owned(), value);
    members
}

/// Returns a payload of another kind than the example.
pub(super) fn change_kind(example: &Payload) -> Payload {
    match example {
        Payload::Custom { .. } => Payload::Function { arguments: Arguments::default() },
        _ => Payload::Custom { input: "a text in place of arguments".to_owned() },
    }
}
