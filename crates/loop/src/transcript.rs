//! The conversation so far, which cannot be invalid.

mod images;
mod import;
mod shortening;

pub use self::import::{Imported, Mend};

use crate::context::message_size;
use windlass_protocol::{CallId, History, Message, Role, ToolResult};
use windlass_tokens::Tokenizer;

/// The conversation so far. Every call in it has exactly one result, right after its answer and in call order
/// (RULES R1, R3); an answer whose results are still coming is kept apart and is never sent.
///
/// ```
/// use windlass_loop::Transcript;
/// use windlass_protocol::{Arguments, CallId, Message, Part, ResultStatus, ToolCall, ToolName, ToolResult};
///
/// let mut transcript = Transcript::default();
/// transcript.say(Message::user("list the files"))?;
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("list_files")?, Arguments::default());
/// transcript.answer(Message::assistant(vec![Part::Call(call.clone())]))?;
/// assert_eq!(transcript.messages().len(), 1, "the answer waits for its result");
/// transcript.result(ToolResult::text(call.id, ResultStatus::Ok, "Cargo.toml"))?;
/// assert_eq!(transcript.messages().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    closed: History,
    open: Option<OpenAnswer>,
    /// The position of the task among the closed messages: behind a conversation that was had elsewhere.
    task: usize,
    /// The position of the note that stands in the place of turns that were left out.
    note: Option<usize>,
    /// The closed messages, in tokens.
    size: u64,
    tokenizer: Tokenizer,
}

#[derive(Clone, Debug, PartialEq)]
struct OpenAnswer {
    message: Message,
    results: Vec<(CallId, Option<ToolResult>)>,
}

/// Why something does not go into a transcript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// An answer waits for results, so nothing else can be said.
    #[error("{missing} calls of the last answer have no result yet")]
    Open {
        /// How many.
        missing: usize,
    },
    /// No open call has this id.
    #[error("no call {call} waits for a result")]
    NoSuchCall {
        /// The id.
        call: CallId,
    },
    /// The call has its result.
    #[error("call {call} has a result already")]
    SecondResult {
        /// The id.
        call: CallId,
    },
    /// Two calls of an answer have one id.
    #[error("two calls of the answer have the id {call}")]
    DuplicateCall {
        /// The id.
        call: CallId,
    },
    /// The message has no parts, or is of a role that has its own way in.
    #[error("the message cannot stand here")]
    Message,
}

impl Transcript {
    /// The same conversation, whose tokens are counted so.
    pub(crate) fn counted_by(mut self, tokenizer: Tokenizer) -> Self {
        if self.tokenizer != tokenizer {
            self.tokenizer = tokenizer;
            self.count_again();
        }
        self
    }

    fn count_again(&mut self) {
        let sizes = self.closed.iter().map(|message| message_size(self.tokenizer, message));
        self.size = sizes.fold(0, u64::saturating_add);
    }

    /// Adds the task, which no shortening leaves out (RULES R4).
    pub(crate) fn begin_task(&mut self, task: Message) -> Result<(), TranscriptError> {
        self.task = self.closed.len();
        self.say(task)
    }

    /// The position of the task.
    pub(crate) fn task(&self) -> usize {
        self.task
    }

    /// The note in the place of turns that were left out, if a cut at `until` would leave it out too.
    pub(crate) fn note_before(&self, until: usize) -> Option<String> {
        let note = self.note.filter(|at| *at < until)?;
        self.closed.get(note).map(Message::text)
    }

    /// Adds a message of the human.
    ///
    /// # Errors
    /// If results are missing, the message is empty, or it is not the human's.
    pub fn say(&mut self, message: Message) -> Result<(), TranscriptError> {
        self.refuse_open()?;
        if message.role != Role::User || message.parts.is_empty() {
            return Err(TranscriptError::Message);
        }
        self.close(message);
        Ok(())
    }

    /// Adds an answer of the model. If it has calls, it stays open until each has its result.
    ///
    /// # Errors
    /// If results are missing, the answer is empty (RULES R7), or two of its calls have one id.
    pub fn answer(&mut self, message: Message) -> Result<(), TranscriptError> {
        self.refuse_open()?;
        if message.role != Role::Assistant || message.parts.is_empty() {
            return Err(TranscriptError::Message);
        }
        let mut results: Vec<(CallId, Option<ToolResult>)> = Vec::new();
        for call in message.calls() {
            if results.iter().any(|(id, _)| *id == call.id) {
                return Err(TranscriptError::DuplicateCall { call: call.id.clone() });
            }
            results.push((call.id.clone(), None));
        }
        if results.is_empty() {
            self.close(message);
        } else {
            self.open = Some(OpenAnswer { message, results });
        }
        Ok(())
    }

    /// Adds the result of an open call, in any order. With the last one the answer is closed.
    ///
    /// # Errors
    /// If no open call has the id, or it has its result.
    pub fn result(&mut self, result: ToolResult) -> Result<(), TranscriptError> {
        let no_such_call = || TranscriptError::NoSuchCall { call: result.call.clone() };
        let open = self.open.as_mut().ok_or_else(no_such_call)?;
        let (_, slot) =
            open.results.iter_mut().find(|(id, _)| *id == result.call).ok_or_else(no_such_call)?;
        if slot.is_some() {
            return Err(TranscriptError::SecondResult { call: result.call });
        }
        *slot = Some(result);
        if open.results.iter().all(|(_, result)| result.is_some())
            && let Some(open) = self.open.take()
        {
            self.close(open.message);
            self.close(Message::results(open.results.into_iter().filter_map(|(_, result)| result)));
        }
        Ok(())
    }

    /// The messages that can be sent: all but an answer that waits for results.
    pub fn messages(&self) -> &History {
        &self.closed
    }

    /// The calls that wait for a result, in call order.
    pub fn waiting(&self) -> impl Iterator<Item = &CallId> {
        self.open
            .iter()
            .flat_map(|open| open.results.iter().filter(|(_, result)| result.is_none()).map(|(id, _)| id))
    }

    /// The answer that waits for results.
    pub fn open_answer(&self) -> Option<&Message> {
        self.open.as_ref().map(|open| &open.message)
    }

    /// Whether any call of the conversation has this id.
    pub fn has_call(&self, id: &CallId) -> bool {
        self.closed
            .iter()
            .chain(self.open.iter().map(|open| &open.message))
            .any(|message| message.calls().any(|call| call.id == *id))
    }

    fn close(&mut self, message: Message) {
        self.size = self.size.saturating_add(message_size(self.tokenizer, &message));
        self.closed.push(message);
    }

    /// How large the messages are, in estimated tokens.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    fn refuse_open(&self) -> Result<(), TranscriptError> {
        match self.waiting().count() {
            0 => Ok(()),
            missing => Err(TranscriptError::Open { missing }),
        }
    }
}
