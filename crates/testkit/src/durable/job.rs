//! The jobs of the conformance suite: turns with calls of each class, and a model that derives the turn from
//! the conversation.

use serde_json::json;
use windlass_protocol::{Request, Role, StopReason, Usage};
use windlass_stream::{CallChunk, Chunk, WholeCall};

/// A tool that only reads (`Pure`).
pub const LOOK: &str = "look";
/// A tool that stores its argument under its call's id, so a repetition has no further effect (`Idempotent`).
pub const KEEP: &str = "keep";
/// A tool that makes a mark, which is countable and irreversible (`Once`).
pub const MARK: &str = "mark";
/// Like [`MARK`], with the approval of a human.
pub const ASK: &str = "ask";

/// The calls of a run, turn by turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    turns: Vec<Vec<(&'static str, String)>>,
}

impl Job {
    /// Creates a job of three turns, each with a call of each class, without approvals.
    pub fn with_each_class() -> Self {
        let call = |turn: usize, tool: &'static str| (tool, format!("{tool}-{turn}"));
        Self { turns: (1..=3).map(|turn| [LOOK, KEEP, MARK].map(|tool| call(turn, tool)).to_vec()).collect() }
    }

    /// Creates a job with a turn that needs two approvals besides a call that needs none, and one turn after
    /// it.
    pub fn with_questions() -> Self {
        let first = vec![(ASK, "ask-1".to_owned()), (LOOK, "look-1".to_owned()), (ASK, "ask-2".to_owned())];
        Self { turns: vec![first, vec![(MARK, "mark-2".to_owned())]] }
    }

    /// Returns all calls, as tool name and call id.
    pub fn calls(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.turns.iter().flatten().map(|(tool, id)| (*tool, id.as_str()))
    }

    /// Returns the final text of the run.
    pub fn text(&self) -> String {
        format!("{} turns are done", self.turns.len())
    }

    /// Returns the model's answer to a request. It is the same in every process.
    pub fn answer(&self, request: &Request) -> Vec<Chunk> {
        let turn = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
        let mut chunks = vec![Chunk::Usage { usage }];
        let reason = match self.turns.get(turn) {
            None => {
                chunks.push(Chunk::text(self.text()));
                StopReason::End
            }
            Some(calls) => {
                chunks.extend(calls.iter().map(|(tool, id)| {
                    Chunk::Call(CallChunk::Whole {
                        id: Some(id.clone()),
                        name: (*tool).to_owned(),
                        body: WholeCall::Arguments(json!({ "what": id }).to_string()),
                        opaque: None,
                    })
                }));
                StopReason::Calls
            }
        };
        chunks.push(Chunk::Finish { reason, raw: "end".into() });
        chunks
    }
}
