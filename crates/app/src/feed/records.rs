//! The events that follow from the records of a run.

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_agent::{DeliverAt, Entry, Outcome, Prices};
use windlass_protocol::{CallId, Message, Part, Usage};

use super::agent_tokens::AgentTokens;
use super::card::{MessageSource, Question, QuestionEnd, Tokens};
use super::convert::{self, guidance_id};
use super::event::AgentPath;
use super::kind::FeedKind;

/// Reader of a run's records, which returns the events of each of them. The live feed and a later reader use it
/// for the same records, so both give the same events.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordReader {
    prices: Prices,
    parent: Option<String>,
    /// The number of the newest turn with an answer.
    turn: u32,
    /// True if the newest message is an answer.
    is_behind_answer: bool,
    /// The tokens of the run without its sub-agents.
    own: Tokens,
    agents: AgentTokens,
    /// The open questions by their ids, with the call of each question about a call.
    open: BTreeMap<String, Option<OpenCall>>,
}

/// The call of an open question.
#[derive(Clone, Debug)]
struct OpenCall {
    id: CallId,
    /// The arguments in the question.
    arguments: Value,
}

impl RecordReader {
    /// Creates a reader for a run with these prices that continues a parent.
    pub(crate) fn new(prices: Prices, parent: Option<String>) -> Self {
        Self { prices, parent, ..Self::default() }
    }

    /// Returns the number of the turn whose answer arrives next.
    pub(crate) fn next_turn(&self) -> u32 {
        self.turn.saturating_add(1)
    }

    /// Returns the tokens of the run and of its sub-agents.
    pub(crate) fn total(&self) -> Tokens {
        let mut total = self.own;
        total.add(self.agents.total());
        total
    }

    /// Counts the tokens of a numbered event of a sub-agent, which no record of the run contains.
    pub(super) fn count_agent(&mut self, agent: Option<&AgentPath>, kind: &FeedKind) {
        if let Some(agent) = agent {
            self.agents.count(agent, kind);
        }
    }

    /// Returns the events of the next record.
    pub(crate) fn read(&mut self, entry: &Entry) -> Vec<FeedKind> {
        match entry {
            Entry::Started { task, .. } => {
                let (task, files) = convert::task(task);
                vec![FeedKind::RunStarted { task, files, parent: self.parent.clone() }]
            }
            Entry::Imported { messages } => vec![FeedKind::HistoryImported { messages: messages.len() }],
            Entry::Resumed { generation } => vec![FeedKind::RunResumed { generation: *generation }],
            Entry::Protocol { protocol } => {
                vec![FeedKind::ProtocolChanged { protocol: protocol.as_str().to_owned() }]
            }
            Entry::Mode { mode } => vec![FeedKind::Mode { mode: mode.clone() }],
            Entry::Answered { message, stop, usage, prices, .. } => {
                let usage = self.count(usage, prices.as_deref());
                self.read_answer(message, stop.as_ref().map(convert::name_of), usage)
            }
            Entry::Discarded { usage, prices } => {
                self.count(&usage.unwrap_or_default(), prices.as_deref());
                Vec::new()
            }
            Entry::Said { source, message } => self.read_message(*source, message),
            Entry::Queued { id, text, parts, when } => vec![FeedKind::MessageQueued {
                id: id.clone(),
                text: text.clone(),
                after_task: *when == DeliverAt::AfterTask,
                files: parts.iter().filter_map(convert::name_file).collect(),
            }],
            Entry::Compacted { pruned, until, note, usage, before, after, .. } => {
                self.count(usage, None);
                vec![FeedKind::Compacted {
                    results: pruned.len(),
                    has_removed_turns: *until > 0,
                    note: note.clone(),
                    before: *before,
                    after: *after,
                }]
            }
            Entry::ImagesRemoved { reason, .. } => vec![FeedKind::ImagesRemoved { reason: reason.clone() }],
            Entry::Finished { outcome } => self.read_end(outcome),
            other => self.read_call(other),
        }
    }

    /// Returns the events of a record about a call or a question.
    fn read_call(&mut self, entry: &Entry) -> Vec<FeedKind> {
        match entry {
            Entry::Decided { call, decision, .. } => vec![convert::decision(call.as_str(), decision)],
            Entry::Asked { request } => {
                let mut events = self.withdraw(|open| open == Some(&request.call.id));
                let (id, arguments) = (request.call.id.clone(), convert::arguments(&request.call));
                self.open.insert(request.request_id.clone(), Some(OpenCall { id, arguments }));
                events.push(FeedKind::QuestionOpened {
                    question: request.request_id.clone(),
                    card: Question::Call { card: Box::new(convert::card(request)) },
                });
                events
            }
            Entry::Approval { outcome, .. } => {
                let asked = self.open.remove(outcome.request_id()).flatten();
                vec![convert::close_question(outcome, asked.as_ref().map(|call| &call.arguments))]
            }
            Entry::Intent { call } => vec![FeedKind::CallRunning { call: call.to_string() }],
            Entry::Deferred { call } => vec![FeedKind::CallDeferred { call: call.to_string() }],
            Entry::Result { result } => {
                let mut events = self.withdraw(|open| open == Some(&result.call));
                events.push(convert::result(result));
                events
            }
            Entry::Interrupt { id, question } => {
                let (id, card) = (guidance_id(*id), Question::Guidance { text: question.clone() });
                self.open.insert(id.clone(), None);
                vec![FeedKind::QuestionOpened { question: id, card }]
            }
            Entry::InterruptReply { id, words } => {
                let Some(id) = id else { return Vec::new() };
                let question = guidance_id(*id);
                if self.open.remove(&question).is_none() {
                    return Vec::new();
                }
                vec![FeedKind::QuestionClosed {
                    question,
                    closing: QuestionEnd::Answered { words: words.clone() },
                    by: None,
                }]
            }
            _ => Vec::new(),
        }
    }

    fn read_answer(&mut self, message: &Message, stop: Option<String>, usage: Tokens) -> Vec<FeedKind> {
        self.turn = self.next_turn();
        self.is_behind_answer = true;
        let turn = self.turn;
        let mut events: Vec<FeedKind> = message
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning(reasoning) if !reasoning.text.is_empty() => {
                    Some(FeedKind::Reasoning { turn, text: reasoning.text.clone() })
                }
                Part::Text(text) if !text.text.is_empty() => {
                    let sources = convert::sources(&text.citations);
                    Some(FeedKind::Text { turn, text: text.text.clone(), sources })
                }
                Part::Call(call) => Some(convert::call(turn, call)),
                _ => None,
            })
            .collect();
        events.push(FeedKind::TurnEnded { turn, stop, usage, total: self.total() });
        events
    }

    fn read_message(
        &mut self,
        source: Option<windlass_loop::MessageSource>,
        message: &Message,
    ) -> Vec<FeedKind> {
        use windlass_loop::MessageSource as From;

        if source == Some(From::Nudge) && !self.is_behind_answer {
            // The nudge follows an empty answer, which is not recorded.
            self.turn = self.next_turn();
        }
        self.is_behind_answer = false;
        let source = match source {
            Some(From::InterruptReply) => MessageSource::Guidance,
            Some(From::NextTask) => MessageSource::NextTask,
            Some(From::Nudge | From::Continuation) => MessageSource::Program,
            _ => MessageSource::Person,
        };
        let (text, files) = convert::task(message);
        vec![FeedKind::Message { text, source, files }]
    }

    fn read_end(&mut self, outcome: &Outcome) -> Vec<FeedKind> {
        let is_suspended = matches!(outcome, Outcome::Suspended { .. });
        let mut events = if is_suspended { Vec::new() } else { self.withdraw(|_| true) };
        events.push(FeedKind::RunEnded { outcome: convert::outcome(outcome), total: self.total() });
        events
    }

    /// Closes the open questions that a condition selects by their call.
    fn withdraw(&mut self, is_selected: impl Fn(Option<&CallId>) -> bool) -> Vec<FeedKind> {
        let selected: Vec<String> = self
            .open
            .iter()
            .filter(|(_, call)| is_selected(call.as_ref().map(|call| &call.id)))
            .map(|(question, _)| question.clone())
            .collect();
        selected
            .into_iter()
            .map(|question| {
                self.open.remove(&question);
                FeedKind::QuestionClosed { question, closing: QuestionEnd::Withdrawn, by: None }
            })
            .collect()
    }

    /// Counts tokens at the prices of the model that answered in place of the run's, or at those of the run.
    fn count(&mut self, usage: &Usage, prices: Option<&Prices>) -> Tokens {
        let tokens = Tokens::from_usage(usage, prices.unwrap_or(&self.prices));
        self.own.add(&tokens);
        tokens
    }
}

#[cfg(test)]
mod tests;
