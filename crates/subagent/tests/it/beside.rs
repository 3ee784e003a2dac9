//! Agents that work beside their caller.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use windlass_agent::{ApproveAll, Event, Outcome, RunOptions};

use crate::scene::{Cast, Line, Scene, Shared, agent, calls, ended, says};

fn spawn(id: &'static str, agent: &'static str) -> (&'static str, &'static str, serde_json::Value) {
    (id, "spawn_agent", json!({"agent": agent, "task": "do it"}))
}

#[tokio::test(start_paused = true)]
async fn an_agent_runs_in_the_background_and_reports_on_wait() {
    let cast = Cast::new([
        (
            "root",
            vec![
                calls([spawn("s1", "child")]),
                calls([("r", "read_file", json!({}))]),
                calls([("i", "send_input", json!({"agent_id": "child:s1", "text": "hurry"}))]),
                calls([("w0", "wait", json!({"agent_ids": ["child:s1"], "timeout_seconds": 0}))]),
                calls([("w1", "wait", json!({"agent_ids": ["child:s1"]}))]),
                calls([("i2", "send_input", json!({"agent_id": "child:s1", "text": "more"}))]),
                says("done"),
            ],
        ),
        ("child", vec![calls([("s", "slow", json!({}))]), says("slept well")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    let (outcome, events) = ended(scene.builder().build().unwrap().stream("task")).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    let told = cast.told("root");
    for says in [
        "child:s1 works",
        "child:s1 receives it before its next answer",
        "child:s1: still works",
        "child:s1: done\nslept well",
        "child:s1 has ended and receives no messages",
    ] {
        assert!(told.contains(says), "{says:?} in {told}");
    }
    let requests = cast.requests.lock().unwrap();
    let child = requests.iter().rev().find(|(part, _)| part == "child").unwrap();
    assert!(format!("{:?}", child.1.messages).contains("hurry"));
    // The report contains text of others, through whichever tool it comes.
    let waited = events.iter().find_map(|event| match event {
        Event::CallEnded { result } if result.call.as_str() == "w1" => Some(result.flags.clone()),
        _ => None,
    });
    assert_eq!(waited.unwrap(), [windlass_protocol::ResultFlag::External]);
    assert!(
        events.iter().any(|event| matches!(event, Event::AgentEvent { agents, .. } if *agents == ["child"]))
    );
}

#[tokio::test(start_paused = true)]
async fn closed_and_abandoned_agents_end() {
    let cast = Cast::new([
        (
            "root",
            vec![
                calls([spawn("s1", "child"), spawn("s2", "child")]),
                calls([("r", "read_file", json!({}))]),
                calls([("c", "close_agent", json!({"agent_id": "child:s1"}))]),
                says("done"),
            ],
        ),
        ("child", vec![calls([("s", "slow", json!({}))]), says("slept")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    ended(scene.builder().build().unwrap().stream("task")).await;
    assert!(cast.told("root").contains("child:s1: stopped"), "{}", cast.told("root"));
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(scene.slow.running(), 0);
    assert_eq!(scene.slow.ended.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn unknown_agents_and_ids_are_named_in_errors() {
    let cast = Cast::new([(
        "root",
        vec![
            calls([
                spawn("s1", "nobody"),
                ("w", "wait", json!({"agent_ids": ["child:other"]})),
                ("c", "close_agent", json!({"agent_id": "nonsense"})),
            ]),
            says("done"),
        ],
    )]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    ended(scene.builder().build().unwrap().stream("task")).await;
    let told = cast.told("root");
    assert!(told.contains("unknown agent nobody; known agents: child"), "{told}");
    assert!(told.contains("unknown agent child:other"), "{told}");
    assert!(told.contains("unknown agent nonsense"), "{told}");
}

// R6: after a kill of the caller, a resumed caller requests the agent's result, and the agent resumes from its
// record.
#[tokio::test(start_paused = true)]
async fn a_background_agent_of_a_killed_caller_is_resumed() {
    let cast = Cast::new([
        (
            "root",
            vec![
                calls([spawn("s1", "child")]),
                calls([("r", "slow", json!({}))]),
                calls([("w", "wait", json!({"agent_ids": ["child:s1"]}))]),
                says("done"),
            ],
        ),
        (
            "child",
            vec![
                calls([("w", "write_file", json!({}))]),
                calls([("s", "slow", json!({}))]),
                says("it is written"),
            ],
        ),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    let journal = Shared::default();
    let options = || RunOptions::default().with_journal(journal.clone()).with_run_id("run-1");
    let root = || scene.builder().approver(ApproveAll).build().unwrap();
    let mut events = root().stream_with("task", options());
    while scene.slow.running() < 2 {
        futures_util::StreamExt::next(&mut events).await.unwrap().unwrap();
    }
    drop(events);
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(scene.slow.running(), 0);
    let (outcome, _) = ended(root().resume(options()).unwrap()).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    assert!(cast.told("root").contains("child:s1: done\nit is written"), "{}", cast.told("root"));
    assert_eq!(scene.write.ended.load(Ordering::SeqCst), 1);
}

// correctness, suspicion: an id that the model invented created a folder and a journal.
#[tokio::test]
async fn an_id_that_a_model_invented_makes_no_journal() {
    let cast = Cast::new([
        ("root", vec![calls([("w", "wait", json!({"agent_ids": ["child:invented"]}))]), says("done")]),
        ("child", vec![says("nothing")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    let (_, _) = ended(scene.builder().build().unwrap().stream("task")).await;
    assert!(cast.told("root").contains("unknown agent child:invented"), "{}", cast.told("root"));
    let keys = scene.journals.keys();
    assert!(!keys.iter().any(|key| key.contains("invented")), "{keys:?}");
}

// correctness, suspicion: an agent that panicked worked for ever.
#[tokio::test(start_paused = true)]
async fn an_agent_that_panics_has_ended() {
    let cast = Cast::new([
        (
            "root",
            vec![
                calls([spawn("s1", "child")]),
                calls([("w", "wait", json!({"agent_ids": ["child:s1"], "timeout_seconds": 60}))]),
                says("done"),
            ],
        ),
        ("child", vec![Line::Panics]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    let (outcome, _) = ended(scene.builder().build().unwrap().stream("task")).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    assert!(cast.told("root").contains("child:s1: failed"), "{}", cast.told("root"));
}
