//! The rules of a complete answer.

use std::collections::{BTreeMap, BTreeSet};

use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{StopReason, Usage};

use super::ModelRule;
use crate::{CallChunk, CallKey, Chunk};

/// Checks the chunks of one complete answer, for example of a recording.
///
/// ```
/// use windlass_stream::Chunk;
/// use windlass_stream::kit::{ModelRule, check_chunks};
///
/// let violation = check_chunks(&[Chunk::text("half of an ans")]).unwrap_err();
/// assert_eq!(violation.rule, ModelRule::FinishesOnce);
/// ```
///
/// # Errors
/// Returns the first rule that the answer violates.
pub fn check_chunks(chunks: &[Chunk]) -> Result<(), RuleViolation<ModelRule>> {
    let mut seen = AnswerState::default();
    for (number, chunk) in chunks.iter().enumerate() {
        seen.push(chunk).map_err(|(rule, found)| {
            RuleViolation::new(rule, format!("chunk {number} of {}: {found}", chunks.len()))
        })?;
    }
    seen.end().map_err(|(rule, found)| RuleViolation::new(rule, found))
}

/// A violated rule and the observation.
type Found = (ModelRule, String);

/// The state of an answer.
#[derive(Default)]
struct AnswerState {
    /// The streamed arguments of the calls that have begun; `None` for a call that has ended.
    calls: BTreeMap<CallKey, Option<String>>,
    ids: BTreeSet<String>,
    has_calls: bool,
    usage: Usage,
    finish: Option<StopReason>,
}

impl AnswerState {
    fn push(&mut self, chunk: &Chunk) -> Result<(), Found> {
        match chunk {
            Chunk::Text { .. } => self.precede_finish("text"),
            Chunk::Reasoning { .. } => self.precede_finish("reasoning"),
            Chunk::Call(piece) => {
                self.precede_finish("a call")?;
                self.has_calls = true;
                self.push_call(piece)
            }
            Chunk::Usage { usage } => self.push_usage(*usage),
            Chunk::Finish { reason, .. } => self.push_finish(reason),
            Chunk::Error { error } => {
                Err((ModelRule::Answers, format!("the answer is the failure \"{error}\"")))
            }
            _ => Ok(()),
        }
    }

    fn precede_finish(&self, what: &str) -> Result<(), Found> {
        match &self.finish {
            Some(_) => Err((ModelRule::FinishesLast, format!("{what} follows the finish"))),
            None => Ok(()),
        }
    }

    fn push_call(&mut self, piece: &CallChunk) -> Result<(), Found> {
        match piece {
            CallChunk::Start { key, id, name, .. } => {
                if self.calls.insert(*key, Some(String::new())).is_some() {
                    return Err((ModelRule::StartsCalls, format!("call {} begins twice", key.0)));
                }
                self.push_identity(id.as_deref(), name)
            }
            CallChunk::Delta { key, arguments } => match self.calls.get_mut(key) {
                Some(Some(streamed)) => {
                    streamed.push_str(arguments);
                    Ok(())
                }
                Some(None) => {
                    Err((ModelRule::EndsCalls, format!("arguments of call {} follow its end", key.0)))
                }
                None => {
                    Err((ModelRule::StartsCalls, format!("arguments of call {} precede its start", key.0)))
                }
            },
            CallChunk::End { key, arguments } => self.push_end(*key, arguments.as_deref()),
            CallChunk::Whole { id, name, .. } => self.push_identity(id.as_deref(), name),
            // `windlass-assemble` assigns fragments to calls and decides about their names and ids.
            CallChunk::Partial { .. } => Ok(()),
        }
    }

    fn push_identity(&mut self, id: Option<&str>, name: &str) -> Result<(), Found> {
        if name.is_empty() {
            return Err((ModelRule::NamesCalls, "the name of a call is empty".to_owned()));
        }
        match id {
            Some(id) if !self.ids.insert(id.to_owned()) => {
                Err((ModelRule::DistinguishesCalls, format!("two calls have the id {id:?}")))
            }
            _ => Ok(()),
        }
    }

    fn push_end(&mut self, key: CallKey, repeated: Option<&str>) -> Result<(), Found> {
        match self.calls.insert(key, None) {
            Some(Some(streamed)) => match repeated {
                Some(whole) if !whole.starts_with(&streamed) => {
                    let found = format!("call {} streamed {streamed:?} and ended with {whole:?}", key.0);
                    Err((ModelRule::RepeatsArguments, found))
                }
                _ => Ok(()),
            },
            Some(None) => Err((ModelRule::EndsCalls, format!("call {} ends twice", key.0))),
            None => Err((ModelRule::StartsCalls, format!("the end of call {} precedes its start", key.0))),
        }
    }

    fn push_usage(&mut self, usage: Usage) -> Result<(), Found> {
        let counts = [
            ("input", self.usage.input_tokens, usage.input_tokens),
            ("output", self.usage.output_tokens, usage.output_tokens),
        ];
        for (what, before, now) in counts {
            if now < before {
                let found = format!("{now} {what} tokens follow {before}");
                return Err((ModelRule::CountsTotals, found));
            }
        }
        self.usage = usage;
        Ok(())
    }

    fn push_finish(&mut self, reason: &StopReason) -> Result<(), Found> {
        if self.finish.is_some() {
            return Err((ModelRule::FinishesOnce, "the answer has a second finish".to_owned()));
        }
        let open = self.calls.iter().find(|(_, streamed)| streamed.is_some());
        if let (Some((key, _)), StopReason::End | StopReason::Calls) = (open, reason) {
            return Err((ModelRule::EndsCalls, format!("call {} has not ended", key.0)));
        }
        if *reason == StopReason::Calls && !self.has_calls {
            return Err((ModelRule::StopsForCalls, "the answer has no call".to_owned()));
        }
        self.finish = Some(reason.clone());
        Ok(())
    }

    fn end(self) -> Result<(), Found> {
        match self.finish {
            Some(_) => Ok(()),
            None => Err((ModelRule::FinishesOnce, "the stream ended without a finish".to_owned())),
        }
    }
}
