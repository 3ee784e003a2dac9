//! Prints the events of a run as text for a human, while the run proceeds.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use windlass_agent::{Event, Outcome, Wait};
use windlass_assemble::CallIndex;
use windlass_hitl::{ApprovalOutcome, Decision, Verdict, display_safe};
use windlass_partial_json::{Event as JsonEvent, Parser};
use windlass_protocol::{ToolResult, Usage};

use crate::output;

/// Maximum number of printed lines of a result.
const RESULT_LINES: usize = 12;

/// Renderer of a run's events, with the summary that is printed at the end.
#[derive(Default)]
pub(crate) struct Show {
    growing: BTreeMap<CallIndex, Parser>,
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
            Event::CallStarted { key, name } => {
                self.growing.insert(*key, Parser::new());
                // No line break: the arguments follow, each field on its own line.
                let text = self.line(&format!("→ {}", display_safe(name.as_str())));
                text.trim_end().to_owned()
            }
            Event::CallArguments { key, delta } => self.arguments(*key, delta),
            Event::CallFinished { call, .. } => {
                self.names.insert(call.id.to_string(), call.name.to_string());
                String::new()
            }
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
            Event::AnswerRefused { reason }
            | Event::MessageRefused { reason, .. }
            | Event::Nudged { text: reason } => self.line(&format!("! {}", display_safe(reason))),
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

    /// Renders an event of a sub-agent as one entry: calls, failed calls, postponed questions and the
    /// outcome.
    fn agent(&self, agents: &[String], happened: &Value) -> String {
        let said = match serde_json::from_value(happened.clone()) {
            Ok(Event::CallFinished { call, .. }) => format!("→ {}", display_safe(call.name.as_str())),
            Ok(Event::CallEnded { result }) if !result.status.is_ok() => {
                format!("← {}: {}", display_safe(result.call.as_str()), result.status.as_str())
            }
            Ok(Event::ApprovalPostponed { .. }) => {
                "needs an approval that cannot be given here; the question stays open".to_owned()
            }
            Ok(Event::Finished { outcome, .. }) => outcome_text(&outcome),
            _ => return String::new(),
        };
        let who: Vec<String> = agents.iter().map(|agent| display_safe(agent)).collect();
        let text: Vec<&str> = said.lines().take(RESULT_LINES).collect();
        self.line(&format!("    [{}] {}", who.join(" > "), text.join("\n        ")))
    }

    /// Renders the diffs of turns and of the run, and failed checkpoints.
    fn change(&self, event: &Event) -> String {
        match event {
            Event::CheckpointFailed { problem, .. } => {
                self.line(&format!("! the earlier state has no checkpoint: {}", display_safe(problem)))
            }
            Event::TurnDiff { turn, diff } => self.line(&format!("± turn {turn}: {}", count_changes(diff))),
            Event::RunDiff { diff } => self.line(&format!("± in all: {}", count_changes(diff))),
            _ => String::new(),
        }
    }

    /// Renders a delta of a call's arguments: each field under its name, strings while they grow.
    fn arguments(&mut self, key: CallIndex, delta: &str) -> String {
        let Some(parser) = self.growing.get_mut(&key) else { return String::new() };
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

    fn show_decision(&mut self, call: &str, decision: &Decision) -> String {
        let said = format!("{}: {} by rule {}", self.name(call), decision.verdict, decision.reason.rule_id);
        self.decisions.push(format!("{said} ({})", decision.reason.text));
        if decision.verdict == Verdict::Ask { String::new() } else { self.line(&format!("  {said}")) }
    }

    fn context(&self, event: &Event) -> String {
        match event {
            Event::ContextFilling { used, window, is_estimate, .. } => {
                let about = if *is_estimate { "about " } else { "" };
                self.line(&format!("· the conversation takes {about}{used} of {window} tokens"))
            }
            Event::ContextCondensing => self.line("· the model is asked to summarize older turns"),
            Event::ContextCompacted { before, after, results, messages, .. } => self.line(&format!(
                "· {results} results and {messages} messages were left out: {before} tokens, now {after}"
            )),
            Event::ImagesRemoved { images, reason } => {
                let reason = display_safe(reason);
                self.line(&format!(
                    "· the provider refused a picture; {images} were replaced by words: {reason}"
                ))
            }
            _ => String::new(),
        }
    }

    /// Renders a question only if it was postponed. Otherwise the approver displays it.
    fn question(&mut self, event: &Event) -> String {
        match event {
            Event::ToolApprovalRequest { request, .. } => {
                self.asked.insert(request.request_id.clone(), request.describe());
                String::new()
            }
            Event::ApprovalPostponed { request_id } => {
                let question = self.asked.remove(request_id).unwrap_or_default();
                self.line(&format!("? {question}\n  It cannot be answered here; the question stays open."))
            }
            Event::ApprovalEnded { outcome } => self.approval(outcome),
            _ => String::new(),
        }
    }

    fn approval(&mut self, outcome: &ApprovalOutcome) -> String {
        let said = match outcome {
            ApprovalOutcome::Answered(decision) if decision.approved => "approved".to_owned(),
            ApprovalOutcome::Answered(decision) => {
                format!(
                    "denied{}",
                    decision.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default()
                )
            }
            ApprovalOutcome::TimedOut { .. } => "no answer arrived in time".to_owned(),
            _ => "no approver is available".to_owned(),
        };
        self.decisions.push(format!("  {said}"));
        self.line(&format!("  {}", display_safe(&said)))
    }

    fn result(&mut self, result: &ToolResult) -> String {
        let name = self.name(result.call.as_str());
        self.calls.push(format!("{name}: {}", result.status.as_str()));
        let text = display_safe(&result.wire_text());
        let mut lines: Vec<&str> = text.lines().take(RESULT_LINES).collect();
        let left = text.lines().count().saturating_sub(lines.len());
        let more = format!("… {left} more lines");
        if left > 0 {
            lines.push(&more);
        }
        self.line(&format!("← {name}: {}\n    {}", result.status.as_str(), lines.join("\n    ")))
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

/// Renders a run's outcome as text.
pub(crate) fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed { text } => format!("✓ {}", display_safe(text)),
        Outcome::Stopped { cause } => format!("■ stopped: {cause}"),
        Outcome::Suspended { waits } => {
            let waits: Vec<String> = waits.iter().map(wait_text).collect();
            format!("⏸ suspended; it waits for {}", waits.join(", "))
        }
        Outcome::Failed { message } => format!("✗ failed: {}", display_safe(message)),
        _ => "the run has ended".to_owned(),
    }
}

fn wait_text(wait: &Wait) -> String {
    match wait {
        Wait::Approval { call, .. } => format!("an approval or denial of {call}"),
        Wait::Result { call } => format!("the result of {call}"),
        Wait::InterruptReply { question, .. } => format!("an answer to: {}", display_safe(question)),
        _ => "something".to_owned(),
    }
}

/// Counts the files and the added and removed lines of a diff.
fn count_changes(diff: &str) -> String {
    let files = diff.lines().filter(|line| line.starts_with("diff --git ")).count();
    let (mut more, mut less, mut is_head) = (0_usize, 0_usize, true);
    for line in diff.lines() {
        // Lines before the first hunk of a file (`---`, `+++`) are its header, not changes.
        is_head = line.starts_with("diff --git ") || (is_head && !line.starts_with("@@ "));
        if !is_head {
            more += usize::from(line.starts_with('+'));
            less += usize::from(line.starts_with('-'));
        }
    }
    format!("{files} files, {more} lines more and {less} less")
}
