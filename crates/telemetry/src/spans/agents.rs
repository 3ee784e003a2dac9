//! The spans of sub-agents.

use serde_json::Value;
use windlass_loop::Event;
use windlass_protocol::CallId;

use super::{Run, fail};
use crate::{SpanOptions, shapes};

impl Run {
    /// Updates the spans for an event of a sub-agent. Its run span is inside the span of the call that
    /// started it, or inside that of the agent above it.
    pub(super) fn update_below(&mut self, call: &CallId, agents: &[String], happened: &Value) {
        let Ok(event) = serde_json::from_value::<Event>(happened.clone()) else { return };
        let key = (call.clone(), agents.to_vec());
        if !self.agents.contains_key(&key) {
            let above = agents.split_last().map(|(_, above)| (call.clone(), above.to_vec()));
            let above = above.and_then(|above| self.agents.get(&above)).map(|run| run.span.clone());
            let running = || self.calls.get(call).and_then(|known| known.running.clone());
            let parent = above.or_else(running).unwrap_or_else(|| self.span.clone());
            let options = SpanOptions { agent: agents.join("/"), ..self.options.clone() };
            let span = parent.in_scope(|| shapes::invoke_agent(&options));
            self.agents.insert(key.clone(), Self::new(options, span));
        }
        if let Event::Finished { outcome, total } = &event {
            if let Some(mut run) = self.agents.remove(&key) {
                run.finish(outcome, total);
            }
        } else if let Some(run) = self.agents.get_mut(&key) {
            run.see(&event);
        }
    }

    /// Closes the open spans of sub-agents. They end with the run, not with a turn.
    pub(super) fn close_agents(&mut self, error: Option<&str>) {
        for (_, mut run) in std::mem::take(&mut self.agents) {
            run.close_agents(error);
            run.close_all(error);
            if let Some(error) = error {
                fail(&run.span, error);
            }
        }
    }
}
