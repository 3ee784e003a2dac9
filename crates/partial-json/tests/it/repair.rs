//! Repairs before a run, their reports, and texts that are never repaired.

use proptest::prelude::*;
use windlass_partial_json::{ErrorKind, JsonLimits, Repair, RepairKind, repair};

/// Checks the repaired text and the kinds of its repairs.
#[track_caller]
fn check(text: &str, repaired: &str, kinds: &[RepairKind]) {
    let result = repair(text, JsonLimits::default()).unwrap();
    assert_eq!(result.text, repaired, "{text}");
    assert_eq!(result.repairs.iter().map(|repair| repair.kind).collect::<Vec<_>>(), kinds, "{text}");
}

/// Checks that a text is refused at a position.
#[track_caller]
fn check_refused(text: &str, kind: ErrorKind, at: usize) {
    let error = repair(text, JsonLimits::default()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (kind, at), "{text}");
}

#[test]
fn valid_text_is_unchanged() {
    // J8
    check("{}", "{}", &[]);
    check(" {\"a\" : [1.0, \"```\"]}\n", " {\"a\" : [1.0, \"```\"]}\n", &[]);
    check("\"words\"", "\"words\"", &[]);
    check("12", "12", &[]);
}

#[test]
fn each_repair_kind_is_applied_and_reported() {
    // J8
    use RepairKind::{
        CodeFence, ControlCharacter, DoubleEncoding, MissingBracket, SingleQuotes, TrailingComma,
        TrailingText,
    };
    check("```json\n{\"a\":1}\n```", r#"{"a":1}"#, &[CodeFence]);
    check("```\n{\"a\":\"``` x\"}\n```\n", r#"{"a":"``` x"}"#, &[CodeFence]);
    check("```json {\"a\":1}```", r#"{"a":1}"#, &[CodeFence]);
    check("```json\n{\"a\":1}\n```\nDone.", r#"{"a":1}"#, &[CodeFence, TrailingText]);
    check(r#""{\"a\":1}""#, r#"{"a":1}"#, &[DoubleEncoding]);
    check(r#""{\"a\":[1,],}""#, r#"{"a":[1]}"#, &[DoubleEncoding, TrailingComma]);
    check("{\"a\":\"x\ny\tz\u{1}\"}", r#"{"a":"x\ny\tz\u0001"}"#, &[ControlCharacter]);
    check(r#"{"a":[1, 2 , ],}"#, r#"{"a":[1, 2  ]}"#, &[TrailingComma]);
    check("{'a': 'it\\'s \"so\"'}", r#"{"a": "it's \"so\""}"#, &[SingleQuotes]);
    check(r#"{"a": "it's"}"#, r#"{"a": "it's"}"#, &[]);
    check(r#"{"a":{"b":[true"#, r#"{"a":{"b":[true]}}"#, &[MissingBracket]);
    check(r#"{"a":[{"b":"x"]}"#, r#"{"a":[{"b":"x"}]}"#, &[MissingBracket]);
    check(r#"{"a":1}}"#, r#"{"a":1}"#, &[TrailingText]);
    check(r#"{"a":1} </tool_call>"#, r#"{"a":1}"#, &[TrailingText]);
    check(r#"{"a":1}{"a": 1}"#, r#"{"a":1}"#, &[TrailingText]);
}

#[test]
fn a_repair_reports_its_first_offset_and_count() {
    // J8
    let repairs = repair("{'a': ['x', 'y',],}", JsonLimits::default()).unwrap().repairs;
    let told: Vec<_> = repairs.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["single quotes at byte 1 and 2 more", "trailing comma at byte 15 and 1 more"]);
    let written = serde_json::to_string(&repairs).unwrap();
    assert_eq!(written, r#"[["single_quotes",1,3],["trailing_comma",15,2]]"#);
    assert_eq!(serde_json::from_str::<Vec<Repair>>(&written).unwrap(), repairs);
    assert!(serde_json::from_str::<Repair>(r#"["magic",0,1]"#).is_err());
}

#[test]
fn truncated_text_is_never_repaired() {
    // J8, S10
    use ErrorKind::Incomplete;
    check_refused("", Incomplete, 0);
    check_refused("{", Incomplete, 1);
    check_refused(r#"{"a"#, Incomplete, 3);
    check_refused(r#"{"a": "#, Incomplete, 6);
    check_refused(r#"{"a": "x"#, Incomplete, 8);
    check_refused("{'a': 'x", Incomplete, 8);
    check_refused(r#"{"a": 12"#, Incomplete, 8);
    check_refused(r#"{"a": tru"#, Incomplete, 9);
    check_refused(r#"{"a": 1,"#, Incomplete, 8);
    check_refused(r#"{"a": [1,"#, Incomplete, 9);
    check_refused("```json\n{\"a\": \"x\n```", Incomplete, 17);
    check_refused(r#""{\"a\":\"x""#, Incomplete, 7);
}

#[test]
fn ambiguous_text_is_not_repaired() {
    // J8
    check_refused(r#"{"a":1}{"a":2}"#, ErrorKind::TrailingText, 7);
    check_refused(r#"{"a":1}{"b""#, ErrorKind::TrailingText, 7);
    check_refused("{'a': 'it's'}", ErrorKind::ExpectedCommaOrEnd, 10);
    check_refused("{a: 1}", ErrorKind::ExpectedKey, 1);
    check_refused(r#"{"a": 1 "b": 2}"#, ErrorKind::ExpectedCommaOrEnd, 8);
    check_refused(r#"{"a": nope}"#, ErrorKind::BadLiteral, 7);
    check_refused(r#"{"a": "\d"}"#, ErrorKind::UnknownEscape, 7);
    check_refused("I call it: {}", ErrorKind::ExpectedValue, 0);
    // Found by fuzzing: a fence in a string, and in it a string that holds the beginning of an object.
    check_refused(r#""```\n\"{\"\n```""#, ErrorKind::ExpectedValue, 0);
}

#[test]
fn hostile_texts_stay_within_the_limits() {
    // J7
    assert_eq!(repair(&"[".repeat(100_000), JsonLimits::default()).unwrap_err().kind(), ErrorKind::TooDeep);
    assert_eq!(
        repair(&"{'a':".repeat(100_000), JsonLimits::default()).unwrap_err().kind(),
        ErrorKind::TooDeep
    );
    assert_eq!(
        repair("{'a': 'long'}", JsonLimits::default().with_bytes(4)).unwrap_err().kind(),
        ErrorKind::TooLong
    );
    let again = repair(&"{\"a\":1}".repeat(50_000), JsonLimits::default()).unwrap();
    assert_eq!((again.text.as_str(), again.repairs.first().unwrap().count), (r#"{"a":1}"#, 49_999));
}

/// Returns true if every string, number and literal of `part` is at the same place in `whole`.
fn is_part(part: &serde_json::Value, whole: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Object};
    match (part, whole) {
        (Array(part), Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
        }
        (Object(part), Object(whole)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| is_part(part, whole)))
        }
        (part, whole) => part == whole,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// J8: a repaired prefix has no value that the whole text does not have.
    #[test]
    fn a_repaired_prefix_is_part_of_the_whole(
        text in r#"\{"a":("[^"\\[:cntrl:]]{0,9}"|[1-9]{1,5}|true|null),"b":\[(\{"c":"x"\}|\[\]|1),"d",[1-9]{2}\],"e":\{"f":"[xy]*","g":false\}\}"#,
    ) {
        let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            if let Ok(repaired) = repair(&text[..end], JsonLimits::default()) {
                let part: serde_json::Value = serde_json::from_str(&repaired.text).unwrap();
                prop_assert!(is_part(&part, &whole), "{part} from {}", &text[..end]);
            }
        }
    }
}
