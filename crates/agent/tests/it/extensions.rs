//! Replaceable parts of an agent: an asynchronous journal, the tokenizer, and the summaries of compaction.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use windlass_agent::{
    Agent, ContextLimits, CountTokens, Event, Hook, HookContext, HookFuture, HookPoint, RunOptions,
    Summarizer,
};
use windlass_journal::{
    AsyncJournal, Durability, Journal, JournalError, JournalFuture, MemoryJournal, Record,
};
use windlass_mock::MockModel;
use windlass_protocol::{RawJson, Request};

use crate::scene::events;

/// A journal that waits before each append, as a database on a network does.
#[derive(Clone, Default)]
struct Remote {
    inner: Arc<Mutex<MemoryJournal>>,
    most: Option<usize>,
}

impl AsyncJournal for Remote {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> JournalFuture<'_, u64> {
        Box::pin(async move {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            let mut inner = self.inner.lock().unwrap();
            if self.most.is_some_and(|most| inner.records().unwrap().len() >= most) {
                return Err(JournalError::other("the database is closed"));
            }
            inner.append(body, at_ms, durability)
        })
    }

    fn records(&self) -> JournalFuture<'_, Vec<Record>> {
        Box::pin(async { self.inner.lock().unwrap().records() })
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_awaits_an_asynchronous_journal_and_is_resumed_from_it() {
    let journal = Remote { most: Some(2), ..Remote::default() };
    let agent = |text: &str| Agent::builder().model(MockModel::new().text(text), "mock-1").build().unwrap();
    let options = RunOptions::default().with_async_journal(journal.clone()).await.unwrap();
    let error = agent("first").run_with("go", options).await.unwrap_err();
    assert_eq!(error.to_string(), "the run's record cannot be stored");
    assert_eq!(journal.inner.lock().unwrap().records().unwrap().len(), 2);
    let journal = Remote { most: None, ..journal };
    let options = RunOptions::default().with_async_journal(journal.clone()).await.unwrap();
    let report = agent("second").resume(options).unwrap().report().await.unwrap();
    let first = report.transcript.messages().first().unwrap().text();
    assert_eq!((first.as_str(), report.text().is_some()), ("go", true));
    assert!(journal.inner.lock().unwrap().records().unwrap().len() > 3);
}

/// Counts one token for each byte, so that a window is soon full.
struct Bytes(Arc<AtomicUsize>);

impl CountTokens for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
    }

    fn count(&self, text: &str) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        text.len() as u64
    }
}

struct Fixed(Option<&'static str>);

impl Summarizer for Fixed {
    fn summarize<'a>(&'a self, request: &'a Request) -> HookFuture<'a, Option<String>> {
        assert!(request.messages.len() > 2);
        Box::pin(async { self.0.map(str::to_owned) })
    }
}

struct Watch(Arc<AtomicUsize>);

impl Hook for Watch {
    fn name(&self) -> &'static str {
        "watch"
    }

    fn points(&self) -> &[HookPoint] {
        &[HookPoint::Compaction]
    }

    fn observe_compaction<'a>(&'a self, _: &'a HookContext, _: &'a Request) -> HookFuture<'a, ()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async {})
    }
}

/// Runs tasks in one session until the window of 1000 tokens is full; returns the requests as text and the events.
async fn fill(summary: Option<&'static str>) -> (String, Vec<Event>, usize, usize) {
    let (counted, watched) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let model =
        (0..6).fold(MockModel::new(), |model, number| model.text(format!("{number} {}", "x".repeat(200))));
    let context = ContextLimits { window: 1_000, ..ContextLimits::default() };
    let agent = Agent::builder()
        .tokenizer(Bytes(counted.clone()))
        .summarizer(Fixed(summary))
        .hook(Watch(watched.clone()))
        .context(context)
        .model(model.clone(), "mock-1")
        .build()
        .unwrap();
    let mut history = windlass_agent::Transcript::default();
    for number in 0..5 {
        let options = RunOptions::default().with_history(history.clone());
        let task = format!("task {number} {}", "y".repeat(100));
        let report = agent.run_with(task.as_str(), options).await.unwrap();
        history = report.transcript;
    }
    let shown = events(agent.stream_with("the last", RunOptions::default().with_history(history))).await;
    let requests = format!("{:?}", model.requests());
    (requests, shown, counted.load(Ordering::Relaxed), watched.load(Ordering::Relaxed))
}

#[tokio::test]
async fn an_own_tokenizer_fills_the_window_and_an_own_summary_replaces_the_turns() {
    let (requests, _, counted, watched) = fill(Some("the five tasks were letters")).await;
    assert!(counted > 0 && watched > 0, "{counted} {watched}");
    assert!(requests.contains("the five tasks were letters"));
    assert!(!requests.contains("Summarize what"), "the model was not asked for a summary");
}

#[tokio::test]
async fn without_a_summary_of_the_program_the_turns_are_removed() {
    let (requests, ..) = fill(None).await;
    assert!(requests.contains("Earlier turns were left out here"));
    assert!(!requests.contains("Summarize what"));
}
