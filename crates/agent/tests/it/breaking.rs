//! Approvers and stores that panic: the run continues without them, and never waits for an answer that does
//! not arrive (L8).

use std::sync::atomic::Ordering;
use std::time::Duration;

use windlass_agent::{
    ApproveAll, Budget, CheckpointFuture, Checkpointer, Event, Outcome, RunOptions, StopCause,
    WithoutCheckpoint,
};
use windlass_tool::{AnswerFuture, Human, Question};

use crate::scene::{Scene, events, way};

const TURNS: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "w1", "name": "change", "arguments": {"n": 1}}}]},
    {"steps": [{"call": {"id": "w2", "name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"id": "end", "name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// Panics when asked, or when the answer is waited for.
#[derive(Clone, Copy)]
struct Breaking {
    is_late: bool,
}

impl Breaking {
    fn answer(self) {
        assert!(self.is_late, "it broke at once");
    }
}

impl Human for Breaking {
    fn answer<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a> {
        Self::answer(*self);
        Box::pin(async { unreachable!("it broke later") })
    }
}

impl Checkpointer for Breaking {
    fn save_before_change(&self, _: u32) -> CheckpointFuture<'_> {
        Self::answer(*self);
        Box::pin(async { unreachable!("it broke later") })
    }

    fn diff_of_turn(&self, turn: u32) -> CheckpointFuture<'_> {
        self.save_before_change(turn)
    }

    fn diff_of_run(&self) -> CheckpointFuture<'_> {
        self.save_before_change(0)
    }
}

/// Returns the events of a run, which must end within 20 s.
async fn ended(stream: windlass_agent::EventStream) -> Vec<Event> {
    tokio::time::timeout(Duration::from_secs(20), events(stream)).await.unwrap()
}

// Correctness 11: a human whose implementation panics is treated as a missing human.
#[tokio::test]
async fn a_panic_of_the_human_stops_the_run() {
    for is_late in [false, true] {
        let scene = Scene::new(TURNS, way());
        let budget = Budget { requests: 1, ..Budget::default() };
        let builder = scene.builder().approver(ApproveAll).human(Breaking { is_late }).budget(budget);
        let told = ended(builder.build().unwrap().stream("task")).await;
        let stopped = Outcome::Stopped { cause: StopCause::Budget };
        assert!(matches!(told.last(), Some(Event::Finished { outcome, .. }) if *outcome == stopped));
    }
}

#[tokio::test]
async fn a_checkpointer_that_panics_has_failed() {
    for is_late in [false, true] {
        for (without, changes) in [(WithoutCheckpoint::Run, 2), (WithoutCheckpoint::Refuse, 0)] {
            let scene = Scene::new(TURNS, way());
            let agent = scene.builder().approver(ApproveAll).build().unwrap();
            let options = RunOptions::default().with_checkpoints(Breaking { is_late }, without);
            let told = ended(agent.stream_with("task", options)).await;
            assert!(told.iter().any(|event| matches!(event, Event::CheckpointFailed { .. })));
            assert!(matches!(told.last(), Some(Event::Finished { outcome: Outcome::Completed { .. }, .. })));
            assert_eq!(scene.write.calls.load(Ordering::SeqCst), changes);
        }
    }
}
