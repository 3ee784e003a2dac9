//! What a run does that is killed: calls of each class, said by a model that knows how far it is from the conversation.

use serde_json::json;
use windlass_protocol::{Request, Role, StopReason, Usage};
use windlass_stream::{CallChunk, Chunk, WholeCall};

/// A tool that reads (`Pure`).
pub const LOOK: &str = "look";
/// A tool that keeps its argument under its call's id: doing it again changes nothing (`Idempotent`).
pub const KEEP: &str = "keep";
/// A tool that makes a mark, which can be counted and not be taken back (`Once`).
pub const MARK: &str = "mark";
/// The same, and a human is asked before.
pub const ASK: &str = "ask";

/// The calls of each turn, as tool and call id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    turns: Vec<Vec<(&'static str, String)>>,
}

impl Job {
    /// Three turns with a call of each class, side by side and one after the other; nobody is asked.
    pub fn of_each_class() -> Self {
        let call = |turn: usize, tool: &'static str| (tool, format!("{tool}-{turn}"));
        Self { turns: (1..=3).map(|turn| [LOOK, KEEP, MARK].map(|tool| call(turn, tool)).to_vec()).collect() }
    }

    /// A turn that needs two answers beside a call that needs none, and one after it.
    pub fn with_questions() -> Self {
        let first = vec![(ASK, "ask-1".to_owned()), (LOOK, "look-1".to_owned()), (ASK, "ask-2".to_owned())];
        Self { turns: vec![first, vec![(MARK, "mark-2".to_owned())]] }
    }

    /// All calls, as tool and call id.
    pub fn calls(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.turns.iter().flatten().map(|(tool, id)| (*tool, id.as_str()))
    }

    /// What the run says at its end.
    pub fn text(&self) -> String {
        format!("{} turns are done", self.turns.len())
    }

    /// The model's answer to a request: the same in every process.
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
