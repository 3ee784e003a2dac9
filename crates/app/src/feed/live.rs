//! The events that follow from the events of a working run: deltas, and events without a record.

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_agent::Event;
use windlass_protocol::CallId;

use super::card::{Question, RunOutcome, Tokens};
use super::convert;
use super::event::AgentPath;
use super::kind::FeedKind;

/// Event before it has a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewEvent {
    pub(crate) agent: Option<AgentPath>,
    pub(crate) kind: FeedKind,
}

impl NewEvent {
    pub(crate) fn for_root(kind: FeedKind) -> Self {
        Self { agent: None, kind }
    }
}

/// Reader of a run's events. It returns the deltas of the run, the events that no record contains, and all events
/// of its sub-agents.
#[derive(Debug, Default)]
pub(crate) struct LiveReader {
    streaming: Streaming,
    children: BTreeMap<AgentPath, Child>,
}

/// The sub-agent of a run, whose records are in another journal.
#[derive(Debug, Default)]
struct Child {
    streaming: Streaming,
    /// The whole texts and calls of the answer that arrives.
    parts: Vec<FeedKind>,
    /// The text that is open.
    text: String,
    reasoning: String,
    /// The cost of the agent's run so far.
    cost: u64,
    /// The arguments in the open questions, by the ids of the questions.
    asked: BTreeMap<String, Value>,
}

/// The positions in the answer that streams.
#[derive(Debug, Default)]
struct Streaming {
    turn: u32,
    reasoning: Position,
    text: Position,
    arguments: BTreeMap<CallId, u64>,
}

/// The position in a sequence of texts.
#[derive(Debug, Default)]
struct Position {
    index: u32,
    offset: u64,
}

impl Position {
    /// Returns the index and the offset of a delta, and advances the position past the delta.
    fn advance(&mut self, text: &str) -> (u32, u64) {
        let at = (self.index, self.offset);
        self.offset = self.offset.saturating_add(text.len() as u64);
        at
    }

    /// Returns the index of the text, and moves to the next one.
    fn end(&mut self) -> u32 {
        let index = self.index;
        *self = Self { index: index.saturating_add(1), offset: 0 };
        index
    }
}

impl Streaming {
    fn begin(&mut self, turn: u32) {
        *self = Self { turn, ..Self::default() };
    }

    /// Returns the event of the feed for an event of the answer that streams: a delta, or a call of the provider.
    fn read(&mut self, event: &Event) -> Option<FeedKind> {
        let turn = self.turn;
        Some(match event {
            Event::TurnStarted { .. } => FeedKind::TurnStarted { turn },
            Event::Text { text } => {
                let (index, offset) = self.text.advance(text);
                FeedKind::TextDelta { turn, index, offset, text: text.clone(), merged: 0 }
            }
            Event::TextEnded => FeedKind::TextEnded { turn, index: self.text.end() },
            Event::Reasoning { text } => {
                let (index, offset) = self.reasoning.advance(text);
                FeedKind::ReasoningDelta { turn, index, offset, text: text.clone(), merged: 0 }
            }
            Event::ReasoningEnded => FeedKind::ReasoningEnded { turn, index: self.reasoning.end() },
            Event::CallStarted { call, name } => {
                self.arguments.insert(call.clone(), 0);
                FeedKind::CallStarted { call: call.to_string(), tool: name.to_string() }
            }
            Event::CallArguments { call, delta } => {
                let end = self.arguments.entry(call.clone()).or_default();
                let offset = *end;
                *end = end.saturating_add(delta.len() as u64);
                FeedKind::ArgumentsDelta { call: call.to_string(), offset, text: delta.clone(), merged: 0 }
            }
            Event::CallFinished { call } => FeedKind::ArgumentsEnded { call: call.id.to_string() },
            Event::CallProgress { call, text } => {
                FeedKind::CallOutput { call: call.to_string(), text: text.clone(), merged: 0, left_out: 0 }
            }
            _ => return note(event).or_else(|| hosted(turn, event)),
        })
    }
}

/// Returns the numbered event about a call that the provider runs. The record of the run has only the provider's original.
fn hosted(turn: u32, event: &Event) -> Option<FeedKind> {
    Some(match event {
        Event::HostedCall { call } => FeedKind::HostedCall {
            turn,
            call: call.id.clone(),
            tool: call.name.clone(),
            server: call.server.clone(),
            arguments: call.arguments.clone(),
        },
        Event::HostedResult { result } => FeedKind::HostedResult {
            turn,
            call: result.id.clone(),
            tool: result.name.clone(),
            error: result.error.clone(),
        },
        _ => return None,
    })
}

/// Returns the remark about a call that an event contains.
fn note(event: &Event) -> Option<FeedKind> {
    let (call, text) = match event {
        Event::CallPreview { call, text } | Event::CallNote { call, text } => (call, text.clone()),
        Event::CallRefusedEarly { call, problem } | Event::CallMalformed { call, problem } => {
            (call, problem.clone())
        }
        Event::CallCoerced { call, changes } => (call, changes.join(", ")),
        Event::CallRepaired { call, repairs } => {
            (call, repairs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    };
    Some(FeedKind::CallNote { call: call.to_string(), text })
}

/// Returns the numbered event that no record contains, for a run or a sub-agent.
fn convert_live(event: &Event) -> Option<FeedKind> {
    Some(match event {
        Event::AttemptDiscarded { reason, delay_ms } => {
            FeedKind::Retry { reason: reason.clone(), delay_ms: *delay_ms }
        }
        Event::ApprovalPostponed { request_id } => {
            FeedKind::QuestionPostponed { question: request_id.clone() }
        }
        Event::Checkpoint { turn, id } => FeedKind::Checkpoint { turn: *turn, id: id.clone() },
        Event::TurnDiff { turn, diff } => FeedKind::TurnDiff { turn: *turn, diff: diff.clone() },
        Event::RunDiff { diff } => FeedKind::RunDiff { diff: diff.clone() },
        Event::ContextFilling { used, window, pressure, .. } => {
            FeedKind::Context { used: *used, window: *window, pressure: convert::name_of(pressure) }
        }
        Event::CheckpointFailed { problem, .. } => {
            FeedKind::Notice { text: format!("the earlier state has no checkpoint: {problem}") }
        }
        Event::AnswerRefused { reason } | Event::MessageRefused { reason, .. } => {
            FeedKind::Notice { text: reason.clone() }
        }
        Event::ContextCondensing => {
            FeedKind::Notice { text: "the model is asked to summarize older turns".to_owned() }
        }
        Event::Withheld { name } => {
            FeedKind::Notice { text: format!("an event ({name}) is left out, because it contains secrets") }
        }
        _ => return None,
    })
}

impl LiveReader {
    /// Returns the events of the feed for an event of the run. `turn` is the number of the answer that arrives next.
    pub(crate) fn read(&mut self, event: &Event, turn: u32) -> Vec<NewEvent> {
        if let Event::AgentEvent { call, agents, happened } = event {
            return self.read_agent(call, agents, happened);
        }
        if matches!(event, Event::TurnStarted { .. } | Event::AttemptDiscarded { .. }) {
            self.streaming.begin(turn);
        }
        self.streaming
            .read(event)
            .or_else(|| convert_live(event))
            .map(NewEvent::for_root)
            .into_iter()
            .collect()
    }

    fn read_agent(&mut self, call: &CallId, agents: &[String], happened: &Value) -> Vec<NewEvent> {
        // An event of a later version is left out, as an event that this version does not show.
        let Ok(event) = serde_json::from_value::<Event>(happened.clone()) else { return Vec::new() };
        let path = AgentPath::new(call.as_str(), agents.to_vec());
        let kinds = self.children.entry(path.clone()).or_default().read(&event);
        if matches!(event, Event::Finished { .. }) {
            self.children.remove(&path);
        }
        kinds.into_iter().map(|kind| NewEvent { agent: Some(path.clone()), kind }).collect()
    }
}

impl Child {
    fn read(&mut self, event: &Event) -> Vec<FeedKind> {
        if let Event::TurnStarted { turn, .. } = event {
            self.streaming.begin(*turn);
            self.parts.clear();
        }
        if let Event::AttemptDiscarded { .. } = event {
            let turn = self.streaming.turn;
            *self = Self { cost: self.cost, ..Self::default() };
            self.streaming.begin(turn);
        }
        self.collect(event);
        if let Event::AnswerEnded { stop, usage, total, cost, total_cost } = event {
            // The agent's model has prices of its own, so the event has the cost.
            self.cost = *total_cost;
            let mut kinds = std::mem::take(&mut self.parts);
            kinds.push(FeedKind::TurnEnded {
                turn: self.streaming.turn,
                stop: stop.as_ref().map(convert::name_of),
                usage: Tokens::with_cost(usage, *cost),
                total: Tokens::with_cost(total, *total_cost),
            });
            return kinds;
        }
        let kind = self.streaming.read(event).or_else(|| convert_live(event));
        kind.or_else(|| self.read_question(event))
            .or_else(|| convert_child(event, self.cost))
            .into_iter()
            .collect()
    }

    fn read_question(&mut self, event: &Event) -> Option<FeedKind> {
        match event {
            Event::ToolApprovalRequest { request, .. } => {
                self.asked.insert(request.request_id.clone(), convert::arguments(&request.call));
                Some(FeedKind::QuestionOpened {
                    question: request.request_id.clone(),
                    card: Question::Call { card: Box::new(convert::card(request)) },
                })
            }
            Event::ApprovalEnded { outcome } => {
                let asked = self.asked.remove(outcome.request_id());
                Some(convert::close_question(outcome, asked.as_ref()))
            }
            _ => None,
        }
    }

    /// Collects the whole texts and calls of the answer.
    fn collect(&mut self, event: &Event) {
        let turn = self.streaming.turn;
        match event {
            Event::Text { text } => self.text.push_str(text),
            Event::Reasoning { text } => self.reasoning.push_str(text),
            Event::TextEnded => {
                let text = std::mem::take(&mut self.text);
                self.parts.push(FeedKind::Text { turn, text, sources: Vec::new() });
            }
            Event::ReasoningEnded => {
                let text = std::mem::take(&mut self.reasoning);
                self.parts.push(FeedKind::Reasoning { turn, text });
            }
            Event::CallFinished { call } => self.parts.push(convert::call(turn, call)),
            _ => {}
        }
    }
}

/// Returns the numbered event of a sub-agent that is in the sub-agent's own records.
fn convert_child(event: &Event, cost: u64) -> Option<FeedKind> {
    Some(match event {
        Event::Decided { call, decision } => convert::decision(call.as_str(), decision),
        Event::CallRunning { call } => FeedKind::CallRunning { call: call.to_string() },
        Event::CallDeferred { call } => FeedKind::CallDeferred { call: call.to_string() },
        Event::CallEnded { result } => convert::result(result),
        Event::ModeChanged { mode } => FeedKind::Mode { mode: mode.clone() },
        Event::Finished { outcome, total } => {
            FeedKind::RunEnded { outcome: convert::outcome(outcome), total: Tokens::with_cost(total, cost) }
        }
        _ => return None,
    })
}

/// Returns true if an event of the run announces that a record was written.
pub(crate) fn is_announcement(event: &Event, entry: &windlass_agent::Entry) -> bool {
    use windlass_agent::Entry;

    match (event, entry) {
        (Event::CallEnded { result: shown }, Entry::Result { result }) => shown.call == result.call,
        (Event::CallRunning { call: shown }, Entry::Intent { call })
        | (Event::CallDeferred { call: shown }, Entry::Deferred { call })
        | (Event::Decided { call: shown, .. }, Entry::Decided { call, .. }) => shown == call,
        (Event::ToolApprovalRequest { request_id, .. }, Entry::Asked { request }) => {
            *request_id == request.request_id
        }
        (Event::ApprovalEnded { outcome: shown }, Entry::Approval { outcome, .. }) => {
            shown.request_id() == outcome.request_id()
        }
        (Event::MessageQueued { .. }, Entry::Queued { .. })
        | (Event::Said { .. } | Event::Nudged { .. }, Entry::Said { .. })
        | (Event::ModeChanged { .. }, Entry::Mode { .. })
        | (Event::ProtocolChanged { .. }, Entry::Protocol { .. })
        | (Event::ContextCompacted { .. }, Entry::Compacted { .. })
        | (Event::ImagesRemoved { .. }, Entry::ImagesRemoved { .. })
        | (
            Event::TurnStarted { .. },
            Entry::Started { .. } | Entry::Imported { .. } | Entry::Resumed { .. },
        )
        | (Event::AnswerEnded { .. }, Entry::Answered { .. })
        | (Event::Finished { .. }, Entry::Finished { .. }) => true,
        _ => false,
    }
}

/// Returns the outcome that an event of the run reports, if it is the last one.
pub(crate) fn outcome_of(event: &Event) -> Option<RunOutcome> {
    match event {
        Event::Finished { outcome, .. } => Some(convert::outcome(outcome)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
