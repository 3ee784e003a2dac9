//! Prints the events of a run as text for a human, while the run proceeds.

mod calls;
mod run;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass_agent::{Event, Outcome};
use windlass_hitl::display_safe;
use windlass_partial_json::{Event as JsonEvent, Parser};
use windlass_protocol::{CallId, Usage};

pub(crate) use self::run::outcome_text;
use crate::output;

/// Maximum number of printed lines of a result.
const RESULT_LINES: usize = 12;

/// Renderer of a run's events, with the summary that is printed at the end.
#[derive(Default)]
pub(crate) struct Show {
    growing: BTreeMap<CallId, Parser>,
    at_line_start: bool,
    pub(crate) calls: Vec<String>,
    pub(crate) decisions: Vec<String>,
    pub(crate) usage: Usage,
    pub(crate) outcome: Option<Outcome>,
    /// True if Ctrl-C cancelled the run.
    pub(crate) is_interrupted: bool,
    names: BTreeMap<String, String>,
    /// Texts of open questions by request id.
    asked: BTreeMap<String, String>,
}

impl Show {
    /// Prints one event.
    pub(crate) fn event(&mut self, event: &Event) -> anyhow::Result<()> {
        let text = self.text_of(event);
        if text.is_empty() {
            return Ok(());
        }
        self.at_line_start = text.ends_with('\n');
        output::print(&text)
    }

    /// Updates the summary without printing, for output as JSON.
    pub(crate) fn keep(&mut self, event: &Event) {
        drop(self.text_of(event));
    }

    fn text_of(&mut self, event: &Event) -> String {
        match event {
            Event::TurnStarted { turn, .. } => {
                self.growing.clear();
                self.line(&format!("── turn {turn} "))
            }
            Event::ProtocolChanged { protocol, reason } => self.line(&format!(
                "· the provider refused ({}); calls now travel as: {}",
                display_safe(reason),
                protocol.as_str()
            )),
            Event::Text { text } | Event::Reasoning { text } => display_safe(text),
            Event::CallStarted { call, name } => {
                self.growing.insert(call.clone(), Parser::new());
                // No line break: the arguments follow, each field on its own line.
                let text = self.line(&format!("→ {}", display_safe(name.as_str())));
                text.trim_end().to_owned()
            }
            Event::CallArguments { call, delta } => self.arguments(call, delta),
            Event::CallFinished { call } => {
                self.names.insert(call.id.to_string(), call.name.to_string());
                String::new()
            }
            Event::CallMalformed { .. }
            | Event::CallRefusedEarly { .. }
            | Event::CallRepaired { .. }
            | Event::CallCoerced { .. } => self.arguments_problem(event),
            Event::AttemptDiscarded { reason, delay_ms } => {
                self.line(&format!("! {}; retrying in {delay_ms} ms", display_safe(reason)))
            }
            Event::Decided { call, decision } => self.show_decision(call.as_str(), decision),
            Event::ToolApprovalRequest { .. }
            | Event::ApprovalPostponed { .. }
            | Event::ApprovalEnded { .. } => self.question(event),
            Event::ContextFilling { .. }
            | Event::ContextCondensing
            | Event::ContextCompacted { .. }
            | Event::ImagesRemoved { .. } => self.context(event),
            Event::Said { text } => self.line(&format!("> {}", display_safe(text))),
            Event::CallDeferred { call } => {
                self.line(&format!("  {}: runs elsewhere", self.name(call.as_str())))
            }
            Event::AnswerRefused { reason } | Event::MessageRefused { reason, .. } => {
                self.line(&format!("! {}", display_safe(reason)))
            }
            // The instruction is meant for the model.
            Event::Nudged { .. } => {
                self.line("! the answer has no tool call; the model is asked to continue")
            }
            Event::CallEnded { result } => self.result(result),
            Event::AgentEvent { agents, happened, .. } => self.agent(agents, happened),
            Event::Finished { outcome, total } => {
                self.usage = *total;
                self.outcome = Some(outcome.clone());
                self.line(&outcome_text(outcome))
            }
            _ => self.change(event),
        }
    }

    /// Renders what is wrong with the arguments of a call, and what was done about it.
    fn arguments_problem(&self, event: &Event) -> String {
        match event {
            Event::CallMalformed { problem, .. } => self.line(&format!("! {problem}")),
            Event::CallRefusedEarly { problem, .. } => {
                self.line(&format!("! refused while it was written: {}", display_safe(problem)))
            }
            Event::CallRepaired { repairs, .. } => {
                let told: Vec<String> = repairs.iter().map(ToString::to_string).collect();
                self.line(&format!("! arguments repaired: {}", told.join(", ")))
            }
            Event::CallCoerced { changes, .. } => {
                self.line(&format!("! arguments read by the schema: {}", display_safe(&changes.join(", "))))
            }
            _ => String::new(),
        }
    }

    /// Renders a delta of a call's arguments: each field under its name, strings while they grow.
    fn arguments(&mut self, call: &CallId, delta: &str) -> String {
        let Some(parser) = self.growing.get_mut(call) else { return String::new() };
        // A later `CallMalformed` event reports text that is not JSON.
        let _ = parser.push(delta);
        let mut text = String::new();
        parser.drain_events(|event| match event {
            JsonEvent::Began { path, .. } if !path.is_empty() => {
                let _ = write!(text, "\n    {}: ", display_safe(path.trim_start_matches('/')));
            }
            JsonEvent::Grew { text: grown, .. } => {
                text.push_str(&display_safe(grown).replace('\n', "\n      "));
            }
            JsonEvent::Complete { value, .. } => {
                if let Some(number) = value.number_text() {
                    text.push_str(number);
                } else if let Some(value) = value.as_bool() {
                    text.push_str(if value { "true" } else { "false" });
                }
            }
            _ => {}
        });
        text
    }

    fn name(&self, call: &str) -> String {
        self.names.get(call).cloned().unwrap_or_else(|| call.to_owned())
    }

    /// Renders text on lines of its own.
    fn line(&self, text: &str) -> String {
        let before = if self.at_line_start { "" } else { "\n" };
        format!("{before}{text}\n")
    }
}

#[cfg(test)]
mod tests;
