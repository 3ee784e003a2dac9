//! Conformance suites and recorded prefixes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use windlass_partial_json::{Parser, Status};
use windlass_testkit::{Need, corpora, oracle, require};

/// The value of a prefix, and whether the prefix could be pushed.
fn shown(prefix: &str) -> (Option<Value>, Status) {
    let mut parser = Parser::new();
    let _ = parser.push(prefix);
    (parser.snapshot().to_value(), parser.status())
}

/// Returns true if two values are equal. JavaScript writes some integers as floats, so numbers are compared as
/// floats.
fn alike(ours: Option<&Value>, theirs: Option<&Value>) -> bool {
    match (ours, theirs) {
        (Some(Value::Number(ours)), Some(Value::Number(theirs))) => ours.as_f64() == theirs.as_f64(),
        _ => ours == theirs,
    }
}

/// The reason why the prefix has less than the expected value: a completion of the text that J4 holds back
/// must give exactly the expected value.
fn held_back(prefix: &str, expected: Option<&Value>) -> Option<&'static str> {
    let gives = |text: String| alike(shown(&text).0.as_ref(), expected);
    let end = prefix.trim_end_matches(|last: char| "eE+-.".contains(last));
    if prefix.ends_with(|last: char| last.is_ascii_digit() || "eE+-.".contains(last))
        && gives(format!("{end} "))
    {
        return Some("a number without a delimiter");
    }
    for literal in ["true", "false", "null"] {
        let halves = (1..literal.len()).filter_map(|at| literal.split_at_checked(at));
        for (_, rest) in halves.filter(|(half, _)| prefix.ends_with(half)) {
            if gives(format!("{prefix}{rest}")) {
                return Some("half a literal");
            }
        }
    }
    None
}

#[test]
fn the_json_test_suite_corpus_verdicts_are_matched() {
    // J6
    let folder = require!(Need::Corpora, corpora::find("json/JSONTestSuite/test_parsing"));
    let mut counts: BTreeMap<char, (usize, usize)> = BTreeMap::new();
    let mut failures = Vec::new();
    for (name, bytes) in corpora::files(&folder) {
        oracle::partial_json_oracle(&bytes);
        oracle::partial_json_split(bytes.get(..2_000).unwrap_or(&bytes));
        let mut parser = Parser::new();
        let _ = parser.push_bytes(&bytes);
        let accepted = parser.finish().is_ok();
        let theirs = serde_json::from_slice::<Value>(&bytes).is_ok();
        let kind = name.chars().next().unwrap();
        let right = match kind {
            'y' => accepted,
            'n' => !accepted,
            _ => accepted == theirs,
        };
        let (agreed, all) = counts.entry(kind).or_default();
        *all += 1;
        *agreed += usize::from(right);
        if !right {
            failures.push(name);
        }
    }
    for (kind, (agreed, all)) in &counts {
        println!("corpus: JSONTestSuite {kind}_: {agreed} of {all}");
    }
    assert_eq!(counts.len(), 3);
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn corpus_prefixes_on_which_three_parsers_agree_show_the_same_here() {
    // J3, J4
    let path = require!(Need::Corpora, corpora::find("json/prefix_oracle.jsonl"));
    let (mut agreed, mut binding, mut same_elsewhere, mut all) = (0, 0, 0, 0);
    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for row in corpora::rows(&path) {
        all += 1;
        let prefix: String = row["full"]
            .as_str()
            .unwrap()
            .chars()
            .take(usize::try_from(row["chars"].as_u64().unwrap()).unwrap())
            .collect();
        let expected = row.get("jiter_trailing");
        let ours = shown(&prefix).0;
        if row["all_agree"] != Value::Bool(true) {
            same_elsewhere += usize::from(ours.as_ref() == expected);
            continue;
        }
        binding += 1;
        if ours.as_ref() == expected {
            agreed += 1;
        } else if let Some(reason) = held_back(&prefix, expected) {
            *held.entry(reason).or_default() += 1;
        } else {
            failures.push(format!("{prefix}: {ours:?}, wanted {expected:?}"));
        }
    }
    println!("corpus: prefix_oracle: {all} rows; binding {agreed} of {binding} shown alike");
    println!("corpus: prefix_oracle: held back by J4: {held:?}");
    println!("corpus: prefix_oracle: of {} not binding, {same_elsewhere} like jiter", all - binding);
    assert!(binding > 2_000);
    assert!(failures.is_empty(), "{} rows: {failures:#?}", failures.len());
}

#[test]
fn every_text_of_the_corpus_ends_as_serde_json_ends_it() {
    // J6
    let path = require!(Need::Corpora, corpora::find("json/prefix_oracle.jsonl"));
    let mut texts: Vec<String> =
        corpora::rows(&path).iter().map(|row| row["full"].as_str().unwrap().to_owned()).collect();
    texts.dedup();
    for text in &texts {
        oracle::partial_json_oracle(text.as_bytes());
        oracle::partial_json_split(text.as_bytes());
        oracle::partial_json_snapshot(text.as_bytes());
    }
    println!("corpus: recorded texts: {}", texts.len());
    assert!(texts.len() > 10);
}

/// The arguments of a row's calls, as the text that a model would write.
fn arguments(row: &Value) -> impl Iterator<Item = String> {
    let calls = row["expected"]["tool_calls"].as_array().into_iter().flatten();
    calls.filter_map(|call| match call.get("arguments")? {
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    })
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the corpora are found by their folder")]
fn every_prefix_of_every_tool_argument_of_the_corpora_only_grows() {
    // J3, J6
    let streams = require!(Need::Corpora, corpora::find("streams"));
    let texts = require!(Need::Corpora, corpora::find("text_tools/pairs_llamacpp.jsonl"));
    let mut all: BTreeSet<String> = corpora::rows(&texts).iter().flat_map(arguments).collect();
    for api in
        std::fs::read_dir(streams).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let files = corpora::files(&api).into_iter().filter(|(name, _)| name.ends_with(".meta.json"));
        let rows = files.map(|(_, meta)| serde_json::from_slice::<Value>(&meta).unwrap());
        all.extend(rows.flat_map(|row| arguments(&row).collect::<Vec<_>>()));
    }
    let (mut prefixes, mut whole) = (0, 0);
    for text in &all {
        assert!(text.len() < 2_048, "each prefix is looked at");
        oracle::partial_json_snapshot(text.as_bytes());
        oracle::partial_json_oracle(text.as_bytes());
        oracle::partial_json_split(text.as_bytes());
        oracle::partial_json_repair(text.as_bytes());
        prefixes += text.len();
        whole += usize::from(serde_json::from_str::<Value>(text).is_ok());
    }
    println!(
        "corpus: tool arguments: {} of {} grow over all of {prefixes} prefixes; {whole} are JSON at their end",
        all.len(),
        all.len()
    );
    assert!(all.len() > 300);
}

#[test]
fn the_fix_json_corpus_is_shown_alike() {
    // J3, J4
    let path = require!(Need::Corpora, corpora::find("json/pairs_vercel_fixJson.jsonl"));
    let (mut agreed, mut all) = (0, 0);
    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for row in corpora::rows(&path) {
        all += 1;
        let prefix = row["args"][0].as_str().unwrap();
        let expected: Option<Value> = serde_json::from_str(row["expected"].as_str().unwrap()).ok();
        let ours = shown(prefix).0;
        if ours == expected {
            agreed += 1;
        } else if let Some(reason) = held_back(prefix, expected.as_ref()) {
            *held.entry(reason).or_default() += 1;
        } else {
            failures.push(format!("{prefix}: {ours:?}, wanted {expected:?}"));
        }
    }
    println!("corpus: fixJson: {agreed} of {all} alike; held back by J4: {held:?}");
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The flag of the promplate rows that lets an open string be shown.
const STRINGS: i64 = 1;

/// The reason why a promplate row differs by a rule.
fn promplate_reason(text: &str, allowed: i64, expected: &Value) -> Option<&'static str> {
    if text.contains(['I', 'N']) {
        return Some("Infinity and NaN are not JSON");
    }
    if expected == "PartialJSON" || expected == "MalformedJSON" {
        return Some("the row forbids partial values by a flag that does not exist here");
    }
    if text.contains("\\x") {
        return Some("J7a shows an unknown escape as written");
    }
    if allowed & STRINGS == 0 && shown(text).1 == Status::Incomplete && text.ends_with('"') {
        return Some("the row forbids open strings by a flag that does not exist here");
    }
    held_back(text, Some(expected))
}

#[test]
fn the_promplate_corpus_is_shown_alike_or_differs_by_rule() {
    // J3, J4, J7a
    let path = require!(Need::Corpora, corpora::find("json/pairs_promplate.jsonl"));
    let (mut agreed, mut all) = (0, 0);
    let mut differ: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for row in corpora::rows(&path) {
        all += 1;
        let text = row["args"][0].as_str().unwrap();
        let ours = shown(text).0;
        if row["kind"] != "toThrow" && ours.as_ref() == Some(&row["expected"]) {
            agreed += 1;
        } else if let Some(reason) =
            promplate_reason(text, row["args"][1].as_i64().unwrap(), &row["expected"])
        {
            *differ.entry(reason).or_default() += 1;
        } else {
            failures.push(format!("{row}: {ours:?}"));
        }
    }
    println!("corpus: promplate: {agreed} of {all} alike; by rule: {differ:?}");
    assert!(failures.is_empty(), "{failures:#?}");
}
