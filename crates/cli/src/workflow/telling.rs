//! Prints the events of a workflow as text for a human, while the workflow proceeds.

use windlass_agent::{Event, Wait};
use windlass_hitl::display_safe;
use windlass_workflow::{StepStatus, WorkflowEvent, WorkflowOutcome};

use crate::drive::Telling;
use crate::output;

/// Maximum number of printed characters of a step's text.
const SHOWN: usize = 400;

/// Prints one event. Ignores write errors: a closed output must not stop the workflow.
pub(super) fn tell(telling: Telling, event: &WorkflowEvent) {
    let _ = match telling {
        Telling::Json => output::line(event),
        Telling::Words | Telling::Answer => {
            words(event).map_or(Ok(()), |text| output::print(&format!("{text}\n")))
        }
    };
}

fn words(event: &WorkflowEvent) -> Option<String> {
    let text = match event {
        WorkflowEvent::StepStarted { step, attempt: 1, tool } => format!("▸ {step}: {tool}"),
        WorkflowEvent::StepStarted { step, attempt, tool } => format!("▸ {step}: {tool}, try {attempt}"),
        WorkflowEvent::StepEnded { step, status, error } => match status {
            StepStatus::Ok => format!("✓ {step}"),
            StepStatus::Skipped => format!("- {step}: left out"),
            _ => format!("✗ {step}: {}", shorten(error.as_deref().unwrap_or_default())),
        },
        WorkflowEvent::Call { step, event } => match &**event {
            Event::ToolApprovalRequest { tool_name, .. } => format!("? {step}: asks about {tool_name}"),
            Event::CallProgress { text, .. } | Event::CallNote { text, .. } => {
                format!("  {step}: {}", shorten(text.trim_end()))
            }
            _ => return None,
        },
        WorkflowEvent::Ended { outcome } => describe_end(outcome),
        _ => return None,
    };
    Some(display_safe(&text))
}

fn describe_end(outcome: &WorkflowOutcome) -> String {
    match outcome {
        WorkflowOutcome::Completed { output } => {
            format!("✓ done\n{}", serde_json::to_string_pretty(output).unwrap_or_default())
        }
        WorkflowOutcome::Failed { step, message } => {
            format!("✗ stopped at {step}: {}", shorten(message))
        }
        WorkflowOutcome::Suspended { waits } => {
            let waits = waits.iter().map(|wait| match &wait.wait {
                Wait::Approval { call, .. } => format!("{}: an approval or denial of {call}", wait.step),
                Wait::Result { call } => format!("{}: the answer to {call}", wait.step),
                _ => format!("{}: an answer", wait.step),
            });
            format!("… it waits for {}", waits.collect::<Vec<_>>().join(", "))
        }
        _ => "■ stopped".to_owned(),
    }
}

fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return text.to_owned();
    }
    let kept: String = text.chars().take(SHOWN).collect();
    format!("{kept}… ({count} characters)")
}
