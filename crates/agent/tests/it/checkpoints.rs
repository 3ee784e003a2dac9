//! The checkpoint before the first change of a turn: which calls wait for it, its events, and a run without a
//! checkpoint.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use windlass_agent::{
    ApproveAll, CheckpointFailed, CheckpointFuture, Checkpointer, Event, RunOptions, WithoutCheckpoint,
};
use windlass_protocol::ResultStatus;
use windlass_redact::Redactor;
use windlass_tool::CancellationToken;

use crate::scene::{Scene, events, way, ways};

/// Two turns that change something, a turn between them that only reads, and the end.
const TURNS: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "r1", "name": "look"}},
        {"call": {"id": "w1", "name": "change", "arguments": {"n": 1}}},
        {"call": {"id": "w2", "name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"id": "r2", "name": "look", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"id": "w3", "name": "change", "arguments": {"n": 3}}}]},
    {"steps": [{"call": {"id": "end", "name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// Records each request, and the number of changes before it.
#[derive(Clone, Default)]
struct Noting {
    asked: Arc<Mutex<Vec<String>>>,
    changes: Arc<AtomicUsize>,
    fails: bool,
    hangs: bool,
}

impl Noting {
    fn of(scene: &Scene) -> Self {
        Self { changes: scene.write.calls.clone(), ..Self::default() }
    }

    fn note(&self, what: &str) -> CheckpointFuture<'_> {
        let asked = format!("{what} with {}", self.changes.load(Ordering::SeqCst));
        self.asked.lock().unwrap().push(asked.clone());
        Box::pin(async move {
            if self.hangs {
                std::future::pending::<()>().await;
            }
            // A call that does not wait gets past this line.
            tokio::time::sleep(Duration::from_millis(20)).await;
            if self.fails { Err(CheckpointFailed::new("no room")) } else { Ok(asked) }
        })
    }
}

impl Checkpointer for Noting {
    fn save_before_change(&self, turn: u32) -> CheckpointFuture<'_> {
        self.note(&format!("before {turn}"))
    }

    fn diff_of_turn(&self, turn: u32) -> CheckpointFuture<'_> {
        self.note(&format!("after {turn}"))
    }

    fn diff_of_run(&self) -> CheckpointFuture<'_> {
        self.note("run")
    }
}

async fn run(scene: &Scene, noting: &Noting, without: WithoutCheckpoint) -> Vec<Event> {
    let agent = scene.builder().approver(ApproveAll).build().unwrap();
    let options = RunOptions::default().with_checkpoints(noting.clone(), without);
    events(agent.stream_with("task", options)).await
}

/// Events about checkpoints, and the starts and ends of turns.
fn told(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::TurnStarted { turn, .. } => Some(format!("turn {turn}")),
        Event::Checkpoint { turn, id } => Some(format!("checkpoint {turn}: {id}")),
        Event::CheckpointFailed { turn, problem } => Some(format!("none {turn}: {problem}")),
        Event::TurnDiff { turn, diff } => Some(format!("diff {turn}: {diff}")),
        Event::RunDiff { diff } => Some(format!("diff: {diff}")),
        Event::Finished { .. } => Some("end".to_owned()),
        _ => None,
    };
    events.iter().filter_map(line).collect()
}

// L6: the checkpoint also covers calls that begin while their answer streams.
#[tokio::test]
async fn a_turn_is_checkpointed_once_before_its_first_change_and_reported_after_its_last() {
    for way in ways() {
        let scene = Scene::new(TURNS, way);
        let noting = Noting::of(&scene);
        let events = run(&scene, &noting, WithoutCheckpoint::Run).await;
        assert_eq!(
            told(&events),
            [
                "turn 1",
                "checkpoint 1: before 1 with 0",
                "diff 1: after 1 with 2",
                "turn 2",
                "turn 3",
                "checkpoint 3: before 3 with 2",
                "diff 3: after 3 with 3",
                "turn 4",
                "diff: run with 3",
                "end"
            ]
        );
        let ran = events
            .iter()
            .filter(|event| matches!(event, Event::CallEnded { result } if result.status.is_ok()));
        assert_eq!(ran.count(), 6);
    }
}

#[tokio::test]
async fn a_run_that_changes_nothing_keeps_nothing() {
    let scene = Scene::new(
        r#"{"turns": [{"steps": [{"call": {"name": "look"}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#,
        way(),
    );
    let noting = Noting::of(&scene);
    run(&scene, &noting, WithoutCheckpoint::Refuse).await;
    assert_eq!(noting.asked.lock().unwrap().as_slice(), [""; 0]);
}

#[tokio::test]
async fn without_a_checkpoint_calls_run_or_are_refused_as_configured() {
    for (without, changes) in [(WithoutCheckpoint::Run, 3), (WithoutCheckpoint::Refuse, 0)] {
        let scene = Scene::new(TURNS, way());
        let noting = Noting { fails: true, ..Noting::of(&scene) };
        let events = run(&scene, &noting, without).await;
        assert_eq!(scene.write.calls.load(Ordering::SeqCst), changes);
        assert_eq!(scene.read.calls.load(Ordering::SeqCst), 2);
        let told = told(&events);
        assert_eq!(told.iter().filter(|line| line.starts_with("none")).count(), 2, "{told:?}");
        assert!(!told.iter().any(|line| line.starts_with("diff")), "{told:?}");
        let refused: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::CallEnded { result } if result.status == ResultStatus::NotStarted => {
                    Some(result.wire_text())
                }
                _ => None,
            })
            .collect();
        assert_eq!(refused.len(), 3 - changes);
        assert!(
            refused.iter().all(|text| text.contains("that it may change failed: no room")),
            "{refused:?}"
        );
    }
}

// L7: calls that wait for the checkpoint are cancelled like any other call, and have changed nothing. The
// clock stops until nothing moves, so that both calls wait for the checkpoint: the call that creates the
// checkpoint releases it when it is cancelled.
#[tokio::test(start_paused = true)]
async fn a_call_at_the_gate_is_stopped() {
    let scene = Scene::new(TURNS, way());
    let noting = Noting { hangs: true, ..Noting::of(&scene) };
    let stop = CancellationToken::new();
    let agent = scene.builder().approver(ApproveAll).build().unwrap();
    let options = RunOptions::default()
        .with_cancellation(stop.clone())
        .with_checkpoints(noting.clone(), WithoutCheckpoint::Run);
    let running = tokio::spawn(events(agent.stream_with("task", options)));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(noting.asked.lock().unwrap().len(), 1);
    stop.cancel();
    let events = running.await.unwrap();
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
    let cancelled = |event: &&Event| matches!(event, Event::CallEnded { result } if result.status == ResultStatus::Cancelled);
    assert_eq!(events.iter().filter(cancelled).count(), 2);
    assert_eq!(noting.asked.lock().unwrap().len(), 1);
}

// A diff shows files, and files may hold secrets.
#[tokio::test]
async fn a_diff_is_reported_without_secrets() {
    let scene = Scene::new(TURNS, way());
    let noting = Noting::of(&scene);
    let redactor = Redactor::new(["after 1 with".into()]);
    let agent = scene.builder().approver(ApproveAll).redactor(redactor).build().unwrap();
    let options = RunOptions::default().with_checkpoints(noting, WithoutCheckpoint::Run);
    let told = told(&events(agent.stream_with("task", options)).await);
    let diff = told.iter().find(|line| line.starts_with("diff 1")).unwrap();
    assert!(diff.contains(Redactor::MARK) && !diff.contains("after"), "{diff}");
}
