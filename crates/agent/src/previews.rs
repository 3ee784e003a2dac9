//! Previews that tools show of calls whose arguments still stream.

use std::collections::HashMap;

use windlass_loop::Event;
use windlass_protocol::CallId;
use windlass_tool::Progress;
use windlass_toolbox::PartialCall;

use crate::tools::Tools;

/// The streaming calls whose tools read partial arguments.
#[derive(Debug, Default)]
pub(crate) struct Previews {
    calls: HashMap<CallId, PartialCall>,
}

impl Previews {
    /// Passes an event to the tools of streaming calls and appends their previews to `shown`. No call is
    /// decided or run here (RULES H3).
    pub(crate) fn see(&mut self, event: &Event, tools: &Tools, shown: &mut Vec<Event>) {
        match event {
            Event::CallStarted { call, name } => {
                let mut listen = listener(call, shown);
                let partial =
                    tools.current().and_then(|toolbox| toolbox.partial_call(name.as_str(), &mut listen));
                if let Some(partial) = partial {
                    self.calls.insert(call.clone(), partial);
                }
            }
            Event::CallArguments { call, delta } => {
                let Some(partial) = self.calls.get_mut(call) else { return };
                partial.push(delta, &mut listener(call, shown));
                if !partial.is_watched() {
                    self.calls.remove(call);
                }
            }
            Event::CallFinished { call } => {
                self.calls.remove(&call.id);
            }
            Event::CallMalformed { call, .. } | Event::CallRefusedEarly { call, .. } => {
                self.calls.remove(call);
            }
            // A discarded attempt frees the ids of its calls.
            Event::TurnStarted { .. } | Event::AttemptDiscarded { .. } | Event::Finished { .. } => {
                self.calls.clear();
            }
            _ => {}
        }
    }
}

fn listener(call: &CallId, shown: &mut Vec<Event>) -> impl FnMut(Progress) {
    move |progress| match progress {
        Progress::Output(text) | Progress::Note(text) => {
            shown.push(Event::CallPreview { call: call.clone(), text });
        }
        // The call has not started, so other kinds of progress are wrong here.
        _ => {}
    }
}
