//! Tests of the separation of large strings.

use std::collections::BTreeMap;

use super::{LARGE_BYTES, StoredRecord, ValueForm};
use crate::{JournalError, Record};

/// Separates a body and joins it again. Returns the stored record and the values.
fn round(body: &str) -> (StoredRecord, BTreeMap<String, Vec<u8>>) {
    let mut stored = BTreeMap::new();
    let record = Record::new(3, 5, body.parse().unwrap());
    let split = StoredRecord::split(record.clone(), |reference, value| {
        stored.insert(reference.sha256.clone(), value.to_vec());
        Ok(())
    })
    .unwrap();
    let line = serde_json::to_string(&split).unwrap();
    let read: StoredRecord = serde_json::from_str(&line).unwrap();
    assert_eq!(read.join(|reference| Ok(stored[&reference.sha256].clone())).unwrap(), record);
    (split, stored)
}

#[test]
fn a_body_is_restored_with_the_same_bytes() {
    let base64 = "QUJD".repeat(LARGE_BYTES / 4);
    let text = r#"say \"é\" \u00e9\\"#.repeat(LARGE_BYTES / 16);
    let key = "k".repeat(LARGE_BYTES);
    let body = format!(
        r#"{{"a":["{base64}" ,"{text}", "short"],"{key}" : 1.0,"{key}2":"{base64}","b":{{"c":"{base64}"}}, "d":null}}"#
    );
    let (split, values) = round(&body);
    assert_eq!(values.len(), 2, "equal values are stored once");
    let forms: Vec<_> = split.values.iter().map(|reference| reference.form).collect();
    assert_eq!(forms, [ValueForm::Base64, ValueForm::Json, ValueForm::Base64, ValueForm::Base64]);
    let expected =
        format!(r#"{{"a":[null ,null, "short"],"{key}" : 1.0,"{key}2":null,"b":{{"c":null}}, "d":null}}"#);
    assert_eq!(split.body.as_str(), expected);
    let picture = &values[&split.values[0].sha256];
    assert_eq!(
        picture,
        &b"ABC".repeat(LARGE_BYTES / 4),
        "the file has the bytes of the picture, not their base64"
    );
}

#[test]
fn the_limit_is_exact_and_noncanonical_base64_stays_text() {
    for (len, count) in [(LARGE_BYTES - 3, 0), (LARGE_BYTES - 2, 1)] {
        let (split, _) = round(&format!("\"{}\"", "=".repeat(len)));
        assert_eq!(split.values.len(), count, "{len}");
    }
    // The last letter has bits that the encoder would not set.
    let (split, _) = round(&format!("\"{}QUI=QUJ=\"", "QUJD".repeat(LARGE_BYTES / 4)));
    assert_eq!(split.values[0].form, ValueForm::Json);
    let (split, _) = round(&format!("\"{}QUJ=\"", "QUJD".repeat(LARGE_BYTES / 4)));
    assert_eq!(split.values[0].form, ValueForm::Json);
}

#[test]
fn a_text_that_looks_like_a_reference_is_a_text() {
    let body = r#"{"values":[{"at":0,"sha256":"00","len":1,"form":"json"}],"x":null}"#;
    let (split, values) = round(body);
    assert_eq!((split.body.as_str(), values.len()), (body, 0));
    assert_eq!(serde_json::to_string(&split).unwrap(), format!(r#"{{"seq":3,"at_ms":5,"body":{body}}}"#));
}

#[test]
fn a_reference_without_a_place_is_an_error() {
    let line =
        r#"{"seq":0,"at_ms":0,"body":{"a":1},"values":[{"at":5,"sha256":"00","len":1,"form":"json"}]}"#;
    let record: StoredRecord = serde_json::from_str(line).unwrap();
    assert!(matches!(record.join(|_| Ok(Vec::new())), Err(JournalError::Body { seq: 0, .. })));
}
