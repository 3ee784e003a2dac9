//! Previews that tools show of calls whose arguments still stream.

use std::collections::HashMap;

use windlass_loop::CallIndex;
use windlass_loop::Event;
use windlass_tool::Progress;
use windlass_toolbox::PartialCall;

use crate::tools::Tools;

/// The streaming calls whose tools read partial arguments.
#[derive(Debug, Default)]
pub(crate) struct Previews {
    calls: HashMap<CallIndex, PartialCall>,
}

impl Previews {
    /// Passes an event to the tools of streaming calls and appends their previews to `shown`. No call is
    /// decided or run here (RULES H3).
    pub(crate) fn see(&mut self, event: &Event, tools: &Tools, shown: &mut Vec<Event>) {
        match event {
            Event::CallStarted { key, name } => {
                let mut listen = listener(*key, shown);
                let call =
                    tools.current().and_then(|toolbox| toolbox.partial_call(name.as_str(), &mut listen));
                if let Some(call) = call {
                    self.calls.insert(*key, call);
                }
            }
            Event::CallArguments { key, delta } => {
                let Some(call) = self.calls.get_mut(key) else { return };
                call.push(delta, &mut listener(*key, shown));
                if !call.is_watched() {
                    self.calls.remove(key);
                }
            }
            Event::CallFinished { key, .. }
            | Event::CallMalformed { key, .. }
            | Event::CallRefusedEarly { key, .. } => {
                self.calls.remove(key);
            }
            // Call keys are unique within one answer only.
            Event::TurnStarted { .. } | Event::AttemptDiscarded { .. } | Event::Finished { .. } => {
                self.calls.clear();
            }
            _ => {}
        }
    }
}

fn listener(key: CallIndex, shown: &mut Vec<Event>) -> impl FnMut(Progress) {
    move |progress| match progress {
        Progress::Output(text) | Progress::Note(text) => shown.push(Event::CallPreview { key, text }),
        // The call has not started, so other kinds of progress are wrong here.
        _ => {}
    }
}
