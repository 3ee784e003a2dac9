//! Renders the decisions, questions and results of calls.

use windlass_agent::Event;
use windlass_hitl::{ApprovalOutcome, Decision, Verdict, display_safe};
use windlass_protocol::ToolResult;
use windlass_screen::{DiffLimits, Role, render_diff};
use windlass_text::count_noun;

use super::{RESULT_LINES, Show};
use crate::paint::Painted;

impl Show {
    pub(super) fn show_decision(&mut self, call: &str, decision: &Decision) -> Painted {
        let said = format!("{}: {} by rule {}", self.name(call), decision.verdict, decision.reason.rule_id);
        self.decisions.push(format!("{said} ({})", decision.reason.text));
        let (verdict, role) = match decision.verdict {
            Verdict::Ask => return Painted::default(),
            Verdict::Allow => ("allowed", Role::Faint),
            Verdict::Deny => ("not allowed", Role::Error),
        };
        let name = self.name(call);
        self.line_in(role, &display_safe(&format!("  {name}: {verdict}: {}", decision.reason.describe())))
    }

    /// Renders a question only if it was postponed. Otherwise the approver displays it.
    pub(super) fn question(&mut self, event: &Event) -> Painted {
        match event {
            Event::ToolApprovalRequest { request, .. } => {
                self.asked.insert(request.request_id.clone(), request.describe());
                Painted::default()
            }
            Event::ApprovalPostponed { request_id } => {
                let question = self.asked.remove(request_id).unwrap_or_default();
                self.line(&format!("? {question}\n  It cannot be answered here; the question stays open."))
            }
            Event::ApprovalEnded { outcome } => self.approval(outcome),
            _ => Painted::default(),
        }
    }

    fn approval(&mut self, outcome: &ApprovalOutcome) -> Painted {
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
        let role = if said == "approved" { Role::Success } else { Role::Error };
        self.line_in(role, &format!("  {}", display_safe(&said)))
    }

    pub(super) fn result(&mut self, result: &ToolResult) -> Painted {
        let name = self.name(result.call.as_str());
        self.calls.push(format!("{name}: {}", result.status.as_str()));
        let (mark, role) =
            if result.status.is_ok() { (Role::Success, Role::Result) } else { (Role::Error, Role::Error) };
        let mut painted = self.line_in(mark, &format!("← {name}: {}", result.status.as_str()));
        painted.append(&self.render_content(&result.display_text(), role));
        painted
    }

    /// Renders the content of a result: its first lines, and the number of the others. With styles, a diff is rendered as
    /// in the conversation.
    fn render_content(&self, text: &str, role: Role) -> Painted {
        let is_diff = text.starts_with("--- ") || text.starts_with("diff --git ");
        if let Some(options) = self.painter.options().filter(|_| is_diff) {
            return Painted::from_lines(&render_diff(
                text.trim_end(),
                DiffLimits::default().with_lines(RESULT_LINES),
                &options,
            ));
        }
        let text = display_safe(text);
        let mut lines: Vec<&str> = text.lines().take(RESULT_LINES).collect();
        let left = text.lines().count().saturating_sub(lines.len());
        let more = format!("… {}", count_noun(left, "more line"));
        if left > 0 {
            lines.push(&more);
        }
        self.painter.paint_lines(role, &format!("    {}\n", lines.join("\n    ")))
    }
}
