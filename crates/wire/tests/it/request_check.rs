//! Each check that formats share refuses the requests of its rule, and no others.

use serde_json::json;
use windlass_protocol::{Message, OutputFormat, Part, Request, Role, ToolName};
use windlass_wire::{EncodeError, RequestCheck};

fn request() -> Request {
    Request::new("m", vec![Message::user("hi")])
}

/// Returns the places of the refusals of one check.
fn places(check: impl FnOnce(&mut RequestCheck)) -> Vec<String> {
    let mut checked = RequestCheck::new(&request());
    check(&mut checked);
    checked.finish(|| Ok(())).into_iter().map(|refusal| refusal.place).collect()
}

#[test]
fn a_range_includes_its_ends_and_no_value_is_accepted() {
    let refused = |value| !places(|check| check.check_range("top_p", value, 1.0)).is_empty();
    assert!([None, Some(0.0), Some(1.0)].into_iter().all(|value| !refused(value)));
    assert!([Some(-0.1), Some(1.1), Some(f64::NAN)].into_iter().all(refused));
}

#[test]
fn a_root_schema_is_an_object_or_empty_without_forbidden_keywords() {
    let refused = |schema| places(|check| check.check_root("p", &schema, &["anyOf", "not"])).len();
    assert_eq!(refused(json!({})), 0);
    assert_eq!(refused(json!({ "type": "object", "oneOf": [] })), 0);
    assert_eq!(refused(json!({ "type": "object", "not": {} })), 1);
    assert_eq!(refused(json!({ "type": "array" })), 1);
    assert_eq!(refused(json!({ "anyOf": [] })), 2);
    assert_eq!(refused(json!(null)), 1);
}

#[test]
fn a_strict_root_is_closed_and_requires_each_property() {
    let refused = |schema| places(|check| check.check_strict_root("p", &schema)).len();
    let closed = json!({ "properties": { "a": {} }, "required": ["a"], "additionalProperties": false });
    assert_eq!(refused(closed), 0);
    assert_eq!(refused(json!({ "properties": { "a": {} }, "additionalProperties": false })), 1);
    assert_eq!(refused(json!({ "properties": { "a": {} }, "required": ["a"] })), 1);
}

#[test]
fn the_word_json_is_found_in_the_system_prompt_and_in_messages_in_any_case() {
    let is_refused = |request: &Request| !places(|check| check.require_word_json(request)).is_empty();
    let mut asked = request();
    asked.output = OutputFormat::Json;
    assert!(is_refused(&asked));
    asked.system = Some("Answer in Json.".into());
    assert!(!is_refused(&asked));
    assert!(!is_refused(&Request::new("m", vec![Message::user("as JSON, please")])));
}

#[test]
fn names_and_counts_of_tools_have_limits() {
    let name = ToolName::new("list").unwrap();
    let refused = places(|check| check.check_tool_name(3, &name, |name| name.len() < 4, "1 to 3 letters"));
    assert_eq!(refused, ["tools[3].name"]);
    assert!(places(|check| check.check_tool_name(3, &name, |_| true, "any")).is_empty());
    assert!(places(|check| check.check_tool_count(&request(), 0)).is_empty());
}

#[test]
fn an_empty_text_is_refused_only_as_input() {
    let refused = |message| places(|check| check.refuse_empty_text(1, &message));
    assert_eq!(refused(Message::user("")), ["messages[1]"]);
    assert!(refused(Message::user("x")).is_empty());
    assert!(refused(Message::assistant(vec![Part::text("")])).is_empty());
}

#[test]
fn media_is_refused_at_its_part() {
    let message = Message::user("hi");
    let refuse = |role: Role, _: &Part| (role == Role::User).then(|| "a reason".to_owned());
    assert_eq!(places(|check| check.check_media(2, &message, refuse)), ["messages[2].parts[0]"]);
}

#[test]
fn the_error_of_the_encoder_is_reported_only_without_another_refusal() {
    let error = || Err::<(), _>(EncodeError::Unsupported { wire: "w", what: "it".to_owned() });
    let refusals = RequestCheck::new(&request()).finish(error);
    assert_eq!(refusals.len(), 1);
    assert!(refusals[0].what.contains("it"), "{refusals:?}");
    let empty = RequestCheck::new(&Request::new("m", Vec::new())).finish(error);
    assert_eq!(empty.iter().map(|refusal| refusal.place.as_str()).collect::<Vec<_>>(), ["messages"]);
}
