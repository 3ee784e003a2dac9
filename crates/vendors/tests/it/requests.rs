//! The fields that each wire format sends for each feature of a request, compared with stored bodies.
//!
//! The test writes the bodies to `tests/data/requests` and the table to `docs/REQUESTS.md`:
//! `UPDATE_EXPECT=1 cargo test -p windlass-vendors requests`.

mod features;
mod forms;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use serde_json::{Map, Value, json};
use windlass_protocol::{Message, Part, PromptCache, Request, ToolName, ToolSpec};
use windlass_vendors::WireFormat;

use self::features::{Feature, GROUPS};

/// The members that are one leaf of a body, because the caller wrote their content.
const OPAQUE: [&str; 6] =
    ["schema", "responseJsonSchema", "parameters", "input_schema", "parametersJsonSchema", "output_schema"];

/// The fields that a cell lists at most.
const MOST: usize = 6;

fn model(format: &WireFormat) -> &'static str {
    match format.name() {
        "anthropic" => "claude-opus-4-8",
        "gemini" => "gemini-3-pro-preview",
        _ => "gpt-5.1",
    }
}

/// Returns a request with the usual parts and without the feature: a prompt, a function, and two texts of the user, so
/// that further parts do not change the form of the content.
fn plain(format: &WireFormat, feature: &Feature) -> Request {
    let function = ToolSpec::function(
        ToolName::new("look").unwrap(),
        "Looks.",
        r#"{"type":"object","properties":{"at":{"type":"string"}}}"#.parse().unwrap(),
    );
    let model = feature.model.unwrap_or_else(|| model(format));
    let user = Message::user("one").with_part(Part::text("two"));
    let mut request = Request::new(model, vec![user]).with_system("Be brief.").with_tools(vec![function]);
    request.options.prompt_cache = PromptCache::Off;
    request
}

/// Returns the request with the addition that the feature is compared with.
fn base_request(format: &WireFormat, feature: &Feature) -> Request {
    let mut request = plain(format, feature);
    if let Some(base) = feature.base {
        base(&mut request);
    }
    request
}

/// The support of a format for a feature.
enum Sent {
    /// The body has further fields.
    Fields { body: Value, headers: Vec<String>, fields: Vec<String> },
    /// The request is refused with this error.
    Refused(String),
    /// The feature does not belong to the format.
    Foreign,
}

fn send(format: &WireFormat, feature: &Feature) -> Sent {
    if feature.only.is_some_and(|only| only != format.name()) {
        return Sent::Foreign;
    }
    let without = format.wire.encode(&base_request(format, feature)).unwrap();
    let mut request = plain(format, feature);
    (feature.put)(&mut request);
    let http = match format.wire.encode(&request) {
        Ok(http) => http,
        Err(error) => return Sent::Refused(error.to_string()),
    };
    let headers = http.headers.iter().filter(|header| !without.headers.contains(header));
    let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value}")).collect();
    let read = |body: &[u8]| serde_json::from_slice::<Value>(body).unwrap();
    let body = read(&http.body);
    let without_body = read(&without.body);
    let mut fields = new_leaves(&without_body, &body);
    if fields.is_empty() {
        let removed = new_leaves(&body, &without_body);
        fields.extend(removed.into_iter().map(|field| format!("no {field}")));
    }
    if http.path != without.path {
        fields.insert(0, format!("path {}", http.path));
    }
    fields.splice(0..0, headers.iter().map(|header| format!("header {header}")));
    Sent::Fields { body, headers, fields }
}

/// Returns the leaves of a body that the other body does not have, each with its path. The value of a `type` is shown.
fn new_leaves(before: &Value, after: &Value) -> Vec<String> {
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    collect("", before, &mut old);
    collect("", after, &mut new);
    let mut shown = Vec::new();
    for ((path, value), count) in new {
        let known = old.get(&(path.clone(), value.clone())).copied().unwrap_or(0);
        if count <= known {
            continue;
        }
        let leaf = if path.ends_with("type") { format!("{path}: {}", value.trim_matches('"')) } else { path };
        if !shown.contains(&leaf) {
            shown.push(leaf);
        }
    }
    shown
}

/// Counts the leaves of a value by path and value. The entries of a list have one path.
fn collect(path: &str, value: &Value, leaves: &mut BTreeMap<(String, String), usize>) {
    let name = path.rsplit('.').next().unwrap_or_default();
    match value {
        Value::Object(fields) if !fields.is_empty() && !OPAQUE.contains(&name) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect(&path, value, leaves);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                collect(&format!("{path}[]"), item, leaves);
            }
        }
        _ => *leaves.entry((path.to_owned(), value.to_string())).or_default() += 1,
    }
}

/// Sorts the members of all objects. `serde_json` keeps the order of insertion if another crate of the build asks for it.
fn sort(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.into_iter().collect();
            Value::Object(fields.into_iter().map(|(name, value)| (name, sort(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(sort).collect(),
        other => other,
    }
}

fn cell(sent: &Sent) -> String {
    match sent {
        Sent::Foreign => "–".to_owned(),
        Sent::Refused(_) => "refused".to_owned(),
        Sent::Fields { fields, .. } if fields.is_empty() => "not sent".to_owned(),
        Sent::Fields { fields, .. } => {
            let mut shown: Vec<String> = fields.iter().take(MOST).map(|field| format!("`{field}`")).collect();
            shown.extend((fields.len() > MOST).then(|| "…".to_owned()));
            shown.join(", ")
        }
    }
}

/// Returns the stored form of a cell: the body with its further headers, or the error.
fn stored(sent: &Sent) -> Value {
    match sent {
        Sent::Foreign => Value::Null,
        Sent::Refused(error) => json!({ "refused": error }),
        Sent::Fields { body, headers, .. } if headers.is_empty() => json!({ "body": body }),
        Sent::Fields { body, headers, .. } => json!({ "body": body, "headers": headers }),
    }
}

// Issue 21, "Must be shown" 2.
#[test]
fn the_table_of_what_each_format_sends_is_true() {
    let mut text = String::from(HEAD);
    for (title, features) in GROUPS {
        write!(text, "\n## {title}\n\n| |").unwrap();
        for format in WireFormat::all() {
            write!(text, " {} |", format.name()).unwrap();
        }
        write!(text, "\n|---|{}", "---|".repeat(WireFormat::all().len())).unwrap();
        let mut bodies = vec![Map::new(); WireFormat::all().len()];
        for feature in *features {
            write!(text, "\n| {} |", feature.name).unwrap();
            for (format, bodies) in WireFormat::all().iter().zip(&mut bodies) {
                let sent = send(format, feature);
                let place = format!("{} at {}", feature.name, format.name());
                match &sent {
                    Sent::Refused(error) => assert!(error.contains(feature.word), "{place}: {error}"),
                    Sent::Fields { fields, .. } => {
                        let may_be_silent = feature.silent_at.contains(&format.name());
                        assert!(!fields.is_empty() || may_be_silent, "{place} is dropped");
                    }
                    Sent::Foreign => {}
                }
                write!(text, " {} |", cell(&sent)).unwrap();
                bodies.insert(feature.name.to_owned(), stored(&sent));
            }
        }
        text.push('\n');
        for (format, bodies) in WireFormat::all().iter().zip(bodies) {
            let slug = title.to_lowercase().replace(' ', "-");
            let path = format!("../data/requests/{}-{slug}.json", format.name());
            let golden = serde_json::to_string_pretty(&sort(Value::Object(bodies))).unwrap();
            expect_file![path].assert_eq(&format!("{golden}\n"));
        }
    }
    expect_file!["../../../../docs/REQUESTS.md"].assert_eq(&text);
}

// The linter accepts the features that a format encodes, and a format that refuses a feature reports that before a
// request is sent.
#[test]
fn the_check_of_a_request_agrees_with_its_encoding() {
    for (_, features) in GROUPS {
        for feature in *features {
            for format in WireFormat::all() {
                let mut request = plain(format, feature);
                (feature.put)(&mut request);
                let problems = format.wire.check(&request);
                let place = format!("{} at {}: {problems:?}", feature.name, format.name());
                match send(format, feature) {
                    Sent::Refused(_) => assert!(!problems.is_empty(), "{place}"),
                    Sent::Fields { .. } => assert!(problems.is_empty(), "{place}"),
                    Sent::Foreign => {}
                }
            }
        }
    }
}

const HEAD: &str = "# Fields of requests

For each feature of a `Request` and each wire format: the fields of the body that carry the feature. Generated by a test \
of `windlass-vendors` that encodes a request with and without the feature and compares the two bodies; the complete \
bodies are in `crates/vendors/tests/data/requests`. `[]` stands for the entries of a list. `refused`: the request is not \
sent, and the error names the feature. `not sent`: the format does without the feature, and the answer does not depend \
on it. `–`: the row is about another format. Options of a wire format and quirks of a vendor can rename a field.
";
