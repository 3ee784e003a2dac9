//! What is no cassette is refused in words that help.

use serde_json::json;
use windlass_cassette::{CassetteError, Player, Recorder};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Player::parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn what_is_no_cassette_is_refused() {
    const BEGIN: &str = r#"{"line":"begin","version":1,"settings":null}"#;
    check("", "the file is not a cassette: its first line is not the header of one");
    check("hello\n", "the file is not a cassette: its first line is not the header of one");
    check(
        r#"{"line":"end","exchange":0}"#,
        "the file is not a cassette: its first line is not the header of one",
    );
    check(&format!("{BEGIN}\nnope\n{BEGIN}\n"), "line 2 is not of a cassette");
    let later = BEGIN.replace('1', "9");
    check(&later, "the cassette has version 9, this program reads up to 1");
    Player::parse(&format!("{BEGIN}\n{{\"line\":\"en")).unwrap();
}

#[test]
fn a_recording_is_never_written_over_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    Recorder::create(&file, json!({}), []).unwrap().finish().unwrap();
    let error = Recorder::create(&file, json!({}), []).unwrap_err();
    assert!(matches!(error, CassetteError::Exists { .. }), "{error}");
    let nowhere = folder.path().join("no/such/folder.jsonl");
    let error = Recorder::create(nowhere, json!({}), []).unwrap_err();
    assert!(error.to_string().ends_with("cannot be made"), "{error}");
    assert!(Player::open(folder.path().join("b")).unwrap_err().to_string().ends_with("cannot be read"));
}
