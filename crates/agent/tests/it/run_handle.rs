//! Runs in tasks of their own, and readers that leave and come back.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use serde_json::json;
use windlass_agent::{
    AgentError, ApproveAll, Event, EventBufferLimits, NumberedEvent, Outcome, RunHandle, RunOptions,
    RunReader, StopCause,
};

use crate::scene::{Scene, Shared, events, way, ways};

fn script() -> String {
    let words = "The quick brown fox jumps over the lazy dog. ".repeat(4);
    json!({"turns": [
        {"steps": [{"reasoning": "I think."}, {"text": words},
            {"call": {"name": "look", "arguments": {"n": "some words in the arguments"}}},
            {"call": {"name": "change", "arguments": {"n": "other words"}}}], "piece": 5},
        {"steps": [{"text": words}], "piece": 3},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]})
    .to_string()
}

fn scene() -> Scene {
    Scene::new(&script(), way())
}

fn start(scene: &Scene) -> RunHandle {
    scene.builder().approver(ApproveAll).build().unwrap().stream("task").spawn()
}

/// The texts of a run by their source, and its other events in order.
#[derive(Debug, Default, PartialEq)]
struct Sum {
    texts: BTreeMap<String, String>,
    others: Vec<Event>,
}

impl Sum {
    fn add(&mut self, event: Event) {
        let (source, text) = match event {
            Event::Text { text } => ("text".to_owned(), text),
            Event::Reasoning { text } => ("reasoning".to_owned(), text),
            Event::CallArguments { call, delta } => (format!("arguments {call}"), delta),
            Event::CallProgress { call, text } => (format!("progress {call}"), text),
            other => return self.others.push(other),
        };
        self.texts.entry(source).or_default().push_str(&text);
    }

    /// The sorted names of the other events: calls run at the same time, and their order differs between runs.
    fn names(&self) -> Vec<String> {
        let name = |event: &Event| serde_json::to_value(event).unwrap()["event"].to_string();
        let mut names: Vec<_> = self.others.iter().map(name).collect();
        names.sort();
        names
    }
}

fn sum(events: impl IntoIterator<Item = Event>) -> Sum {
    let mut sum = Sum::default();
    events.into_iter().for_each(|event| sum.add(event));
    sum
}

async fn rest(mut reader: RunReader) -> Vec<NumberedEvent> {
    let mut events = Vec::new();
    while let Some(event) = reader.next().await {
        events.push(event.unwrap());
    }
    events
}

// For any split of reading, leaving and reading again, the joined texts are those of the direct stream.
#[tokio::test]
async fn readers_that_reconnect_receive_all_text_and_events() {
    for way in ways() {
        let place = format!("{} {:?}", way.wire.name(), way.protocol);
        let agent = |scene: &Scene| scene.builder().approver(ApproveAll).build().unwrap();
        let direct = sum(events(agent(&Scene::new(&script(), way.clone())).stream("task")).await);
        for seed in 0..12_u64 {
            let scene = Scene::new(&script(), way.clone());
            let run = agent(&scene).stream("task").spawn();
            let (mut sum, mut next, mut state) = (Sum::default(), 1, seed);
            'run: loop {
                let mut reader = run.events_from(next);
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                for _ in 0..(state >> 33) % 7 {
                    let Some(event) = reader.next().await else { break 'run };
                    let event = event.unwrap();
                    assert_eq!((event.number, event.missing), (next + event.merged, 0), "{place}");
                    next = event.number + 1;
                    sum.add(event.event);
                }
                assert_eq!(reader.next_number(), next);
                drop(reader);
                for _ in 0..(state >> 40) % 5 {
                    tokio::task::yield_now().await;
                }
            }
            assert_eq!(sum.texts, direct.texts, "{place}, seed {seed}");
            assert_eq!(sum.names(), direct.names(), "{place}, seed {seed}");
            // A reader that starts after the end gets the same texts in fewer events.
            let late = rest(run.events()).await;
            let joined: u64 = late.iter().map(|event| event.merged).sum();
            assert_eq!(late.len() as u64 + joined, run.event_count(), "{place}");
            assert!(joined > 20, "{place}: {joined}");
            assert_eq!(self::sum(late.into_iter().map(|event| event.event)), sum, "{place}");
        }
    }
}

#[tokio::test]
async fn a_run_continues_without_readers_and_reports_its_end() {
    let scene = scene();
    let run = start(&scene);
    let mut reader = run.events();
    let first = reader.next().await.unwrap().unwrap();
    assert_eq!((first.number, first.merged, first.missing), (1, 0, 0));
    drop(reader);
    assert!(!run.is_ended());
    let report = run.clone().report().await.unwrap();
    assert_eq!(report.text(), Some("done"));
    assert!(run.is_ended());
    assert_eq!(run.report().await.unwrap(), report, "every caller gets the report");
    assert_eq!(rest(run.events_from(run.event_count())).await.len(), 1);
    assert!(rest(run.events_from(run.event_count() + 1)).await.is_empty());
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn several_readers_read_at_their_own_pace() {
    let run = start(&scene());
    let (fast, slow) = tokio::join!(rest(run.events()), async {
        let mut reader = run.events();
        let mut events = Vec::new();
        while let Some(event) = reader.next().await {
            events.push(event.unwrap());
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        events
    });
    let sum_of = |events: &[NumberedEvent]| sum(events.iter().map(|event| event.event.clone()));
    assert_eq!(sum_of(&fast), sum_of(&slow));
}

#[tokio::test]
async fn stop_ends_the_run_in_order_and_abort_at_once() {
    let script = r#"{"turns": [{"steps": [{"call": {"name": "wait", "arguments": {}}}]}]}"#;
    let scene = Scene::new(script, way());
    let run = start(&scene);
    let mut reader = run.events();
    while let Some(event) = reader.next().await {
        if matches!(event.unwrap().event, Event::CallRunning { .. }) {
            break;
        }
    }
    run.stop();
    let events = rest(reader).await;
    assert!(events.iter().any(|event| matches!(event.event, Event::CallEnded { .. })));
    let end = Outcome::Stopped { cause: StopCause::Cancelled };
    assert!(matches!(&events.last().unwrap().event, Event::Finished { outcome, .. } if *outcome == end));
    assert_eq!(run.report().await.unwrap().outcome, end);

    let run = start(&Scene::new(script, way()));
    let mut reader = run.events();
    assert!(reader.next().await.unwrap().is_ok());
    run.abort();
    let mut last = None;
    while let Some(event) = reader.next().await {
        last = Some(event);
    }
    assert!(matches!(last, Some(Err(error)) if matches!(*error, AgentError::TaskEnded)));
    assert!(matches!(*run.report().await.unwrap_err(), AgentError::TaskEnded));
}

#[tokio::test]
async fn an_error_reaches_every_reader_after_the_events() {
    let scene = scene();
    let journal = Shared { fails_at: Some(3), ..Shared::default() };
    let agent = scene.builder().approver(ApproveAll).build().unwrap();
    let run = agent.stream_with("task", RunOptions::default().with_journal(journal)).spawn();
    for _ in 0..2 {
        let mut reader = run.events();
        let mut last = None;
        while let Some(event) = reader.next().await {
            assert!(last.is_none(), "nothing follows the error");
            last = event.err();
        }
        assert!(matches!(last.as_deref(), Some(AgentError::Journal(_))), "{last:?}");
    }
    assert!(matches!(*run.report().await.unwrap_err(), AgentError::Journal(_)));
}

#[tokio::test]
async fn a_small_buffer_drops_pieces_and_never_decisions_results_or_the_end() {
    let scene = scene();
    let agent = scene.builder().approver(ApproveAll).build().unwrap();
    let limits = EventBufferLimits::default().with_bytes(600).with_pieces(2);
    let run = agent.stream("task").spawn_with(limits);
    run.report().await.unwrap();
    let late = rest(run.events()).await;
    let missing: u64 = late.iter().map(|event| event.missing).sum();
    assert!(missing > 20, "{missing}");
    let joined: u64 = late.iter().map(|event| event.merged).sum();
    assert_eq!(late.len() as u64 + joined + missing, run.event_count());
    let count = |is: fn(&Event) -> bool| late.iter().filter(|event| is(&event.event)).count();
    assert_eq!(count(|event| matches!(event, Event::Decided { .. })), 3);
    assert_eq!(count(|event| matches!(event, Event::CallEnded { .. })), 3);
    assert_eq!(count(|event| matches!(event, Event::Finished { .. })), 1);
}

#[tokio::test]
async fn a_resumed_run_is_spawned_like_a_new_one() {
    let scene = scene();
    let journal = Shared::default();
    let agent = scene.builder().approver(ApproveAll).build().unwrap();
    {
        let mut stream = agent.stream_with("task", RunOptions::default().with_journal(journal.clone()));
        while let Some(event) = stream.next().await {
            if matches!(event.unwrap(), Event::CallEnded { .. }) {
                break;
            }
        }
    }
    let resumed = agent.resume(RunOptions::default().with_journal(journal)).unwrap().spawn();
    assert_eq!(resumed.report().await.unwrap().text(), Some("done"));
}

#[test]
fn a_numbered_event_is_stored_as_json() {
    let text = r#"{"number":7,"merged":2,"event":{"event":"text","text":"Hi"}}"#;
    let event: NumberedEvent = serde_json::from_str(text).unwrap();
    assert_eq!((event.number, event.merged, event.missing), (7, 2, 0));
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
}
