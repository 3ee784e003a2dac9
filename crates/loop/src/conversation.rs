//! The conversation with the model: its messages, its size, and the compaction before the model's window
//! overflows (RULES R4).

mod compaction;
mod images;

use std::collections::HashSet;
use std::mem;

use windlass_protocol::{CallId, EarlierPreamble, Message, Request, ToolResult, ToolSpec, Usage};
use windlass_tokens::Tokenizer;

use crate::commands::Commands;
use crate::meter::{Meter, tools_size};
use crate::{Config, ContextLimits, ContextPressure, Entry, Event, OfferedTool, Transcript, TranscriptError};

/// The largest number of earlier preambles. After more changes, the next request begins anew.
const MOST_PREAMBLES: usize = 16;

/// The messages of a run and the estimate of their size.
#[derive(Debug)]
pub(crate) struct Conversation {
    transcript: Transcript,
    /// The earlier system prompts and tools, since the conversation began or was compacted.
    preambles: Vec<EarlierPreamble>,
    /// The ids of all calls, also of those that compaction removed.
    call_ids: HashSet<CallId>,
    meter: Meter,
    /// The limits of the configuration, with the window that a refused request shows.
    limits: ContextLimits,
    tokenizer: Tokenizer,
    /// The fill level that was reported last.
    reported: ContextPressure,
    /// True if the present request was shortened because the provider refused its length.
    has_shrunk: bool,
    /// True if the next request is compacted regardless of its size.
    must_compact: bool,
    /// Tokens of the next request before the first compaction and after the newest one.
    compacted: Option<(u64, u64)>,
}

/// The turns that the model summarizes before they are removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SummaryPlan {
    /// The position of the first message that stays.
    until: usize,
    /// Tokens of the next request before the compaction.
    before: u64,
}

impl Conversation {
    pub(crate) fn new(config: &Config) -> Self {
        let size = tools_size(&config.tokenizer, config.system.as_deref(), &config.tools);
        Self {
            transcript: Transcript::default().with_tokenizer(config.tokenizer.clone()),
            preambles: Vec::new(),
            call_ids: HashSet::new(),
            meter: Meter::new(size),
            limits: config.context,
            tokenizer: config.tokenizer.clone(),
            reported: ContextPressure::default(),
            has_shrunk: false,
            must_compact: config.context.compact_first,
            compacted: None,
        }
    }

    /// Replaces the messages by those of an earlier conversation.
    pub(crate) fn import(&mut self, history: Transcript) {
        self.transcript = history.with_tokenizer(self.tokenizer.clone());
        let calls = self.transcript.messages().iter().flat_map(Message::calls);
        self.call_ids = calls.map(|call| call.id.clone()).collect();
    }

    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Returns true if a call of the run or of the conversation before it has this id.
    pub(crate) fn has_call(&self, id: &CallId) -> bool {
        self.call_ids.contains(id)
    }

    /// Returns the estimated tokens of the next request. The estimate is scaled by the provider's count for
    /// the last answer.
    pub(crate) fn tokens(&self) -> u64 {
        self.meter.tokens(self.transcript.size())
    }

    /// Returns the request for the next answer.
    pub(crate) fn request(&self, config: &Config) -> Request {
        let mut request = config.request(self.transcript.messages().clone());
        request.earlier_preambles.clone_from(&self.preambles);
        request
    }

    /// Keeps the system prompt and the tools of the requests so far, which change now.
    pub(crate) fn keep_preamble(&mut self, system: Option<String>, tools: Vec<ToolSpec>) {
        if self.preambles.len() >= MOST_PREAMBLES {
            self.preambles.clear();
            return;
        }
        self.preambles.push(EarlierPreamble::new(self.transcript.messages().len(), system, tools));
    }

    /// Sets the system prompt and the tools that precede the messages in a request.
    pub(crate) fn set_preamble(&mut self, system: Option<&str>, tools: &[OfferedTool]) {
        self.meter.set_preamble(tools_size(&self.tokenizer, system, tools));
    }

    /// Adjusts the estimate to the tokens of an answer to the present messages.
    pub(crate) fn learn_size(&mut self, usage: &Usage) {
        self.meter.learn(self.transcript.size(), usage);
        self.has_shrunk = false;
    }

    /// Requests that the next request is compacted, regardless of its size.
    pub(crate) fn request_compaction(&mut self) {
        self.must_compact = true;
    }

    /// Returns the tokens of the next request before the first compaction and after the newest one; `None` if nothing
    /// was removed.
    pub(crate) fn compaction_sizes(&self) -> Option<(u64, u64)> {
        self.compacted
    }

    /// Appends the task, which compaction never removes.
    pub(crate) fn begin_task(&mut self, task: Message) -> Result<(), TranscriptError> {
        self.transcript.begin_task(task)
    }

    /// Appends a message with the role `user`.
    pub(crate) fn push_user(&mut self, message: Message) -> Result<(), TranscriptError> {
        self.transcript.push_user(message)
    }

    /// Appends an answer of the model.
    pub(crate) fn push_assistant(&mut self, message: Message) -> Result<(), TranscriptError> {
        self.call_ids.extend(message.calls().map(|call| call.id.clone()));
        self.transcript.push_assistant(message)
    }

    /// Adds the result of an open call.
    pub(crate) fn push_result(&mut self, result: ToolResult) -> Result<(), TranscriptError> {
        self.transcript.push_result(result)
    }

    /// Emits an event if the fill level has changed.
    pub(crate) fn report_pressure(&mut self, commands: &mut Commands) {
        let window = self.limits.window;
        if window == 0 {
            return;
        }
        let used = self.tokens();
        let pressure = self.limits.pressure(used);
        if mem::replace(&mut self.reported, pressure) != pressure {
            let is_estimate = !self.tokenizer.is_exact();
            commands.show(Event::ContextFilling { used, window, pressure, is_estimate });
        }
    }

    /// Repeats a compaction or a replacement of pictures that the record contains. Other entries change
    /// nothing.
    pub(crate) fn repeat(&mut self, entry: &Entry) {
        match entry {
            Entry::Compacted { pruned, until, kept, note, before, after, .. } => {
                self.transcript.leave_out(pruned, *until, kept.unwrap_or(0), note.as_deref());
                self.must_compact = false;
                self.note_sizes(*before, *after);
            }
            Entry::ImagesRemoved { messages, reason } => {
                self.transcript.replace_images(messages, reason);
            }
            _ => {}
        }
    }
}
