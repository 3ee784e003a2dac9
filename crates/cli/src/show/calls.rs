//! Renders the decisions, questions and results of calls.

use windlass_agent::Event;
use windlass_hitl::{ApprovalOutcome, Decision, Verdict, display_safe};
use windlass_protocol::ToolResult;
use windlass_text::count_noun;

use super::{RESULT_LINES, Show};

impl Show {
    pub(super) fn show_decision(&mut self, call: &str, decision: &Decision) -> String {
        let said = format!("{}: {} by rule {}", self.name(call), decision.verdict, decision.reason.rule_id);
        self.decisions.push(format!("{said} ({})", decision.reason.text));
        let verdict = match decision.verdict {
            Verdict::Ask => return String::new(),
            Verdict::Allow => "allowed",
            Verdict::Deny => "not allowed",
        };
        let name = self.name(call);
        self.line(&display_safe(&format!("  {name}: {verdict}: {}", decision.reason.describe())))
    }

    /// Renders a question only if it was postponed. Otherwise the approver displays it.
    pub(super) fn question(&mut self, event: &Event) -> String {
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

    pub(super) fn result(&mut self, result: &ToolResult) -> String {
        let name = self.name(result.call.as_str());
        self.calls.push(format!("{name}: {}", result.status.as_str()));
        let text = display_safe(&result.display_text());
        let mut lines: Vec<&str> = text.lines().take(RESULT_LINES).collect();
        let left = text.lines().count().saturating_sub(lines.len());
        let more = format!("… {}", count_noun(left, "more line"));
        if left > 0 {
            lines.push(&more);
        }
        self.line(&format!("← {name}: {}\n    {}", result.status.as_str(), lines.join("\n    ")))
    }
}
