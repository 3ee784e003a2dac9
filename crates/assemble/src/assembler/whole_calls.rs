//! Calls that arrive in one piece.

use windlass_protocol::{Opaque, Payload, ToolName};
use windlass_stream::WholeCall;

use super::Assembler;
use crate::calls::Assignment;
use crate::classification::{CallPosition, End};
use crate::{CallEvent, Notes};

impl Assembler {
    pub(super) fn push_whole(
        &mut self,
        id: Option<&str>,
        name: String,
        body: WholeCall,
        opaque: Option<Opaque>,
        events: &mut Vec<CallEvent>,
    ) {
        let placed = self.calls.whole(id.filter(|id| !id.is_empty()), name, &self.options);
        self.record_start(placed, opaque, events);
        let Assignment::Call(at) = placed else { return };
        match body {
            WholeCall::Arguments(text) => {
                if let Some(call) = self.calls.growing_mut(at) {
                    call.push(&text, &self.options.limits);
                    call.tell(Some(text), events);
                }
                self.end_call(at, End::Mark, CallPosition::Last, events);
            }
            WholeCall::Payload(payload) => self.finish_payload(at, payload, events),
        }
    }

    /// Finishes a call with a parsed payload; only its name still has to be valid.
    fn finish_payload(&mut self, at: usize, payload: Payload, events: &mut Vec<CallEvent>) {
        let Some(name) = self.calls.growing(at).and_then(|call| ToolName::new(call.name.as_str()).ok())
        else {
            if let Some(call) = self.calls.growing_mut(at) {
                call.push(&payload.text(), &self.options.limits);
            }
            return;
        };
        self.close(at, Ok((name, payload, Notes::default())), events);
    }
}
