//! Values with paths, and the JSON text that they are converted to.

use serde_json::{Value, json};

use super::ArgumentWriter;

/// Returns the deltas of values, and the last delta at the end.
fn deltas(values: &[Value]) -> Vec<String> {
    let mut writer = ArgumentWriter::default();
    let mut deltas: Vec<String> =
        values.iter().map(|value| writer.push(&serde_json::from_str(&value.to_string()).unwrap())).collect();
    deltas.push(writer.finish());
    deltas
}

fn piece(path: &str, text: &str) -> Value {
    json!({ "jsonPath": path, "stringValue": text, "willContinue": true })
}

fn last(path: &str, text: &str) -> Value {
    json!({ "jsonPath": path, "stringValue": text })
}

#[track_caller]
fn check(values: &[Value], expected: &Value) {
    let text = deltas(values).concat();
    assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), expected, "{text}");
}

#[test]
fn a_text_grows_with_its_pieces() {
    let values = [piece("$.a", "one \"two\"\n"), piece("$.a", "\u{1F600}"), last("$.a", "")];
    assert_eq!(deltas(&values), [r#"{"a":"one \"two\"\n"#, "\u{1F600}", "\"", "}"]);
    check(&values, &json!({ "a": "one \"two\"\n\u{1F600}" }));
}

#[test]
fn containers_open_and_close_with_the_paths() {
    let values = [
        piece("$.r.list[0].name", "x"),
        last("$.r.list[0].name", "y"),
        json!({ "jsonPath": "$.r.list[0].n", "numberValue": 1.50 }),
        last("$.r.list[1].name", "z"),
        json!({ "jsonPath": "$.r.flag", "boolValue": false }),
        json!({ "jsonPath": "$.none", "nullValue": null }),
        json!({ "jsonPath": "$.grid[0][0]", "numberValue": 1 }),
        json!({ "jsonPath": "$.grid[1][0]", "numberValue": 2 }),
    ];
    check(
        &values,
        &json!({
            "r": { "list": [{ "name": "xy", "n": 1.5 }, { "name": "z" }], "flag": false },
            "none": null, "grid": [[1], [2]],
        }),
    );
}

#[test]
fn a_number_keeps_its_digits() {
    let value = r#"{"jsonPath":"$.n","numberValue":12345678901234567890123}"#;
    let mut writer = ArgumentWriter::default();
    let text = writer.push(&serde_json::from_str(value).unwrap()) + &writer.finish();
    assert_eq!(text, r#"{"n":12345678901234567890123}"#);
}

#[test]
fn the_next_value_ends_a_text_that_was_not_ended() {
    check(&[piece("$.a", "one"), last("$.b", "two")], &json!({ "a": "one", "b": "two" }));
}

// S10
#[track_caller]
fn check_never_whole(values: &[Value]) {
    let text = deltas(values).concat();
    assert!(serde_json::from_str::<Value>(&text).is_err(), "{text}");
}

#[test]
fn cut_or_unordered_arguments_never_become_complete() {
    check_never_whole(&[piece("$.a", "cut")]);
    check_never_whole(&[last("$.a.b", "1"), last("$.c", "2"), last("$.a.d", "3")]);
    check_never_whole(&[last("$.a", "1"), last("$.a", "2")]);
    check_never_whole(&[last("$.a[1]", "no first")]);
    check_never_whole(&[last("$.a[0]", "1"), last("$.a.b", "2")]);
    check_never_whole(&[last("$[0]", "a list")]);
    check_never_whole(&[last("$", "no member")]);
    check_never_whole(&[last("$.a", "1"), last("nonsense", "2")]);
}

#[test]
fn no_values_give_no_text() {
    assert_eq!(deltas(&[]), [""]);
}
