//! Renders the events about the run as a whole, and about its sub-agents.

use serde_json::Value;
use windlass_agent::{Event, Outcome, Wait};
use windlass_hitl::display_safe;
use windlass_screen::{Role, render_markdown};
use windlass_text::count_noun;

use super::{RESULT_LINES, Show};
use crate::output;
use crate::paint::{Painted, Painter, Stream};

impl Show {
    /// Creates a renderer for standard output.
    pub(crate) fn new() -> Self {
        Self { painter: Painter::new(Stream::Out), ..Self::default() }
    }

    /// Prints a line that is not an event.
    pub(crate) fn remark(&mut self, text: &str) -> anyhow::Result<()> {
        let line = self.line(text);
        self.at_line_start = true;
        output::print_painted(&line)
    }

    /// Renders the end of the run. An answer that was printed as text is not repeated.
    pub(super) fn end(&self, outcome: &Outcome) -> Painted {
        let Outcome::Completed { text } = outcome else { return self.line(&outcome_text(outcome)) };
        if self.speech.has_said(text) {
            return self.line("✓ completed");
        }
        let Some(options) = self.painter.options() else { return self.line(&outcome_text(outcome)) };
        let mut painted = self.line_in(Role::Success, "✓ completed");
        painted.append(&Painted::from_lines(&render_markdown(text, &options)));
        painted
    }

    /// Renders an event of a sub-agent as one entry: calls, failed calls, postponed questions and the
    /// outcome.
    pub(super) fn agent(&self, agents: &[String], happened: &Value) -> Painted {
        let said = match serde_json::from_value(happened.clone()) {
            Ok(Event::CallFinished { call, .. }) => format!("→ {}", display_safe(call.name.as_str())),
            Ok(Event::CallEnded { result }) if !result.status.is_ok() => {
                format!("← {}: {}", display_safe(result.call.as_str()), result.status.as_str())
            }
            Ok(Event::ApprovalPostponed { .. }) => {
                "needs an approval that cannot be given here; the question stays open".to_owned()
            }
            Ok(Event::Finished { outcome, .. }) => outcome_text(&outcome),
            _ => return Painted::default(),
        };
        let who: Vec<String> = agents.iter().map(|agent| display_safe(agent)).collect();
        let text: Vec<&str> = said.lines().take(RESULT_LINES).collect();
        self.line(&format!("    [{}] {}", who.join(" > "), text.join("\n        ")))
    }

    /// Renders the diffs of turns and of the run, and failed checkpoints.
    pub(super) fn change(&self, event: &Event) -> Painted {
        match event {
            Event::CheckpointFailed { problem, .. } => {
                self.line(&format!("! the earlier state has no checkpoint: {}", display_safe(problem)))
            }
            Event::TurnDiff { turn, diff } => self.line(&format!("± turn {turn}: {}", count_changes(diff))),
            Event::RunDiff { diff } => self.line(&format!("± in all: {}", count_changes(diff))),
            Event::HostedCall { call } => {
                self.line(&format!("· the provider runs {}", display_safe(&call.name)))
            }
            Event::HandOff { agent } => self.line(&format!("· {} continues", display_safe(agent))),
            Event::CallEdited { call } => self
                .line(&format!("· the call of {} has other arguments now", display_safe(call.name.as_str()))),
            Event::Withheld { name } => {
                self.line(&format!("! an event ({name}) is left out, because it contains secrets"))
            }
            _ => Painted::default(),
        }
    }

    pub(super) fn context(&self, event: &Event) -> Painted {
        match event {
            Event::ContextFilling { used, window, is_estimate, .. } => {
                let about = if *is_estimate { "about " } else { "" };
                self.line(&format!("· the conversation takes {about}{used} of {window} tokens"))
            }
            Event::ContextCondensing => self.line("· the model is asked to summarize older turns"),
            Event::ContextCompacted { before, after, results, messages, .. } => self.line(&format!(
                "· left out: {} and {}; {before} tokens, now {after}",
                count_noun(*results, "result"),
                count_noun(*messages, "message")
            )),
            Event::ImagesRemoved { images, reason } => {
                let reason = display_safe(reason);
                self.line(&format!(
                    "· the provider refused a picture; replaced by words: {} ({reason})",
                    count_noun(*images, "picture")
                ))
            }
            _ => Painted::default(),
        }
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
    format!("{}, {} more and {less} less", count_noun(files, "file"), count_noun(more, "line"))
}
