//! The import of a conversation from outside, with a repair of its calls and results (RULES R3).

use std::collections::BTreeSet;
use std::fmt;

use windlass_protocol::{CallId, Message, Part, ResultStatus, Role, ToolCall, ToolResult};

use super::Transcript;
use crate::words;

/// An imported conversation, with a list of the repairs.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ImportedTranscript {
    /// The conversation, in which every call has exactly one result.
    pub transcript: Transcript,
    /// The text of its system messages, which belongs into the system prompt.
    pub system: Vec<String>,
    /// The repairs in their order.
    pub mends: Vec<Mend>,
}

/// A repair of an imported conversation. Message positions count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mend {
    /// A message was empty and was removed (RULES R7).
    Empty {
        /// The position of the message.
        message: usize,
    },
    /// A call's id was already in use. The call and its result have a new id.
    Renamed {
        /// The position of the message.
        message: usize,
        /// The old id.
        was: CallId,
        /// The new id.
        now: CallId,
    },
    /// A result had an id that no call has, and was assigned to a call without a result by its position.
    ByPosition {
        /// The id of the call.
        call: CallId,
        /// The id of the result.
        was: CallId,
    },
    /// A call had no result, and now has a result that reports unknown effects.
    NoResult {
        /// The id of the call.
        call: CallId,
    },
    /// A call had several results. The first one was kept.
    SecondResult {
        /// The id of the call.
        call: CallId,
    },
    /// A result did not belong to a call and was removed.
    NoCall {
        /// The id of the result.
        was: CallId,
    },
    /// A result did not follow its answer directly, and was moved.
    Moved {
        /// The id of the call.
        call: CallId,
    },
    /// A message of another role than the model's contained a call, which was removed.
    ForeignCall {
        /// The id of the call.
        call: CallId,
    },
}

impl fmt::Display for Mend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { message } => write!(f, "message {message} is empty, and was left out"),
            Self::Renamed { message, was, now } => {
                write!(f, "message {message} has the call id {was} a second time; it is {now} now")
            }
            Self::ByPosition { call, was } => {
                write!(
                    f,
                    "the result {was} has no call of that id, and was assigned to {call} by its \
                     position"
                )
            }
            Self::NoResult { call } => {
                write!(f, "the call {call} had no result, and received one that states this")
            }
            Self::SecondResult { call } => {
                write!(f, "the call {call} had a second result, which was left out")
            }
            Self::NoCall { was } => write!(f, "the result {was} has no call, and was left out"),
            Self::Moved { call } => {
                write!(f, "the result of {call} did not follow its answer directly, and was moved")
            }
            Self::ForeignCall { call } => write!(f, "the call {call} is not the model's, and was left out"),
        }
    }
}

/// The messages between an answer and the next one, split into results and other messages.
#[derive(Default)]
struct BetweenAnswers {
    results: Vec<ToolResult>,
    /// For each result, true if another message preceded it.
    is_late: Vec<bool>,
    said: Vec<Message>,
}

impl Transcript {
    /// Imports a conversation from outside and repairs it: results are paired with calls by their ids, and
    /// those that are left over by their positions (RULES R3). Every input gives a conversation that can be
    /// sent.
    ///
    /// ```
    /// use windlass_loop::Transcript;
    /// use windlass_protocol::{Arguments, CallId, Message, Part, ToolCall, ToolName};
    ///
    /// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("look")?, Arguments::default());
    /// let cut = [Message::user("look"), Message::assistant(vec![Part::Call(call)])];
    /// let imported = Transcript::import(cut);
    /// assert_eq!(imported.transcript.messages().len(), 3);
    /// assert_eq!(imported.mends[0].to_string(), "the call call_1 had no result, and received one that states this");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn import(messages: impl IntoIterator<Item = Message>) -> ImportedTranscript {
        let mut import = Import::default();
        let mut messages = messages.into_iter().enumerate().peekable();
        while let Some((at, message)) = messages.next() {
            if message.role != Role::Assistant {
                let mut between = BetweenAnswers::default();
                import.sort(at, message, &mut between);
                import.orphans(between.results);
                import.say_all(between.said);
                continue;
            }
            let answer = import.answer(at, message);
            let mut between = BetweenAnswers::default();
            while let Some((at, message)) = messages.next_if(|(_, message)| message.role != Role::Assistant) {
                import.sort(at, message, &mut between);
            }
            import.close(answer, between);
        }
        import.imported
    }
}

/// An answer of the model. `calls` pairs the original id of each call with its present id.
#[derive(Default)]
struct Answer {
    parts: Vec<Part>,
    calls: Vec<(CallId, CallId)>,
}

#[derive(Default)]
struct Import {
    imported: ImportedTranscript,
    ids: BTreeSet<CallId>,
    made: usize,
}

impl Import {
    fn mend(&mut self, mend: Mend) {
        self.imported.mends.push(mend);
    }

    /// Splits a message of another role than the model's into results and other parts.
    fn sort(&mut self, at: usize, message: Message, between: &mut BetweenAnswers) {
        let Message { role, parts, .. } = message;
        if parts.is_empty() {
            return self.mend(Mend::Empty { message: at });
        }
        let mut said = Vec::new();
        for part in parts {
            match part {
                Part::Result(result) => {
                    between.is_late.push(!between.said.is_empty() || !said.is_empty());
                    between.results.push(result);
                }
                Part::Call(call) => self.mend(Mend::ForeignCall { call: call.id }),
                other => said.push(other),
            }
        }
        if said.is_empty() {
            return;
        }
        let message = Message::new(Role::User, said);
        if role == Role::System {
            self.imported.system.push(message.text());
        } else {
            between.said.push(message);
        }
    }

    fn answer(&mut self, at: usize, message: Message) -> Answer {
        let mut answer = Answer::default();
        for part in message.parts {
            match part {
                Part::Call(call) => {
                    let was = call.id.clone();
                    let call = self.unique(at, call);
                    answer.calls.push((was, call.id.clone()));
                    answer.parts.push(Part::Call(call));
                }
                // An answer of the model cannot contain results.
                Part::Result(result) => self.mend(Mend::NoCall { was: result.call }),
                other => answer.parts.push(other),
            }
        }
        if answer.parts.is_empty() {
            self.mend(Mend::Empty { message: at });
        }
        answer
    }

    fn unique(&mut self, at: usize, mut call: ToolCall) -> ToolCall {
        while !self.ids.insert(call.id.clone()) {
            let now = CallId::synthesize(at as u64, self.made);
            self.made = self.made.saturating_add(1);
            if !self.ids.contains(&now) {
                self.mend(Mend::Renamed { message: at, was: call.id.clone(), now: now.clone() });
            }
            call.id = now;
        }
        call
    }

    /// Adds an answer with one result for each of its calls, and then the messages that followed the answer.
    fn close(&mut self, answer: Answer, between: BetweenAnswers) {
        let Answer { parts, calls } = answer;
        let mut results: Vec<Option<(ToolResult, bool)>> =
            between.results.into_iter().zip(between.is_late).map(Some).collect();
        let mut found: Vec<Option<ToolResult>> = Vec::new();
        for (was, now) in &calls {
            let own =
                results.iter_mut().find(|slot| slot.as_ref().is_some_and(|(result, _)| result.call == *was));
            let own = own.and_then(Option::take);
            if own.as_ref().is_some_and(|(_, is_late)| *is_late) {
                self.mend(Mend::Moved { call: now.clone() });
            }
            found.push(own.map(|(result, _)| assign_to_call(result, now)));
        }
        // The other results are assigned to the calls without a result, in their order. A second result of
        // one call is dropped.
        let is_second = |result: &ToolResult| calls.iter().any(|(was, _)| *was == result.call);
        let mut rest = Vec::new();
        for (result, _) in results.into_iter().flatten() {
            if is_second(&result) {
                self.mend(Mend::SecondResult { call: result.call });
            } else {
                rest.push(result);
            }
        }
        let mut rest = rest.into_iter();
        for ((_, now), slot) in calls.iter().zip(&mut found) {
            if slot.is_some() {
                continue;
            }
            *slot = Some(if let Some(result) = rest.next() {
                self.mend(Mend::ByPosition { call: now.clone(), was: result.call.clone() });
                assign_to_call(result, now)
            } else {
                self.mend(Mend::NoResult { call: now.clone() });
                words::NO_RESULT_ON_RECORD.to_result(now.clone(), ResultStatus::EffectsUnknown)
            });
        }
        self.orphans(rest);
        let transcript = &mut self.imported.transcript;
        if !parts.is_empty() {
            transcript
                .push_assistant(Message::assistant(parts))
                .expect("ids are unique, and nothing is open");
            for result in found.into_iter().flatten() {
                transcript.push_result(result).expect("each call is in the list and has one result");
            }
        }
        self.say_all(between.said);
    }

    fn orphans(&mut self, results: impl IntoIterator<Item = ToolResult>) {
        for result in results {
            self.mend(Mend::NoCall { was: result.call });
        }
    }

    fn say_all(&mut self, said: Vec<Message>) {
        for message in said {
            self.imported.transcript.push_user(message).expect("the message has text, and no call is open");
        }
    }
}

fn assign_to_call(mut result: ToolResult, call: &CallId) -> ToolResult {
    result.call.clone_from(call);
    result
}
