//! The state of a run that both encoders need: its calls, its open questions and its sub-agents.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use windlass_app::feed::{AgentPath, FeedEvent, FeedKind, Question, RunOutcome};

/// Progress of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    /// The call has no decision yet, or an answer that did not take effect yet.
    #[default]
    Undecided,
    /// The call waits for an answer, for its start or for its result from elsewhere.
    Waiting,
    Running,
    Ended,
}

/// Call of the run itself.
#[derive(Debug, Default)]
struct CallState {
    progress: Progress,
    was_asked: bool,
}

/// Open question.
#[derive(Debug)]
pub(crate) struct OpenCard {
    pub(crate) agent: Option<String>,
    pub(crate) card: Question,
}

/// State of a run.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    calls: BTreeMap<String, CallState>,
    pub(crate) open: BTreeMap<String, OpenCard>,
    /// Questions that were answered and whose closing was not read yet.
    answered: BTreeSet<String>,
}

impl RunState {
    /// Reads the next event.
    pub(crate) fn read(&mut self, event: &FeedEvent) {
        match &event.kind {
            FeedKind::QuestionOpened { question, card } => {
                let agent = event.agent.as_ref().map(agent_id);
                if let (None, Some(call)) = (&agent, call_of(card)) {
                    self.change(call, |call| call.was_asked = true);
                    self.advance(call, Progress::Waiting);
                }
                self.open.insert(question.clone(), OpenCard { agent, card: card.clone() });
            }
            FeedKind::QuestionClosed { question, .. } => {
                self.answered.remove(question);
                // The call runs or gets its result next.
                if let Some(OpenCard { agent: None, card }) = self.open.remove(question)
                    && let Some(call) = call_of(&card)
                {
                    self.advance(call, Progress::Undecided);
                }
            }
            kind if event.agent.is_none() => self.read_call(kind),
            _ => {}
        }
    }

    fn read_call(&mut self, kind: &FeedKind) {
        match kind {
            FeedKind::Call { call, .. } => drop(self.calls.entry(call.clone()).or_default()),
            FeedKind::CallRunning { call } => self.advance(call, Progress::Running),
            FeedKind::Decision { call, .. } | FeedKind::CallDeferred { call } => {
                self.advance(call, Progress::Waiting);
            }
            FeedKind::Result { call, .. } => self.advance(call, Progress::Ended),
            FeedKind::RunEnded { .. } => self.stop_calls(),
            _ => {}
        }
    }

    fn advance(&mut self, call: &str, progress: Progress) {
        self.change(call, |call| call.progress = progress);
    }

    /// Takes note that the process ended, and with it the calls that ran.
    fn stop_calls(&mut self) {
        for call in self.calls.values_mut().filter(|call| call.progress == Progress::Running) {
            call.progress = Progress::Waiting;
        }
    }

    fn change(&mut self, call: &str, change: impl FnOnce(&mut CallState)) {
        if let Some(call) = self.calls.get_mut(call) {
            change(call);
        }
    }

    /// Returns true if a reader knows the call.
    pub(crate) fn has_call(&self, call: &str) -> bool {
        self.calls.contains_key(call)
    }

    /// Returns true if a question about the call was opened.
    pub(crate) fn was_asked(&self, call: &str) -> bool {
        self.calls.get(call).is_some_and(|call| call.was_asked)
    }

    /// Takes note that questions were answered. The run does not wait until it reads the answers.
    pub(crate) fn expect_answers(&mut self, questions: impl IntoIterator<Item = String>) {
        self.answered.extend(questions);
    }

    /// Returns true if questions are open, none of them was answered, and no call runs or waits for its decision.
    pub(crate) fn is_waiting(&self) -> bool {
        let is_busy = |call: &CallState| matches!(call.progress, Progress::Undecided | Progress::Running);
        let is_answered = |question: &String| self.answered.contains(question);
        !self.open.is_empty() && !self.open.keys().any(is_answered) && !self.calls.values().any(is_busy)
    }
}

/// Returns the id of the call that a question is about.
pub(crate) fn call_of(card: &Question) -> Option<&str> {
    match card {
        Question::Call { card } => Some(&card.call),
        _ => None,
    }
}

/// Returns the id of a sub-agent: the id of the root's call and the names of the agents.
pub(crate) fn agent_id(path: &AgentPath) -> String {
    format!("{}/{}", path.call, path.names.join("/"))
}

/// Returns a value as JSON. A value of the feed has only names as keys, so it always has a JSON form.
pub(crate) fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Returns the text of a result, or an object if the result has pictures.
pub(crate) fn output(text: &str, images: u32) -> Value {
    if images == 0 { Value::String(text.to_owned()) } else { json!({ "text": text, "images": images }) }
}

/// Returns the message of a run that failed.
pub(crate) fn failure(outcome: &RunOutcome) -> Option<&str> {
    match outcome {
        RunOutcome::Failed { message } => Some(message),
        _ => None,
    }
}
