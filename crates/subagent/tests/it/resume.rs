//! A run that was killed while agents worked resumes with them: no result is lost, and no call runs twice
//! (RULES R6).

use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use serde_json::json;
use windlass_agent::{ApproveAll, Entry, Outcome, RunOptions};
use windlass_journal::{Journal as _, Journals as _};
use windlass_protocol::ResultStatus;

use crate::scene::{Cast, Scene, Shared, agent, calls, ended, hand, says};

fn scene() -> Scene {
    let cast = Cast::new([
        ("root", vec![calls([hand("h1", "sub_agent_middle"), hand("h2", "sub_agent_child")]), says("done")]),
        (
            "middle",
            vec![
                calls([("w1", "write_file", json!({}))]),
                calls([hand("h3", "sub_agent_child")]),
                says("the middle is done"),
            ],
        ),
        (
            "child",
            vec![
                calls([("r", "read_file", json!({}))]),
                calls([("w2", "write_file", json!({}))]),
                says("the child is done"),
            ],
        ),
    ]);
    Scene::new(cast, [agent("middle").with_delegation(), agent("child")])
}

/// Returns how many writes the records contain as done, and how many as unknown.
fn recorded(scene: &Scene) -> (usize, usize) {
    let (mut made, mut unknown) = (0, 0);
    for key in scene.journals.keys() {
        for record in scene.journals.open(&key).unwrap().records().unwrap() {
            let Entry::Result { result } = record.read::<Entry>().unwrap() else { continue };
            if result.call.as_str().starts_with('w') {
                made += usize::from(result.status == ResultStatus::Ok);
                unknown += usize::from(result.status == ResultStatus::EffectsUnknown);
            }
        }
    }
    (made, unknown)
}

// The run is killed after each of its events, so in each of its states.
#[tokio::test]
async fn a_run_killed_at_any_event_resumes_with_its_agents() {
    let mut kills = 0;
    for after in 0.. {
        let (scene, journal) = (scene(), Shared::default());
        let options = || RunOptions::default().with_journal(journal.clone()).with_run_id("run-1");
        let root = || scene.builder().approver(ApproveAll).build().unwrap();
        let mut events = root().stream_with("task", options());
        let mut seen = 0;
        while seen < after && events.next().await.is_some() {
            seen += 1;
        }
        drop(events);
        // Dropped tasks get time to end.
        tokio::task::yield_now().await;
        let is_over = journal
            .records()
            .unwrap()
            .last()
            .is_some_and(|record| matches!(record.read::<Entry>().unwrap(), Entry::Finished { .. }));
        if is_over {
            break;
        }
        kills += 1;
        let is_begun = !journal.records().unwrap().is_empty();
        let stream =
            if is_begun { root().resume(options()).unwrap() } else { root().stream_with("task", options()) };
        let (outcome, _) = ended(stream).await;
        assert_eq!(outcome, Outcome::Completed { text: "done".into() }, "killed after {after} events");
        assert_eq!(scene.cast.told("root"), "the middle is done\nthe child is done", "after {after}");
        let (made, unknown) = recorded(&scene);
        assert_eq!(made + unknown, 3, "killed after {after} events");
        let began = scene.write.began.load(Ordering::SeqCst);
        assert!((made..=3).contains(&began), "{began} writes began, {made} are on record, after {after}");
    }
    assert!(kills > 20, "{kills} kills");
}

// The recorded result of a finished agent is returned again, and the agent does not run again.
#[tokio::test]
async fn an_agent_that_was_done_is_not_called_again() {
    let scene = scene();
    let journal = Shared::default();
    let options = || RunOptions::default().with_journal(journal.clone()).with_run_id("run-1");
    let root = || scene.builder().approver(ApproveAll).build().unwrap();
    ended(root().stream_with("task", options())).await;
    let asked = scene.cast.requests.lock().unwrap().len();
    // The root's record breaks off before its agents' results.
    let cut = Shared::default();
    for record in journal.records().unwrap() {
        if matches!(record.read::<Entry>().unwrap(), Entry::Result { .. }) {
            break;
        }
        cut.0.lock().unwrap().append(record.body, 0, windlass_journal::Durability::Synced).unwrap();
    }
    let options = RunOptions::default().with_journal(cut.clone());
    let (outcome, _) = ended(root().resume(options).unwrap()).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    assert_eq!(scene.cast.requests.lock().unwrap().len(), asked + 1, "only the root's last answer is new");
}
