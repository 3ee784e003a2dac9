//! The UI message stream of the AI SDK.

mod agents;
mod events;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_app::feed::FeedEvent;

use self::agents::AgentCards;
use crate::run::{RunState, to_json};
use crate::sse::to_sse;
use crate::turn::{Change, PartKind, TurnParts, Whole};

/// Name and value of the header of a response that contains a UI message stream.
pub const AI_SDK_HEADER: (&str, &str) = ("x-vercel-ai-ui-message-stream", "v1");

/// Last event of a UI message stream, in the form of a server-sent event.
pub const AI_SDK_DONE: &str = "data: [DONE]\n\n";

/// Major version of the client's `ai` package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AiSdkVersion {
    /// Version 6. It cannot void a draft, so each text arrives whole, when its turn is complete.
    V6,
    /// Version 7 and later. Texts and arguments arrive as the model writes them.
    #[default]
    V7,
}

/// The place in the steps of the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// No step was started.
    #[default]
    None,
    /// The step has no parts yet.
    Empty,
    /// The step has parts of the turn that arrives.
    Turn,
    /// The step is complete. The next part starts another one.
    Complete,
}

/// Encoder of the events of a run as chunks of the AI SDK's UI message stream, version 1.
///
/// The run is one message of the assistant, whose id is the run's id. A reader of the whole texts gets the same
/// message as a reader of the drafts. Events of other runs are ignored.
///
/// ```
/// use windlass_app::feed::FeedEvent;
/// use windlass_ui_stream::AiSdkEncoder;
///
/// let text = r#"{"seq":2,"session":"s","run":"r","at_ms":0,"kind":"text","turn":1,"text":"Hello"}"#;
/// let event: FeedEvent = serde_json::from_str(text)?;
/// let chunks = AiSdkEncoder::new("r").push(&event);
/// let types: Vec<_> = chunks.iter().map(|chunk| chunk["type"].as_str().unwrap_or_default()).collect();
/// assert_eq!(types, ["start", "start-step", "text-start", "text-delta", "text-end"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct AiSdkEncoder {
    run: String,
    version: AiSdkVersion,
    client_at: u64,
    recorded: u64,
    seq: u64,
    parts: TurnParts,
    state: RunState,
    agents: AgentCards,
    data: BTreeSet<String>,
    step: Step,
    has_started: bool,
    has_ended: bool,
}

impl AiSdkEncoder {
    /// Creates the encoder of a run for the newest version of the client.
    pub fn new(run: impl Into<String>) -> Self {
        let run = run.into();
        Self {
            parts: TurnParts::new(&run),
            run,
            version: AiSdkVersion::default(),
            client_at: 0,
            recorded: 0,
            seq: 0,
            state: RunState::default(),
            agents: AgentCards::default(),
            data: BTreeSet::new(),
            step: Step::None,
            has_started: false,
            has_ended: false,
        }
    }

    /// Encodes for a version of the client.
    #[must_use]
    pub fn with_version(mut self, version: AiSdkVersion) -> Self {
        self.version = version;
        self
    }

    /// Sets the number of the last event that the client's message contains; the metadata of the message has it as
    /// `seq`. The encoder reads the events until this number, and returns chunks only for later ones.
    #[must_use]
    pub fn with_client_at(mut self, seq: u64) -> Self {
        self.client_at = seq;
        self
    }

    /// Returns the chunks of the next event. A numbered event that was read before has none.
    pub fn push(&mut self, event: &FeedEvent) -> Vec<Value> {
        let is_numbered = event.kind.is_numbered();
        if event.run != self.run || (is_numbered && event.seq <= self.seq) {
            return Vec::new();
        }
        if is_numbered {
            self.seq = event.seq;
        }
        self.has_ended = false;
        let mut chunks = Vec::new();
        self.encode(event, &mut chunks);
        if event.seq < self.client_at || (is_numbered && event.seq == self.client_at) {
            self.has_started = false;
            self.has_ended = false;
            return Vec::new();
        }
        chunks
    }

    /// Returns true if a question is open and the run waits for its answer. A client of `useChat` sends an approval
    /// when the stream is closed: then send the chunks of [`pause`](Self::pause), and close it.
    pub fn is_waiting(&self) -> bool {
        self.seq > self.client_at && self.seq >= self.recorded && !self.has_ended && self.state.is_waiting()
    }

    /// Returns true if the newest event ended the run, or the work of its process. Always false before the client's
    /// place.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns the chunks that finish the stream while the run waits for an answer.
    pub fn pause(&mut self) -> Vec<Value> {
        let mut chunks = Vec::new();
        self.finish("tool-calls", json!({}), &mut chunks);
        chunks
    }

    /// Names questions whose answers the client sent with this request. While one of them is still open in the events,
    /// the run does not wait: it reads the answer next, for example after it was resumed.
    #[must_use]
    pub fn with_answered(mut self, questions: impl IntoIterator<Item = String>) -> Self {
        self.state.expect_answers(questions);
        self
    }

    /// Sets the number of the last event of the record. The run does not wait before this event: a question that opened
    /// before may be closed.
    #[must_use]
    pub fn with_recorded(mut self, seq: u64) -> Self {
        self.recorded = seq;
        self
    }

    /// Follows an event, and returns its chunks as server-sent events. If the run ended, or waits for an answer, the text
    /// ends with [`AI_SDK_DONE`]: the response is complete, because a client sends answers only after its end.
    pub fn push_sse(&mut self, event: &FeedEvent) -> String {
        let mut text: String = self.push(event).iter().map(to_sse).collect();
        if self.is_waiting() {
            text.extend(self.pause().iter().map(to_sse));
        } else if !self.has_ended {
            return text;
        }
        text + AI_SDK_DONE
    }

    fn emit(&mut self, chunk: Value, chunks: &mut Vec<Value>) {
        if !self.has_started {
            self.has_started = true;
            let metadata = json!({ "run": self.run });
            chunks.push(json!({ "type": "start", "messageId": self.run, "messageMetadata": metadata }));
        }
        chunks.push(chunk);
    }

    /// Starts a step, unless the current one can take more parts.
    fn start_step(&mut self, next: Step, chunks: &mut Vec<Value>) {
        if matches!((self.step, next), (Step::Turn, Step::Complete) | (Step::Complete, _)) {
            self.emit(json!({ "type": "finish-step" }), chunks);
            self.step = Step::None;
        }
        if self.step == Step::None {
            self.emit(json!({ "type": "start-step" }), chunks);
        }
        self.step = next;
    }

    /// Adds a part with data, which has a step of its own, or replaces the data of an earlier one. So drafts that
    /// are void can be removed with their step.
    fn emit_data(&mut self, name: &str, id: &str, data: &Value, chunks: &mut Vec<Value>) {
        let kind = format!("data-{name}");
        if self.data.insert(format!("{kind} {id}")) {
            let void = self.parts.mute();
            self.apply(void, chunks);
            self.start_step(Step::Complete, chunks);
        }
        self.emit(json!({ "type": kind, "id": id, "data": data }), chunks);
    }

    /// Adds an event that is not a part of the message.
    fn emit_transient(&mut self, event: &FeedEvent, chunks: &mut Vec<Value>) {
        let data = to_json(event);
        self.emit(json!({ "type": "data-event", "data": data, "transient": true }), chunks);
    }

    fn apply(&mut self, changes: Vec<Change>, chunks: &mut Vec<Value>) {
        for change in changes {
            match change {
                Change::Begin { id, kind } => {
                    self.start_step(Step::Turn, chunks);
                    self.emit(begin(&id, &kind), chunks);
                }
                Change::Delta { id, kind, text } => self.emit(delta(&id, &kind, &text), chunks),
                Change::End { id, kind } => {
                    let name = match kind {
                        PartKind::Text => "text-end",
                        PartKind::Reasoning => "reasoning-end",
                        PartKind::Call { .. } => continue,
                    };
                    self.emit(json!({ "type": name, "id": id }), chunks);
                }
                Change::Call { whole, .. } => self.emit(available(&whole), chunks),
                Change::Void { .. } => {
                    self.emit(json!({ "type": "reset-step" }), chunks);
                    self.step = Step::Empty;
                }
            }
        }
    }

    fn finish(&mut self, reason: &str, mut metadata: Value, chunks: &mut Vec<Value>) {
        if self.step != Step::None {
            self.emit(json!({ "type": "finish-step" }), chunks);
            self.step = Step::None;
        }
        metadata["seq"] = self.seq.into();
        let finish = json!({ "type": "finish", "finishReason": reason, "messageMetadata": metadata });
        self.emit(finish, chunks);
        self.has_started = false;
    }
}

fn begin(id: &str, kind: &PartKind) -> Value {
    match kind {
        PartKind::Text => json!({ "type": "text-start", "id": id }),
        PartKind::Reasoning => json!({ "type": "reasoning-start", "id": id }),
        PartKind::Call { call, tool } => {
            json!({ "type": "tool-input-start", "toolCallId": call, "toolName": tool, "dynamic": true })
        }
    }
}

fn delta(id: &str, kind: &PartKind, text: &str) -> Value {
    match kind {
        PartKind::Text => json!({ "type": "text-delta", "id": id, "delta": text }),
        PartKind::Reasoning => json!({ "type": "reasoning-delta", "id": id, "delta": text }),
        PartKind::Call { call, .. } => {
            json!({ "type": "tool-input-delta", "toolCallId": call, "inputTextDelta": text })
        }
    }
}

fn available(whole: &Whole) -> Value {
    let (call, tool) = match &whole.kind {
        PartKind::Call { call, tool } => (call.as_str(), tool.as_str()),
        _ => ("", ""),
    };
    json!({
        "type": "tool-input-available", "toolCallId": call, "toolName": tool, "input": whole.content,
        "dynamic": true,
    })
}
