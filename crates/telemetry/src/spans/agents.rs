//! The spans of agents that calls give work to.

use serde_json::Value;
use windlass_loop::Event;
use windlass_protocol::CallId;

use super::{Run, fail};
use crate::{SpanOptions, shapes};

impl Run {
    /// Something happened to an agent that a call gave work to: its spans are within that call's, and those of one below it
    /// within its own.
    pub(super) fn below(&mut self, call: &CallId, agents: &[String], happened: &Value) {
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

    /// Closes those of agents that are still open: they end with the run, and not with a turn of it.
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
