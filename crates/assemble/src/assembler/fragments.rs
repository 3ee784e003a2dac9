//! Fragments of providers that do not mark the start and the end of a call.

use super::Assembler;
use crate::CallEvent;
use crate::calls::Assignment;
use crate::calls::fragment::Fragment;

impl Assembler {
    pub(super) fn push_fragment(&mut self, fragment: Fragment, events: &mut Vec<CallEvent>) {
        let before = self.calls.places.len();
        let placed = self.calls.place(&fragment, &self.options);
        if self.calls.places.len() > before || placed == Assignment::Beyond {
            self.record_start(placed, None, events);
        }
        let Assignment::Call(at) = placed else { return };
        let Some(call) = self.calls.growing_mut(at) else { return };
        if fragment.opaque.is_some() {
            call.opaque = fragment.opaque;
        }
        if let Some(name) = fragment.name {
            call.name.push(&name, &self.options.tools);
        }
        if let Some(arguments) = &fragment.arguments {
            call.name.meet_arguments(&self.options.tools);
            call.push(arguments, &self.options.limits);
        }
        call.tell(fragment.arguments, events);
    }
}
