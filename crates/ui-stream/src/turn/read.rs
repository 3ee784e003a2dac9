//! The events of the feed that change the parts of a turn.

use serde_json::Value;
use windlass_app::feed::FeedKind;

use super::{Change, PartKind, TurnParts, Whole};

impl TurnParts {
    /// Returns the changes of a delta of an answer, or `None` if the event is another one.
    pub(crate) fn read_delta(&mut self, kind: &FeedKind) -> Option<Vec<Change>> {
        Some(match kind {
            FeedKind::TextDelta { turn, index, offset, text, .. } => {
                self.add_text(&PartKind::Text, (*turn, *index), *offset, text)
            }
            FeedKind::ReasoningDelta { turn, index, offset, text, .. } => {
                self.add_text(&PartKind::Reasoning, (*turn, *index), *offset, text)
            }
            FeedKind::TextEnded { turn, index } => self.end_text(&PartKind::Text, *turn, *index),
            FeedKind::ReasoningEnded { turn, index } => self.end_text(&PartKind::Reasoning, *turn, *index),
            FeedKind::CallStarted { call, tool } => self.start_call(call, tool),
            FeedKind::ArgumentsDelta { call, offset, text, .. } => self.add_arguments(call, *offset, text),
            FeedKind::ArgumentsEnded { call } => self.end_arguments(call),
            _ => return None,
        })
    }

    /// Returns the changes of a whole part or of the end of a turn, or `None` if the event is another one.
    pub(crate) fn read_whole(&mut self, kind: &FeedKind) -> Option<Vec<Change>> {
        let whole = |kind: PartKind, content: Value| Whole { kind, content };
        Some(match kind {
            FeedKind::Reasoning { turn, text } => {
                self.settle(*turn, &whole(PartKind::Reasoning, text.as_str().into()))
            }
            FeedKind::Text { turn, text, .. } => {
                self.settle(*turn, &whole(PartKind::Text, text.as_str().into()))
            }
            FeedKind::Call { turn, call, tool, arguments } => {
                let kind = PartKind::Call { call: call.clone(), tool: tool.clone() };
                self.settle(*turn, &whole(kind, arguments.clone()))
            }
            FeedKind::TurnEnded { turn, .. } => self.end(*turn),
            _ => return None,
        })
    }
}
