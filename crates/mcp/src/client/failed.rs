//! Outputs of failed calls. The text informs the model whether the call ran, and suggests a next step.

use windlass_hitl::display_safe;
use windlass_protocol::{ErrorText, ResultStatus};
use windlass_tool::Output;

use crate::failure::Failure;
use crate::{Definition, McpLimits, outcome};

/// The advice about a call whose effects are not known.
const CHECK_EFFECTS: &str = "Check its effects before you call it again.";

/// Converts a failure to an output for the model.
pub(crate) fn output(definition: &Definition, limits: &McpLimits, failure: Failure) -> Output {
    let (name, server) = (&definition.name, &definition.server);
    let (status, text) = match failure {
        Failure::NotSent | Failure::Lost | Failure::SignIn(_) | Failure::Unreached(_) => {
            (ResultStatus::NotStarted, not_started(name, server, failure))
        }
        Failure::Server(error) => {
            let said = format!("error {}: {}", error.code, display_safe(&error.message));
            (ResultStatus::Error, outcome::enclose(&said, server).into())
        }
        Failure::Fault(fault) => (
            ResultStatus::EffectsUnknown,
            ErrorText::new(format!(
                "{name} did not complete on the server {server}: {fault}. It may have changed something."
            ))
            .with_advice(CHECK_EFFECTS),
        ),
        Failure::TooLong { read } => (ResultStatus::Error, too_long(name, server, limits, read)),
        Failure::Gone => (
            ResultStatus::EffectsUnknown,
            ErrorText::new(format!(
                "the server {server} ended while {name} ran. It may have run or not, and it is not retried \
                 automatically."
            ))
            .with_advice(CHECK_EFFECTS),
        ),
        Failure::TimedOut(limit) => (
            ResultStatus::TimedOut,
            format!(
                "{name} did not answer in {} ms (limit `call`), which `tool_timeout_sec` sets. The server \
                 {server} was asked to stop; its changes so far remain.",
                limit.as_millis()
            )
            .into(),
        ),
        Failure::Refused(why) => (
            ResultStatus::Error,
            format!("the server {server} refused the call of {name}: {}", outcome::enclose(&why, server))
                .into(),
        ),
        Failure::Broken(why) => (
            ResultStatus::EffectsUnknown,
            ErrorText::new(format!(
                "the answer to {name} was lost: {why}. It may have run or not, and it is not retried \
                 automatically."
            ))
            .with_advice(CHECK_EFFECTS),
        ),
        Failure::Cancelled => (
            ResultStatus::Cancelled,
            format!("{name} was stopped. The server {server} was informed; its changes so far remain.")
                .into(),
        ),
    };
    Output::from(text).with_status(status)
}

/// Describes a discarded answer, with its length and its beginning if they are known.
fn too_long(name: &str, server: &str, limits: &McpLimits, read: Option<(u64, String)>) -> ErrorText {
    let limit = limits.frame_bytes;
    let problem = match read {
        None => {
            format!(
                "{name} ran, and the server's answer exceeds the limit of {limit} bytes and was discarded."
            )
        }
        Some((bytes, head)) => format!(
            "{name} ran, and the server's answer has {bytes} bytes: it exceeds the limit of {limit} and was \
             discarded. It begins:\n{}",
            outcome::enclose(&head, server)
        ),
    };
    ErrorText::new(problem).with_advice("Request less data.")
}

/// Describes a call that did not run, and the options that remain.
fn not_started(name: &str, server: &str, failure: Failure) -> ErrorText {
    match failure {
        Failure::Lost => ErrorText::new(format!(
            "the server {server} has lost the session, and refused {name} before it ran. The next call opens a new \
             session."
        ))
        .with_advice(format!("Call {name} again if it is still needed.")),
        Failure::SignIn(_) => ErrorText::new(format!(
            "the server {server} requires a sign-in (`windlass mcp login {server}`); {name} did not run."
        ))
        .with_advice("Report this, or continue without it."),
        Failure::Unreached(why) => {
            ErrorText::new(format!("{name} was not called: {why}.")).with_advice("Continue without it.")
        }
        _ => format!("the server {server} ended before {name} was called").into(),
    }
}
