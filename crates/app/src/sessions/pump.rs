//! The task that drives a run of a host, and publishes its feed.

use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::Stream as _;
use tokio::sync::mpsc;
use windlass_agent::{AgentError, Event};

use super::answer::Answer;
use super::handle::{RunEnd, RunShared};
use crate::error::{AppError, Result, one_line};
use crate::feed::{FeedEvent, FeedKind, Question, outcome_of};
use crate::runs::{Session, wait_for_words};

/// Interval at which a task that waits for stored words checks that its question is open.
const INTERVAL: Duration = Duration::from_millis(250);

/// The next step of a run.
enum Step {
    Event(Box<Event>),
    Error(AgentError),
    /// The run has no event ready, and records without numbers.
    Idle,
    End,
}

/// Reads a run to its end, and publishes its feed. Returns the end of the run.
pub(super) async fn drive(
    mut session: Session,
    shared: &RunShared,
    mut notes: mpsc::UnboundedReceiver<FeedKind>,
) -> RunEnd {
    let mut end = None;
    let recovered = session.feed.take_recovered();
    publish(&session, shared, recovered);
    let driven = read_to_end(&mut session, shared, &mut notes, &mut end).await;
    let rest = drain(&mut session, shared, &mut notes);
    match (driven.and(rest), end) {
        (Ok(()), Some(end)) => end,
        (Ok(()), None) => RunEnd::Error { message: "the run ended without an outcome".to_owned() },
        (Err(error), _) => RunEnd::Error { message: one_line(&error) },
    }
}

async fn read_to_end(
    session: &mut Session,
    shared: &RunShared,
    notes: &mut mpsc::UnboundedReceiver<FeedKind>,
    end: &mut Option<RunEnd>,
) -> Result<()> {
    loop {
        let step = tokio::select! {
            biased;
            Some(note) = notes.recv() => {
                add_note(session, shared, note)?;
                continue;
            }
            step = next_step(session) => step,
        };
        let events = match step {
            Step::Event(event) => {
                session.inbox.follow(&event);
                *end = outcome_of(&event).map(RunEnd::Outcome).or(end.take());
                session.feed.observe(&event)?
            }
            Step::Error(error) => {
                let message = one_line(&AppError::from(error));
                *end = Some(RunEnd::Error { message: message.clone() });
                let mut events = session.feed.settle()?;
                events.extend(session.feed.add(FeedKind::Error { message })?);
                events
            }
            Step::Idle => session.feed.settle()?,
            Step::End => return Ok(()),
        };
        publish(session, shared, events);
    }
}

/// Returns the next step. Cancel-safe.
async fn next_step(session: &mut Session) -> Step {
    let records = session.feed.new_records();
    let events = &mut session.events;
    std::future::poll_fn(|context| match Pin::new(&mut *events).poll_next(context) {
        Poll::Ready(Some(Ok(event))) => Poll::Ready(Step::Event(Box::new(event))),
        Poll::Ready(Some(Err(error))) => Poll::Ready(Step::Error(error)),
        Poll::Ready(None) => Poll::Ready(Step::End),
        Poll::Pending if !records.is_empty() => Poll::Ready(Step::Idle),
        Poll::Pending => Poll::Pending,
    })
    .await
}

/// Publishes the last events of a run that has ended.
fn drain(
    session: &mut Session,
    shared: &RunShared,
    notes: &mut mpsc::UnboundedReceiver<FeedKind>,
) -> Result<()> {
    while let Ok(note) = notes.try_recv() {
        add_note(session, shared, note)?;
    }
    let events = session.feed.settle()?;
    publish(session, shared, events);
    Ok(())
}

fn add_note(session: &mut Session, shared: &RunShared, note: FeedKind) -> Result<()> {
    let mut events = session.feed.settle()?;
    events.extend(session.feed.add(note)?);
    publish(session, shared, events);
    Ok(())
}

fn publish(session: &Session, shared: &RunShared, events: Vec<FeedEvent>) {
    for event in &events {
        shared.desk.follow(&event.kind);
        if let FeedKind::QuestionOpened { question, card: Question::Words { .. } } = &event.kind {
            pass_stored_words(shared, question.clone());
        }
    }
    if session.folder.has_lost_lease() {
        shared.cancellation.cancel();
    }
    shared.feed.publish(events);
}

/// While a question is open, passes the text that another process stores as its answer to the run.
fn pass_stored_words(shared: &RunShared, question: String) {
    let (desk, folder) = (shared.desk.clone(), shared.folder.clone());
    tokio::spawn(async move {
        let closed = async {
            while desk.has_question(&question) {
                tokio::time::sleep(INTERVAL).await;
            }
        };
        tokio::select! {
            () = closed => {}
            (text, window) = wait_for_words(&folder, &question) => {
                let window = window.unwrap_or_default();
                // A window of this process may have answered in this moment.
                drop(desk.answer(&question, Answer::Words { text }, &window));
            }
        }
    });
}
