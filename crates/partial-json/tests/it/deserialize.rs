//! Types that serde fills from a snapshot, at every prefix of a text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use windlass_partial_json::{JsonLimits, Parser};

const EDIT: &str = r#"{"path": "src/ma\u0069n.rs", "range": {"start": 3, "end": -4}, "mode": "append",
    "ratios": [0.5, 1e2, 18446744073709551615], "dry": true, "note": null, "kind": {"Move": {"to": "b"}}}"#;

#[derive(Debug, Default, PartialEq, Deserialize)]
struct Range {
    start: Option<i64>,
    end: Option<i64>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Append,
    Replace,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Kind {
    Copy,
    Move { to: Option<String> },
    Pair(u8, u8),
    Named(String),
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Edit<'a> {
    #[serde(borrow)]
    path: Option<&'a str>,
    range: Option<Range>,
    ratios: Vec<f64>,
    dry: Option<bool>,
    note: Option<String>,
}

fn parsed(text: &str) -> Parser {
    let mut parser = Parser::new();
    parser.push(text).unwrap();
    parser
}

#[test]
fn a_struct_of_options_deserialises_from_every_prefix() {
    let mut parser = Parser::new();
    let mut last = String::new();
    assert_eq!(parser.snapshot().deserialize::<Edit<'_>>().unwrap(), Edit::default());
    for character in EDIT.chars() {
        parser.push(character.encode_utf8(&mut [0; 4])).unwrap();
        let edit: Edit<'_> = parser.snapshot().deserialize().unwrap();
        let path = edit.path.unwrap_or_default();
        assert!(path.starts_with(&last), "{path:?} does not extend {last:?}");
        path.clone_into(&mut last);
    }
    let edit: Edit<'_> = parser.snapshot().deserialize().unwrap();
    let range = Range { start: Some(3), end: Some(-4) };
    let ratios = vec![0.5, 100.0, 18_446_744_073_709_551_615.0];
    let expected =
        Edit { path: Some("src/main.rs"), range: Some(range), ratios, dry: Some(true), note: None };
    assert_eq!(edit, expected);
    assert_eq!(edit, serde_json::from_str(&EDIT.replace("\\u0069", "i")).unwrap());
}

#[test]
fn values_that_have_not_arrived_are_left_out() {
    let read = |text: &str| parsed(text).snapshot().deserialize::<Edit<'_>>().map(|edit| edit.dry).unwrap();
    assert_eq!(read(r#"{"dry": tru"#), None);
    assert_eq!(read(r#"{"dry": true"#), Some(true));
    let ratios = |text: &str| parsed(text).snapshot().deserialize::<Edit<'_>>().unwrap().ratios;
    assert_eq!(ratios(r#"{"ratios": [1.5, 2"#), [1.5]);
    assert_eq!(ratios(r#"{"ratios": [1.5, 2,"#), [1.5, 2.0]);
    assert_eq!(parsed("12").snapshot().deserialize::<Option<u8>>().unwrap(), None);
    assert_eq!(parsed("12 ").snapshot().deserialize::<Option<u8>>().unwrap(), Some(12));
    assert_eq!(Parser::new().snapshot().deserialize::<Vec<u8>>().unwrap(), [0_u8; 0]);
    assert_eq!(Parser::new().snapshot().deserialize::<Option<String>>().unwrap(), None);
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

#[test]
fn strings_are_borrowed_with_and_without_escapes() {
    let parser = parsed(r#"["plain", "esc\naped", "gro"#);
    let texts: Vec<&str> = parser.snapshot().deserialize().unwrap();
    assert_eq!(texts, ["plain", "esc\naped", "gro"]);
    let node = parser.snapshot().root().unwrap().at(1).unwrap();
    assert_eq!(texts[1].as_ptr(), node.as_str().unwrap().as_ptr());
    let parser = parsed(r#"{"name": "a\tb"}"#);
    assert!(matches!(parser.snapshot().deserialize::<Named<'_>>().unwrap().name, Cow::Borrowed("a\tb")));
    let keys: BTreeMap<&str, u8> = parsed(r#"{"a": 1, "b": 2, "a": 3, "c": 4"#)
        .snapshot()
        .deserialize::<BTreeMap<String, u8>>()
        .unwrap()
        .into_iter()
        .filter_map(|(key, value)| ["a", "b", "c"].into_iter().find(|known| *known == key).zip(Some(value)))
        .collect();
    assert_eq!(keys, BTreeMap::from([("a", 3), ("b", 2)]));
}

#[test]
fn an_enum_waits_for_its_name() {
    let mode = |text: &str| parsed(text).snapshot().deserialize::<Mode>();
    assert!(mode(r#""app"#).unwrap_err().is_incomplete());
    assert_eq!(mode(r#""append""#).unwrap(), Mode::Append);
    assert_eq!(mode(r#""replace""#).unwrap(), Mode::Replace);
    let unknown = mode(r#""truncate""#).unwrap_err();
    assert!(!unknown.is_incomplete(), "{unknown}");
    let kind = |text: &str| parsed(text).snapshot().deserialize::<Kind>();
    assert!(kind("{").unwrap_err().is_incomplete());
    assert_eq!(kind(r#""Copy""#).unwrap(), Kind::Copy);
    assert_eq!(kind(r#"{"Move": {"#).unwrap(), Kind::Move { to: None });
    assert_eq!(kind(r#"{"Named": "a"#).unwrap(), Kind::Named("a".to_owned()));
    assert!(kind(r#"{"Pair": [1, "#).unwrap_err().is_incomplete());
    assert_eq!(kind(r#"{"Pair": [1, 2]"#).unwrap(), Kind::Pair(1, 2));
    assert_eq!(kind(r#"{"Pair": [1, 2, 3"#).unwrap(), Kind::Pair(1, 2));
    assert!(!kind(r#"{"Pair": [1, 2, 3]}"#).unwrap_err().is_incomplete());
    assert!(!kind(r#"{"Copy": 1, "Move": {}}"#).unwrap_err().is_incomplete());
    assert!(!kind("{}").unwrap_err().is_incomplete());
}

#[test]
fn an_error_names_its_place_and_whether_more_text_can_help() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its errors count")]
    struct Strict {
        items: Vec<Item>,
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its errors count")]
    struct Item {
        id: u8,
        name: String,
    }
    let read = |text: &str| parsed(text).snapshot().deserialize::<Strict>();
    let error = read(r#"{"items": [{"id": 1, "name": "a"}, {"id": 2, "#).unwrap_err();
    assert_eq!(error.to_string(), "missing field `name` at /items/1");
    assert!(error.is_incomplete());
    assert_eq!(error.path(), "/items/1");
    let error = read(r#"{"items": [{"id": 1, "name": "a"}, {"id": 2}"#).unwrap_err();
    assert!(!error.is_incomplete());
    let error = read(r#"{"items": [{"id": 1, "name": {"#).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: map, expected a string at /items/0/name");
    assert!(!error.is_incomplete(), "the type of a value never changes");
    let error = read(r#"{"items": [{"id": 300, "#).unwrap_err();
    assert_eq!(error.to_string(), "invalid value: integer `300`, expected u8 at /items/0/id");
    assert!(!error.is_incomplete());
    let error = read("{").unwrap_err();
    assert_eq!(error.to_string(), "missing field `items`");
    assert!(error.is_incomplete());
    assert!(!read("{}").unwrap_err().is_incomplete());
    assert!(!read("\"a").unwrap_err().is_incomplete());
    assert!(read("nul").unwrap_err().is_incomplete());
}

#[test]
fn numbers_keep_their_digits() {
    let value = |text: &str| parsed(text).snapshot().deserialize::<Value>().unwrap();
    for text in ["18446744073709551615 ", "-9223372036854775808 ", "0.1 ", "-0.0 ", "1e300 ", "1e400 "] {
        assert_eq!(value(text), parsed(text).snapshot().to_value().unwrap(), "{text}");
    }
    assert_eq!(parsed("18446744073709551615 ").snapshot().deserialize::<u128>().unwrap(), u64::MAX.into());
    assert_eq!(parsed("1e400 ").snapshot().deserialize::<Option<f64>>().unwrap(), None);
    assert_eq!(parsed("1e300 ").snapshot().deserialize::<Option<f64>>().unwrap(), Some(1e300));
    assert_eq!(parsed("7 ").snapshot().deserialize::<Option<f32>>().unwrap(), Some(7.0));
}

#[test]
fn a_text_of_the_highest_depth_deserialises_on_the_stack_of_a_test() {
    let mut parser = Parser::with_limits(JsonLimits::default().with_depth(1_024));
    parser.push(&"[".repeat(1_023)).unwrap();
    assert_eq!(parser.snapshot().deserialize::<Option<Value>>().unwrap(), parser.snapshot().to_value());
}

#[test]
fn keys_of_a_map_can_be_numbers_booleans_and_variants() {
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    struct Id(u16);
    let parser = parsed(r#"{"-7": "a", "12": "b", "300": "#);
    let map: BTreeMap<i32, &str> = parser.snapshot().deserialize().unwrap();
    assert_eq!(map, BTreeMap::from([(-7, "a"), (12, "b")]));
    let parser = parsed(r#"{"1": {"true": null}}"#);
    let map: BTreeMap<Id, BTreeMap<bool, Option<u8>>> = parser.snapshot().deserialize().unwrap();
    assert_eq!(map, BTreeMap::from([(Id(1), BTreeMap::from([(true, None)]))]));
    let parser = parsed(r#"{"append": 1, "other": 2}"#);
    let error = parser.snapshot().deserialize::<BTreeMap<Mode, u8>>().unwrap_err();
    assert!(error.to_string().starts_with("unknown variant `other`"), "{error}");
    let parser = parsed(r#"{"x": 1,"#);
    assert!(parser.snapshot().deserialize::<BTreeMap<u8, u8>>().is_err());
}
