//! The contract tests of another project, and recorded provider streams.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use windlass_sse::Parser;
use windlass_testkit::{Need, corpora, oracle, require};

/// Rows whose last chunks were lost when they were recorded, as their names show: the existing chunks give
/// the first of the expected events.
const CUT_ROWS: [&str; 2] = [
    "basic_parsing: two messages spanning 3 chunks with shared chunk",
    "bom: BOM split across first two chunks",
];

fn events(chunks: &[Vec<u8>], shape: &Value) -> Vec<Value> {
    let mut parser = Parser::new();
    let mut seen = Vec::new();
    for chunk in chunks {
        parser
            .push(chunk, |event| {
                let mut value = json!({ "data": event.data });
                if !event.id.is_empty() {
                    value["id"] = event.id.into();
                }
                let typed = shape.get(seen.len()).is_some_and(|expected| expected.get("type").is_some());
                if typed || event.event != "message" {
                    value["type"] = event.event.into();
                }
                seen.push(value);
            })
            .unwrap();
    }
    seen
}

#[test]
fn the_contract_test_corpus_holds() {
    let path = require!(Need::Corpora, corpora::find("sse/pairs_launchdarkly.jsonl"));
    let (mut agreed, mut cut, mut all) = (0, 0, 0);
    let mut failures = Vec::new();
    for row in corpora::rows(&path) {
        all += 1;
        let name = row["name"].as_str().unwrap();
        let chunks: Vec<Vec<u8>> = row["chunks_b64"]
            .as_array()
            .unwrap()
            .iter()
            .map(|chunk| STANDARD.decode(chunk.as_str().unwrap()).unwrap())
            .collect();
        let expected = row["expected"].as_array().unwrap();
        let seen = events(&chunks, &row["expected"]);
        oracle::sse(&chunks.concat());
        if seen == *expected {
            agreed += 1;
        } else if CUT_ROWS.contains(&name) && expected.starts_with(&seen) {
            println!(
                "corpus: launchdarkly: {name}: the row lacks its last chunk; {} of {} events",
                seen.len(),
                expected.len()
            );
            cut += 1;
        } else {
            failures.push(format!("{name}: {seen:?}, wanted {expected:?}"));
        }
    }
    println!("corpus: launchdarkly: {agreed} of {all} agree, {cut} rows are cut");
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!(agreed + cut, all);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "each folder has the streams of one API")]
fn streams_of_the_corpus_are_read_alike_however_split() {
    // S14
    let folder = require!(Need::Corpora, corpora::find("streams"));
    let mut streams = 0;
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    for api in entries.filter(|path| path.is_dir()) {
        for (name, bytes) in corpora::files(&api) {
            if std::path::Path::new(&name).extension().is_some_and(|kind| kind == "sse")
                && bytes.len() < 4_000
            {
                oracle::sse(&bytes);
                streams += 1;
            }
        }
    }
    println!("corpus: recorded streams: {streams}");
    assert!(streams > 50);
}
