//! The check of arguments that a person changed.

use windlass_protocol::{Arguments, Payload, ResultStatus};

use super::SessionHost;
use super::rules::wait_for_request;
use crate::sessions::answer::AnswerError;

impl SessionHost {
    /// Checks changed arguments for the call of an open question against the schema of its tool.
    /// [`answer`](Self::answer) does so, too. Arguments for a run that does not work in this process, and for tools
    /// that only a sub-agent has, are checked when the run receives them.
    ///
    /// # Errors
    ///
    /// Returns [`AnswerError::InvalidArguments`] if the tool does not accept the arguments. The question stays open.
    pub async fn check_arguments(
        &self,
        session: &str,
        question: &str,
        arguments: &Arguments,
    ) -> Result<(), AnswerError> {
        let Some(run) = self.handle(session) else { return Ok(()) };
        let Some(toolbox) = &run.shared.toolbox else { return Ok(()) };
        let Some(request) = wait_for_request(&run, question).await else { return Ok(()) };
        let mut call = request.call;
        match &mut call.payload {
            Payload::Function { arguments: own } | Payload::Mcp { arguments: own, .. } => {
                own.clone_from(arguments);
            }
            _ => return Ok(()),
        }
        match toolbox.check(&call) {
            // Policy and the work mode decide when the run checks the changed call.
            Err(refusal) if refusal.status == ResultStatus::InvalidArguments => {
                Err(AnswerError::InvalidArguments { problem: list_violations(&refusal.display_text()) })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the violations of a refusal, without its first line.
fn list_violations(refusal: &str) -> String {
    let violations: Vec<&str> = refusal.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    if violations.is_empty() { refusal.to_owned() } else { violations.join("; ") }
}
