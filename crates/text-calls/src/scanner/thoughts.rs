//! The scanner inside thoughts.

use windlass_stream::Chunk;

use super::opening::{self, Kind, Opening};
use super::{Flow, Scanner, State};
use crate::{CallsInReasoning, Reasoning};

impl Scanner {
    /// Processes text inside thoughts.
    pub(super) fn thoughts(&mut self, rest: &str, ended: bool, out: &mut Vec<Chunk>) -> Flow {
        let State::Thoughts { closes, fresh } = self.state else { return Flow::On(0) };
        if fresh && let Some(flow) = opening::skip_reopening(self, rest, ended) {
            return flow;
        }
        let ends_with_call = self.calls_in_reasoning == CallsInReasoning::EndReasoning;
        let mut from = 0;
        loop {
            let found = rest
                .as_bytes()
                .get(from..)
                .and_then(|rest| rest.iter().position(|byte| matches!(byte, b'<' | b'[')));
            let Some(at) = found.map(|found| found.saturating_add(from)) else {
                self.think(rest, out);
                return Flow::On(rest.len());
            };
            let (before, here) = rest.split_at_checked(at).unwrap_or((rest, ""));
            if let Some(close) = opening::closes(closes).find(|close| here.starts_with(close)) {
                let len = at.saturating_add(close.len());
                return self.end_thoughts(rest, before, len, out);
            }
            let mut waits = !ended && opening::closes(closes).any(|close| close.starts_with(here));
            if ends_with_call {
                match opening::open(self, here, opening::spot_after_call(), ended) {
                    Opening::Yes(Kind::Call, form, found) => {
                        self.think(before, out);
                        if self.reasoning != Reasoning::Keep {
                            self.sink(out).end_reasoning();
                        }
                        let source = here.get(..found.used).unwrap_or_default();
                        opening::begin(self, form, (found.name, source), out);
                        return Flow::On(at.saturating_add(found.used));
                    }
                    Opening::Maybe => waits = true,
                    _ => {}
                }
            }
            if waits {
                self.think(before, out);
                return Flow::Wait(at);
            }
            from = at.saturating_add(1);
        }
    }

    fn end_thoughts(&mut self, rest: &str, before: &str, len: usize, out: &mut Vec<Chunk>) -> Flow {
        self.state = State::Prose;
        self.prose.begin_answer();
        if self.reasoning == Reasoning::Keep {
            self.sink(out).text(rest.get(..len).unwrap_or_default());
        } else {
            let mut sink = self.sink(out);
            sink.reasoning(before);
            sink.end_reasoning();
        }
        Flow::On(len)
    }

    /// Emits thoughts.
    pub(super) fn think(&mut self, words: &str, out: &mut Vec<Chunk>) {
        if let State::Thoughts { fresh, .. } = &mut self.state {
            *fresh = *fresh && words.is_empty();
        }
        let keep = self.reasoning == Reasoning::Keep;
        let mut sink = self.sink(out);
        if keep { sink.text(words) } else { sink.reasoning(words) }
    }
}
