//! The conversation, whose type excludes invalid states.

mod error;
mod images;
pub(crate) mod import;
mod shortening;
mod size;

use windlass_protocol::{CallId, History, Message, Role, ToolResult};
use windlass_tokens::Tokenizer;

pub use self::error::TranscriptError;
use crate::meter::message_size;

/// The conversation of a run. Every call in it has exactly one result, directly after its answer and in call
/// order (RULES R1, R3). An answer whose results are incomplete is kept separately and is never sent.
///
/// ```
/// use windlass_loop::Transcript;
/// use windlass_protocol::{Arguments, CallId, Message, Part, ResultStatus, ToolCall, ToolName, ToolResult};
///
/// let mut transcript = Transcript::default();
/// transcript.push_user(Message::user("list the files"))?;
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("list_files")?, Arguments::default());
/// transcript.push_assistant(Message::assistant(vec![Part::Call(call.clone())]))?;
/// assert_eq!(transcript.messages().len(), 1, "the answer waits for its result");
/// transcript.push_result(ToolResult::text(call.id, ResultStatus::Ok, "Cargo.toml"))?;
/// assert_eq!(transcript.messages().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    closed: History,
    open: Option<OpenAnswer>,
    /// The position of the task among the closed messages, after an imported conversation.
    task: usize,
    /// The position of the note that replaces removed turns.
    note: Option<usize>,
    /// The size of the closed messages in tokens.
    size: u64,
    tokenizer: Tokenizer,
}

#[derive(Clone, Debug, PartialEq)]
struct OpenAnswer {
    message: Message,
    results: Vec<(CallId, Option<ToolResult>)>,
}

impl Transcript {
    /// Adds a message of the user role.
    ///
    /// # Errors
    /// Returns an error if results are missing, the message is empty, or it has another role.
    pub fn push_user(&mut self, message: Message) -> Result<(), TranscriptError> {
        self.refuse_open()?;
        if message.role != Role::User || message.parts.is_empty() {
            return Err(TranscriptError::Message);
        }
        self.close(message);
        Ok(())
    }

    /// Adds an answer of the model. An answer with calls stays open until each call has its result.
    ///
    /// # Errors
    /// Returns an error if results are missing, the answer is empty (RULES R7), it has another role, or two
    /// of its calls have the same id.
    pub fn push_assistant(&mut self, message: Message) -> Result<(), TranscriptError> {
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

    /// Adds the result of an open call. Results may arrive in any order; the last one closes the answer.
    ///
    /// # Errors
    /// Returns an error if the id does not belong to an open call, or the call already has a result.
    pub fn push_result(&mut self, result: ToolResult) -> Result<(), TranscriptError> {
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

    /// Returns the messages that can be sent: all messages except an answer that waits for results.
    pub fn messages(&self) -> &History {
        &self.closed
    }

    /// Returns the ids of the calls that wait for a result, in call order.
    pub fn waiting(&self) -> impl Iterator<Item = &CallId> {
        self.open
            .iter()
            .flat_map(|open| open.results.iter().filter(|(_, result)| result.is_none()).map(|(id, _)| id))
    }

    /// Returns the answer that waits for results.
    pub fn open_answer(&self) -> Option<&Message> {
        self.open.as_ref().map(|open| &open.message)
    }

    /// Returns true if a call of the conversation has this id.
    pub fn has_call(&self, id: &CallId) -> bool {
        self.closed
            .iter()
            .chain(self.open.iter().map(|open| &open.message))
            .any(|message| message.calls().any(|call| call.id == *id))
    }

    fn close(&mut self, message: Message) {
        self.size = self.size.saturating_add(message_size(&self.tokenizer, &message));
        self.closed.push(message);
    }

    fn refuse_open(&self) -> Result<(), TranscriptError> {
        match self.waiting().count() {
            0 => Ok(()),
            missing => Err(TranscriptError::Open { missing }),
        }
    }
}
