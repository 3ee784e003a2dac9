//! The end of an answer and of its calls: each call ends exactly once, finished or malformed (RULES S8).

use windlass_protocol::{Part, Payload, StopReason, ToolCall, ToolName};
use windlass_stream::CallKey;

use crate::calls::{Assignment, Place};
use crate::classification::{AnswerEnd, CallPosition, Classification, End, classify};
use crate::growing::Framing;
use crate::parts::Slot;
use crate::{Answer, AnswerCall, Assembler, CallEvent, Ending, MalformedCall, MalformedReason, Notes};

impl Assembler {
    /// Ends the response and returns the answer. A stream without a finish reason counts as dropped, and its
    /// open calls are malformed.
    pub fn finish(mut self, events: &mut Vec<CallEvent>) -> Answer {
        if self.ending.is_none() {
            self.end(AnswerEnd::Known(Ending::Dropped), events);
        }
        // All calls have ended by now, so an index in `places` equals the index in `calls`.
        let ended = |place| match place {
            Place::Ended(call) => Some(*call),
            Place::Growing(_) => None,
        };
        let calls: Vec<AnswerCall> = self.calls.places.into_iter().filter_map(ended).collect();
        let part = |slot| match slot {
            Slot::Part(part) => Some(part),
            Slot::Call(at) => calls.get(at).and_then(AnswerCall::to_call).map(Part::Call),
        };
        let parts = self.parts.into_slots().into_iter().filter_map(part).collect();
        Answer {
            parts,
            calls,
            stop: self.stop,
            raw_stop: self.raw_stop,
            usage: self.usage,
            grounding: self.grounding,
            error: self.error,
            ending: self.ending.unwrap_or(Ending::Dropped),
        }
    }

    /// Ends the call of a key, with the whole arguments if the provider repeats them.
    pub(super) fn push_end(&mut self, key: CallKey, arguments: Option<String>, events: &mut Vec<CallEvent>) {
        let Some(Assignment::Call(at)) = self.calls.find_key(key) else { return };
        let Some(call) = self.calls.growing_mut(at) else { return };
        if let Some(whole) = arguments {
            call.complete(&whole, &self.options.limits);
        }
        call.marks = Framing::Ended;
        call.tell(None, events);
        self.end_call(at, End::Mark, CallPosition::Last, events);
    }

    /// Ends the answer and all open calls (S8).
    pub(super) fn end(&mut self, end: AnswerEnd, events: &mut Vec<CallEvent>) {
        let open = self.calls.open();
        let last = self.calls.places.len().saturating_sub(1);
        for at in open {
            if let Some(call) = self.calls.growing_mut(at) {
                call.name.end();
            }
            let rank = if at == last { CallPosition::Last } else { CallPosition::Earlier };
            self.end_call(at, End::Answer(end), rank, events);
        }
        self.ending = Some(match end {
            AnswerEnd::Known(ending) => ending,
            AnswerEnd::Unproven if self.has_only_good_calls() => Ending::Complete,
            AnswerEnd::Unproven => Ending::Dropped,
        });
    }

    /// Returns whether the answer has calls and all of them are valid.
    fn has_only_good_calls(&self) -> bool {
        let is_good =
            |place: &Place| matches!(place, Place::Ended(call) if matches!(**call, AnswerCall::Good(_)));
        !self.calls.places.is_empty() && self.calls.places.iter().all(is_good)
    }

    pub(super) fn end_call(&mut self, at: usize, end: End, rank: CallPosition, events: &mut Vec<CallEvent>) {
        let Some(call) = self.calls.growing_mut(at) else { return };
        match classify(call, end, rank, &self.options) {
            Classification::Wait => {}
            Classification::Malformed(reason) => self.close(at, Err(reason), events),
            Classification::Finished(name, arguments, notes) => {
                // `Started` must be emitted before `Finished`.
                call.name.end();
                call.tell(None, events);
                self.close(at, Ok((name, Payload::Function { arguments }, notes)), events);
            }
        }
    }

    pub(super) fn close(
        &mut self,
        at: usize,
        outcome: Result<(ToolName, Payload, Notes), MalformedReason>,
        events: &mut Vec<CallEvent>,
    ) {
        let Some(id) = self.calls.settle_id(at, &self.options) else { return };
        let Some(place) = self.calls.places.get_mut(at) else { return };
        let Place::Growing(call) = place else { return };
        let (key, opaque) = (call.key, call.opaque.take());
        let ended = match outcome {
            Ok((name, payload, notes)) => {
                let call = ToolCall::new(id, name, payload).with_opaque(opaque);
                events.push(CallEvent::Finished { key, call: call.clone(), notes });
                AnswerCall::Good(call)
            }
            Err(reason) => {
                let text = std::mem::take(&mut call.text);
                let name = ToolName::new(call.name.as_str()).ok();
                let call = MalformedCall { key, id, name, reason, text, opaque };
                events.push(CallEvent::Malformed(call.clone()));
                AnswerCall::Malformed(call)
            }
        };
        *place = Place::Ended(Box::new(ended));
    }
}

/// Returns the meaning of a stop reason for open calls. A filter or a refusal interrupts the model at any
/// point, so an open call is never complete then (S10).
pub(super) fn end_of(reason: &StopReason) -> AnswerEnd {
    match reason {
        StopReason::Length | StopReason::ContextWindow => AnswerEnd::Known(Ending::Length),
        StopReason::Error | StopReason::ContentFilter | StopReason::Refusal => {
            AnswerEnd::Known(Ending::Error)
        }
        StopReason::Unknown(_) => AnswerEnd::Unproven,
        _ => AnswerEnd::Known(Ending::Complete),
    }
}
