//! Records and their owners: ids come from a model, and definitions change between two processes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use windlass_agent::{ApproveAll, Entry, RunOptions};
use windlass_journal::{Durability, Journals, MemoryJournals};
use windlass_subagent::AgentDefinition;

use crate::scene::{Cast, Scene, Shared, agent, calls, ended, hand, says};

fn spawn(id: &'static str) -> (&'static str, &'static str, Value) {
    (id, "spawn_agent", json!({"agent": "child", "task": "do it"}))
}

fn wait(id: &'static str, agent: &str) -> (&'static str, &'static str, Value) {
    (id, "wait", json!({"agent_ids": [agent], "timeout_seconds": 600}))
}

/// Runs a root that makes these calls, one after the other, over these journals: `child` and `other` look, write and
/// are done. The run always has the same id, like a resumed run.
async fn run(
    journals: &MemoryJournals,
    child: AgentDefinition,
    made: Vec<(&'static str, &'static str, Value)>,
) -> (Arc<Cast>, usize) {
    let mut root: Vec<_> = made.into_iter().map(|call| calls([call])).collect();
    root.push(says("done"));
    let works = || {
        vec![
            calls([("s", "slow", json!({}))]),
            calls([("w", "write_file", json!({}))]),
            says("it is written"),
        ]
    };
    let cast = Cast::new([("root", root), ("child", works()), ("other", works())]);
    let mut scene = Scene::new(cast.clone(), [child, agent("other")]);
    scene.journals = journals.clone();
    let options = RunOptions::default().with_journal(Shared::default()).with_run_id("run-1");
    ended(scene.builder().approver(ApproveAll).build().unwrap().stream_with("task", options)).await;
    // Wait until concurrent work has ended.
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    (cast, scene.write.ended.load(Ordering::SeqCst))
}

/// Returns the journals of a run in which a child was spawned and did not end.
async fn unfinished_work() -> MemoryJournals {
    let journals = MemoryJournals::default();
    let (_, writes) = run(&journals, agent("child"), vec![spawn("s1"), ("r", "read_file", json!({}))]).await;
    assert_eq!(writes, 0);
    assert!(journals.keys().contains(&"run-1/s1".to_owned()), "{:?}", journals.keys());
    journals
}

fn was_asked(cast: &Cast, part: &str) -> bool {
    cast.requests.lock().unwrap().iter().any(|(of, _)| of == part)
}

/// Copies the record of one key to another key, with changed entries.
fn copy_record(journals: &MemoryJournals, to: &str, change: impl Fn(&mut Value)) -> MemoryJournals {
    let copy = MemoryJournals::default();
    let mut journal = copy.open(to).unwrap();
    for record in journals.open("run-1/s1").unwrap().records().unwrap() {
        let mut entry: Value = record.read().unwrap();
        change(&mut entry);
        journal.append(entry.to_string().parse().unwrap(), record.at_ms, Durability::Synced).unwrap();
    }
    copy
}

#[tokio::test(start_paused = true)]
async fn the_record_names_its_agent_and_definition() {
    let journals = unfinished_work().await;
    let records = journals.open("run-1/s1").unwrap().records().unwrap();
    let Entry::Started { run, origin: Some(origin), .. } = records[0].read::<Entry>().unwrap() else {
        panic!("{records:?}")
    };
    assert_eq!(
        (run.as_str(), origin.agent.as_str(), origin.tool.as_str()),
        ("run-1/s1", "child", "spawn_agent")
    );
    assert_eq!(origin.definition.len(), 64);
}

// correctness, suspicion: a record was resumed under whatever definition the model named.
#[tokio::test(start_paused = true)]
async fn a_record_is_not_resumed_as_another_agent() {
    let (cast, writes) = run(&unfinished_work().await, agent("child"), vec![wait("w1", "other:s1")]).await;
    assert!(cast.told("root").contains("because it belongs to the agent child"), "{}", cast.told("root"));
    assert!(!was_asked(&cast, "other") && writes == 0);
    // The agent itself cannot be resumed under another definition while it works either.
    let made = vec![spawn("s2"), wait("w1", "other:s2"), wait("w2", "child:s2")];
    let (cast, writes) = run(&MemoryJournals::default(), agent("child"), made).await;
    let told = cast.told("root");
    assert!(told.contains("unknown agent other:s2") && told.contains("child:s2: done"), "{told}");
    assert_eq!(writes, 1);
}

#[tokio::test(start_paused = true)]
async fn a_record_is_resumed_only_under_its_definition() {
    let journals = unfinished_work().await;
    for changed in [
        AgentDefinition::new("child", "Does something.", "PART child. Be quick.").unwrap(),
        agent("child").with_tools(["write_file", "slow"]),
        agent("child").with_mode("code"),
        agent("child").read_only(),
        agent("child").with_delegation(),
    ] {
        let (cast, writes) = run(&journals, changed, vec![wait("w1", "child:s1")]).await;
        let told = cast.told("root");
        assert!(told.contains("child:s1: failed") && told.contains("have changed since it began"), "{told}");
        assert!(!was_asked(&cast, "child") && writes == 0);
    }
    let (cast, writes) = run(&journals, agent("child").with_turns(40), vec![wait("w1", "child:s1")]).await;
    assert!(cast.told("root").contains("child:s1: done\nit is written"), "{}", cast.told("root"));
    assert_eq!(writes, 1);
    // The report describes the recorded work, whatever the agent would do today.
    let (cast, writes) = run(&journals, agent("child").read_only(), vec![wait("w1", "child:s1")]).await;
    assert!(cast.told("root").contains("child:s1: done\nit is written"), "{}", cast.told("root"));
    assert_eq!(writes, 0);
}

#[tokio::test(start_paused = true)]
async fn a_record_belongs_to_one_call() {
    // The id of an agent that was called, and not spawned.
    let journals = MemoryJournals::default();
    let made = vec![hand("h1", "sub_agent_child"), wait("w1", "child:h1")];
    let (cast, _) = run(&journals, agent("child"), made).await;
    assert!(
        cast.told("root").contains("because a call of sub_agent_child started it"),
        "{}",
        cast.told("root")
    );
    // The id of another call.
    let copy = copy_record(&unfinished_work().await, "run-1/s9", |_| {});
    let (cast, writes) = run(&copy, agent("child"), vec![wait("w1", "child:s9")]).await;
    assert!(cast.told("root").contains("because it belongs to the call run-1/s1"), "{}", cast.told("root"));
    assert_eq!(writes, 0);
    // An id that belongs to no agent.
    let copy = copy_record(&unfinished_work().await, "run-1/s1", |entry| {
        if let Some(fields) = entry.as_object_mut() {
            fields.remove("task");
        }
    });
    let (cast, writes) = run(&copy, agent("child"), vec![wait("w1", "child:s1")]).await;
    assert!(cast.told("root").contains("is not the record of an agent"), "{}", cast.told("root"));
    assert_eq!(writes, 0);
}

#[tokio::test(start_paused = true)]
async fn a_record_of_an_earlier_version_can_be_resumed() {
    let journals = unfinished_work().await;
    let old = copy_record(&journals, "run-1/s1", |entry| {
        if entry["entry"] == "started" {
            entry["version"] = json!(6);
            entry.as_object_mut().unwrap().remove("origin");
        }
    });
    let (cast, writes) = run(&old, agent("child"), vec![wait("w1", "child:s1")]).await;
    assert!(cast.told("root").contains("child:s1: done\nit is written"), "{}", cast.told("root"));
    assert_eq!(writes, 1);
}
