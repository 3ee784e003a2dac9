//! The rules of values: runs, records, answers, messages and outputs.

use std::sync::{Arc, Barrier};
use std::time::Duration;

use windlass_journal::{Durability, Journal, Record};
use windlass_protocol::RawJson;

use super::check::{OrRule as _, RuleResult, create, ensure, json};
use super::rule::StoreRule;
use crate::{ContentHash, Lease, Store, StoreError};

/// A lease that outlasts the kit.
const LONG: Duration = Duration::from_mins(10);
/// Settings with an order, a repeated key and escapes, which a store of parsed JSON would change.
const SETTINGS: &str = r#"{ "b":1,"a":"ü\u0000","b":2.50}"#;

fn claim(store: &dyn Store, run: &str) -> RuleResult<Arc<dyn Lease>> {
    store.claim(run, LONG).or_rule(StoreRule::HasOneOwner, "a free run could not be claimed")
}

pub(super) fn check_runs(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::KeepsRuns;
    let settings = json(SETTINGS)?;
    for run in ["kit-2", "kit-1", "kit-3"] {
        store.create_run(run, &settings).or_rule(rule, "a run could not be created")?;
    }
    let read = store.read_settings("kit-2").or_rule(rule, "settings could not be read")?;
    ensure(read.as_str() == SETTINGS, rule, || {
        format!("the settings {SETTINGS} were returned as {}", read.as_str())
    })?;
    let again = store.create_run("kit-2", &json("1")?);
    ensure(matches!(again, Err(StoreError::Exists { .. })), rule, || {
        format!("a second run of the same id returned {again:?}")
    })?;
    let rule = StoreRule::ListsRuns;
    let page = |after| store.list_runs(after, 2).or_rule(rule, "the runs could not be listed");
    let pages = (page(None)?, page(Some("kit-2"))?);
    ensure(pages.0 == ["kit-1", "kit-2"] && pages.1 == ["kit-3"], rule, || {
        format!("two pages of the three runs are {:?} and {:?}", pages.0, pages.1)
    })
}

pub(super) fn check_unknown_run(store: &dyn Store) -> RuleResult {
    let none = "kit-none";
    let value = json("1")?;
    let results = [
        ("read_settings", store.read_settings(none).map(drop)),
        ("claim", store.claim(none, LONG).map(drop)),
        ("read_run_journal", store.read_run_journal(none).map(drop)),
        ("read_journal", store.read_journal(none, "a").map(drop)),
        ("list_journals", store.list_journals(none).map(drop)),
        ("put_answer", store.put_answer(none, "a", &value)),
        ("read_answers", store.read_answers(none).map(drop)),
        ("push_message", store.push_message(none, &value).map(drop)),
        ("read_messages", store.read_messages(none).map(drop)),
        ("list_outputs", store.list_outputs(none).map(drop)),
        ("read_output", store.read_output(none, &ContentHash::compute(b"")).map(drop)),
    ];
    for (method, result) in results {
        ensure(matches!(result, Err(StoreError::NotFound { .. })), StoreRule::ReportsUnknownRuns, || {
            format!("`{method}` returned {result:?}")
        })?;
    }
    Ok(())
}

pub(super) fn check_names(store: &dyn Store) -> RuleResult {
    create(store, "kit-names")?;
    let lease = claim(store, "kit-names")?;
    let value = json("1")?;
    for name in ["", "..", "../x", "a/b", "a\0b"] {
        let results = [
            ("create_run", store.create_run(name, &value)),
            ("put_answer", store.put_answer("kit-names", name, &value)),
            ("put_output", lease.put_output(name, b"x").map(drop)),
        ];
        for (method, result) in results {
            ensure(matches!(result, Err(StoreError::Name { .. })), StoreRule::ChecksNames, || {
                format!("`{method}` with the name {name:?} returned {result:?}")
            })?;
        }
    }
    for key in ["", "a\0b"] {
        ensure(lease.open(key).is_err(), StoreRule::ChecksNames, || {
            format!("`open` accepted the key {key:?}")
        })?;
    }
    Ok(())
}

/// Bodies that a store of parsed JSON would change.
fn bodies() -> RuleResult<Vec<RawJson>> {
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    let texts = ["null", SETTINGS, "[1e400,-0.0,123456789012345678901234567890]", "\"日本語 ' ; --\"", &long];
    texts.into_iter().map(json).collect()
}

pub(super) fn check_records(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::KeepsRecords;
    create(store, "kit-records")?;
    let read = || store.read_run_journal("kit-records").or_rule(rule, "the records could not be read");
    ensure(read()?.is_empty(), rule, || "a new run has records".to_owned())?;
    let lease = claim(store, "kit-records")?;
    let mut expected = Vec::new();
    for round in 0..2 {
        let mut journal = lease.open_run_journal().or_rule(rule, "the journal could not be opened")?;
        for body in bodies()? {
            let seq = expected.len() as u64;
            let at_ms = 1_790_000_000_000_u64.saturating_sub(seq);
            let durability = if seq % 2 == round { Durability::Synced } else { Durability::Buffered };
            let number = journal.append(body.clone(), at_ms, durability).or_rule(rule, "an append failed")?;
            ensure(number == seq, rule, || format!("append {seq} returned the number {number}"))?;
            expected.push(Record::new(seq, at_ms, body));
        }
        let own = journal.records().or_rule(rule, "the journal could not be read")?;
        compare(&expected, &own)?;
        compare(&expected, &read()?)?;
    }
    lease.release().or_rule(StoreRule::Releases, "the lease could not be released")
}

fn compare(expected: &[Record], returned: &[Record]) -> RuleResult {
    let (count, found) = (expected.len(), returned.len());
    ensure(count == found, StoreRule::KeepsRecords, || format!("{count} records were returned as {found}"))?;
    for (one, other) in expected.iter().zip(returned) {
        let is_same =
            one.seq == other.seq && one.at_ms == other.at_ms && one.body.as_str() == other.body.as_str();
        ensure(is_same, StoreRule::KeepsRecords, || {
            format!("record {} was returned with other values", one.seq)
        })?;
    }
    Ok(())
}

pub(super) fn check_journals(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::SeparatesJournals;
    let run = "kit-journals";
    create(store, run)?;
    let lease = claim(store, run)?;
    let append = |journal: &mut dyn Journal, body: &str| {
        journal.append(json(body)?, 0, Durability::Synced).or_rule(rule, "an append failed")
    };
    append(&mut *lease.open_run_journal().or_rule(rule, "the journal could not be opened")?, "0")?;
    let keys = ["r/call_1", "r/call_1/inner", "ü/../%"];
    for (number, key) in keys.iter().enumerate() {
        let found = lease.find(key).or_rule(rule, "a journal could not be searched")?;
        ensure(found.is_none(), rule, || format!("the journal {key:?} was found before it was opened"))?;
        let mut journal = lease.open(key).or_rule(rule, "a journal could not be opened")?;
        append(&mut *journal, &number.to_string())?;
        let records = store.read_journal(run, key).or_rule(rule, "a journal could not be read")?;
        let bodies: Vec<_> = records.iter().map(|record| record.body.as_str().to_owned()).collect();
        ensure(bodies == [number.to_string()], rule, || {
            format!("the journal {key:?} has the records {bodies:?}")
        })?;
    }
    let listed = store.list_journals(run).or_rule(rule, "the journals could not be listed")?;
    ensure(listed == keys, rule, || format!("the journals {keys:?} were listed as {listed:?}"))?;
    let own = store.read_run_journal(run).or_rule(rule, "the records could not be read")?.len();
    ensure(own == 1, rule, || format!("the run's own journal has {own} records after one append"))
}

pub(super) fn check_answers(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::ReplacesAnswers;
    let run = "kit-answers";
    create(store, run)?;
    for (name, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
        store.put_answer(run, name, &json(value)?).or_rule(rule, "an answer could not be stored")?;
    }
    let answers = store.read_answers(run).or_rule(rule, "the answers could not be read")?;
    let found: Vec<_> = answers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    ensure(found == [("a", "2"), ("b", "3")], rule, || format!("the answers b=1, a=2, b=3 are {found:?}"))
}

pub(super) fn check_messages(store: &Arc<dyn Store>) -> RuleResult {
    let rule = StoreRule::KeepsMessages;
    let run = "kit-messages";
    create(&**store, run)?;
    let mut numbers = Vec::new();
    for value in ["0", "1", "2"] {
        numbers.push(store.push_message(run, &json(value)?).or_rule(rule, "a message could not be stored")?);
    }
    ensure(numbers.is_sorted_by(|one, other| one < other), rule, || {
        format!("messages have the numbers {numbers:?}")
    })?;
    let lease = claim(&**store, run)?;
    let second = numbers.get(1).copied().unwrap_or_default();
    for _ in 0..2 {
        lease.remove_message(second).or_rule(rule, "a message could not be removed twice")?;
    }
    let bodies = |store: &dyn Store| -> RuleResult<Vec<String>> {
        let messages = store.read_messages(run).or_rule(rule, "the messages could not be read")?;
        Ok(messages.into_iter().map(|(_, body)| body.as_str().to_owned()).collect())
    };
    let left = bodies(&**store)?;
    ensure(left == ["0", "2"], rule, || format!("without message 1, the messages 0, 1, 2 are {left:?}"))?;
    let newest = numbers.last().copied().unwrap_or_default();
    lease.remove_message(newest).or_rule(rule, "a message could not be removed")?;
    let next = store.push_message(run, &json("4")?).or_rule(rule, "a message could not be stored")?;
    ensure(next > newest, rule, || format!("a message has the number {next} after the removed {newest}"))?;
    lease.remove_message(newest).or_rule(rule, "a message could not be removed twice")?;
    let left = bodies(&**store)?;
    ensure(left == ["0", "4"], rule, || format!("a repeated removal left the messages {left:?}"))?;
    let barrier = Arc::new(Barrier::new(4));
    let push = |value: RawJson| {
        let (store, barrier) = (Arc::clone(store), Arc::clone(&barrier));
        std::thread::spawn(move || {
            barrier.wait();
            store.push_message(run, &value)
        })
    };
    let value = json("3")?;
    let threads: Vec<_> = (0..4).map(|_| push(value.clone())).collect();
    for thread in threads {
        match thread.join() {
            Ok(pushed) => drop(pushed.or_rule(rule, "one of four messages at once was refused")?),
            Err(_) => ensure(false, rule, || "`push_message` panicked".to_owned())?,
        }
    }
    let count = bodies(&**store)?.len();
    ensure(count == 6, rule, || format!("{count} messages remain of 2 and 4 that were stored at once"))
}

pub(super) fn check_outputs(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::KeepsOutputs;
    let run = "kit-outputs";
    create(store, run)?;
    let lease = claim(store, run)?;
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    let put =
        |name, content: &[u8]| lease.put_output(name, content).or_rule(rule, "an output could not be stored");
    let hash = put("1.txt", &bytes)?;
    ensure(hash == ContentHash::compute(&bytes), rule, || format!("`put_output` returned the hash {hash}"))?;
    put("2.txt", b"old")?;
    let other = put("2.txt", b"new")?;
    let listed = store.list_outputs(run).or_rule(rule, "the outputs could not be listed")?;
    let listed: Vec<_> = listed.into_iter().map(|output| (output.name, output.hash)).collect();
    ensure(listed == [("1.txt".to_owned(), hash.clone()), ("2.txt".to_owned(), other)], rule, || {
        format!("the outputs are listed as {listed:?}")
    })?;
    let read = |hash: &ContentHash| store.read_output(run, hash).or_rule(rule, "an output could not be read");
    ensure(read(&hash)?.as_ref() == Some(&bytes), rule, || {
        "a content was returned with other bytes".to_owned()
    })?;
    let none = read(&ContentHash::compute(b"none"))?;
    ensure(none.is_none(), rule, || "a content was found that was not stored".to_owned())
}

/// Checks the values of the functions above in a store that was opened again.
pub(super) fn check_reopened(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::SurvivesReopening;
    let settings = store.read_settings("kit-2").or_rule(rule, "settings could not be read")?;
    let records = store.read_run_journal("kit-records").or_rule(rule, "records could not be read")?.len();
    let journals = store.list_journals("kit-journals").or_rule(rule, "journals could not be listed")?.len();
    let answers = store.read_answers("kit-answers").or_rule(rule, "answers could not be read")?.len();
    let messages = store.read_messages("kit-messages").or_rule(rule, "messages could not be read")?.len();
    let outputs = store.list_outputs("kit-outputs").or_rule(rule, "outputs could not be listed")?.len();
    let found = (records, journals, answers, messages, outputs);
    let expected = (2 * bodies()?.len(), 3, 2, 6, 2);
    ensure(settings.as_str() == SETTINGS && found == expected, rule, || {
        format!(
            "the numbers of records, journals, answers, messages and outputs were {expected:?} and are {found:?}"
        )
    })?;
    let fence = claim(store, "kit-records")?.fence();
    ensure(fence == 2, rule, || format!("the second claim of a run has the fencing number {fence}"))
}
