//! Prints the events of a run as text for a human, while the run proceeds.

mod arguments;
mod calls;
mod flow;
mod run;
mod speech;

use std::collections::BTreeMap;

use windlass_agent::{Event, Outcome};
use windlass_hitl::display_safe;
use windlass_protocol::{CallId, Usage};
use windlass_screen::Role;

use self::arguments::GrowingArguments;
pub(crate) use self::run::outcome_text;
use self::speech::Speech;
use crate::output;
use crate::paint::{Painted, Painter, role_of};
use crate::usage::is_unreported;

/// Maximum number of printed lines of a result.
const RESULT_LINES: usize = 12;

/// Renderer of a run's events, with the summary that is printed at the end.
#[derive(Default)]
pub(crate) struct Show {
    painter: Painter,
    speech: Speech,
    growing: BTreeMap<CallId, GrowingArguments>,
    at_line_start: bool,
    pub(crate) calls: Vec<String>,
    pub(crate) decisions: Vec<String>,
    pub(crate) usage: Usage,
    /// True if an answer had no report of its tokens, so its cost is unknown.
    pub(crate) has_unreported: bool,
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
        self.at_line_start = text.ends_line();
        output::print_painted(&text)
    }

    /// Updates the summary without printing, for output as JSON.
    pub(crate) fn keep(&mut self, event: &Event) {
        drop(self.text_of(event));
    }

    fn text_of(&mut self, event: &Event) -> Painted {
        self.has_unreported |= is_unreported(event);
        match event {
            Event::Text { .. } | Event::Reasoning { .. } => return self.speak(event),
            Event::TextEnded | Event::ReasoningEnded => return self.end_speech(),
            Event::CallArguments { call, delta } => return self.arguments(call, delta),
            _ => {}
        }
        let lines = self.lines_of(event);
        if lines.is_empty() { lines } else { self.end_speech_before(&lines) }
    }

    /// Renders an event that has lines of its own.
    fn lines_of(&mut self, event: &Event) -> Painted {
        match event {
            Event::TurnStarted { turn, .. } => {
                self.growing.clear();
                self.speech.begin_answer();
                self.line(&format!("── turn {turn} "))
            }
            Event::ProtocolChanged { protocol, reason } => self.line(&format!(
                "· the provider refused ({}); calls now travel as: {}",
                display_safe(reason),
                protocol.as_str()
            )),
            Event::CallStarted { call, name } => {
                self.growing.insert(call.clone(), GrowingArguments::default());
                // No line break behind it: the arguments follow, each field on its own line.
                let text = format!("{}→ {}", self.line_break(), display_safe(name.as_str()));
                self.painter.paint(Role::Call, &text)
            }
            Event::CallFinished { call } => {
                self.names.insert(call.id.to_string(), call.name.to_string());
                Painted::default()
            }
            Event::CallMalformed { .. }
            | Event::CallRefusedEarly { .. }
            | Event::CallRepaired { .. }
            | Event::CallCoerced { .. } => self.arguments_problem(event),
            Event::AttemptDiscarded { reason, delay_ms } => {
                self.speech.begin_answer();
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
                self.end(outcome)
            }
            _ => self.change(event),
        }
    }

    /// Renders what is wrong with the arguments of a call, and what was done about it.
    fn arguments_problem(&self, event: &Event) -> Painted {
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
            _ => Painted::default(),
        }
    }

    fn name(&self, call: &str) -> String {
        self.names.get(call).cloned().unwrap_or_else(|| call.to_owned())
    }

    /// Renders text on lines of its own, in the style of its mark.
    fn line(&self, text: &str) -> Painted {
        self.line_in(role_of(text), text)
    }

    /// Renders text on lines of its own.
    fn line_in(&self, role: Role, text: &str) -> Painted {
        self.painter.paint_lines(role, &format!("{}{text}\n", self.line_break()))
    }

    /// Returns a line break if the cursor stands in a line.
    fn line_break(&self) -> &'static str {
        if self.at_line_start { "" } else { "\n" }
    }
}

#[cfg(test)]
mod tests;
