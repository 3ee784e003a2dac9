//! A file that is not a cassette is refused with an error that helps.

use serde_json::json;
use windlass_cassette::{CassetteError, Player, Recorder};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Player::parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn files_that_are_not_cassettes_are_refused() {
    const BEGIN: &str = r#"{"line":"begin","version":1,"settings":null}"#;
    check("", "the file is not a cassette: its first line is not the header of one");
    check("hello\n", "the file is not a cassette: its first line is not the header of one");
    check(
        r#"{"line":"end","exchange":0}"#,
        "the file is not a cassette: its first line is not the header of one",
    );
    check(&format!("{BEGIN}\nnope\n{BEGIN}\n"), "line 2 is not a cassette entry");
    let later = BEGIN.replace('1', "9");
    check(&later, "the cassette has version 9, this program reads up to 2");
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

#[test]
fn definitions_are_recorded_without_secrets_and_the_last_ones_before_the_first_request_count() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    let recorder = Recorder::create(&file, json!({}), ["hunter22".into()]).unwrap();
    recorder.record_definitions("mcp", json!({"servers": []}));
    recorder.record_definitions("mcp", json!({"servers": ["of hunter22"]}));
    recorder.finish().unwrap();
    let player = Player::open(&file).unwrap();
    assert_eq!(player.definitions("mcp"), Some(&json!({"servers": ["of [redacted]"]})));
    assert_eq!(player.definitions("other"), None);
    let old = r#"{"line":"begin","version":1,"settings":null}"#;
    assert_eq!(Player::parse(old).unwrap().definitions("mcp"), None);
}

#[test]
fn a_secret_that_equals_a_part_of_the_format_leaves_a_readable_cassette() {
    let folder = tempfile::tempdir().unwrap();
    for (at, secret) in ["definitions", "settings", "version", "source"].into_iter().enumerate() {
        let file = folder.path().join(format!("{at}.jsonl"));
        let recorder = Recorder::create(&file, json!({"a": secret}), [secret.into()]).unwrap();
        recorder.record_definitions("mcp", json!([secret]));
        recorder.finish().unwrap();
        let player = Player::open(&file).unwrap();
        assert_eq!(player.settings(), &json!({"a": "[redacted]"}), "{secret}");
        assert_eq!(player.definitions("mcp"), Some(&json!(["[redacted]"])), "{secret}");
    }
}
