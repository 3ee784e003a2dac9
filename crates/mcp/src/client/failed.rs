//! Outputs of failed calls. The text informs the model whether the call ran, and suggests a next step.

use windlass_hitl::display_safe;
use windlass_protocol::ResultStatus;
use windlass_tool::Output;

use crate::failure::Failure;
use crate::{Definition, McpLimits, outcome};

/// Converts a failure to an output for the model.
pub(crate) fn output(definition: &Definition, limits: &McpLimits, failure: Failure) -> Output {
    let (name, server) = (&definition.name, &definition.server);
    let (status, text) = match failure {
        Failure::NotSent | Failure::Lost | Failure::SignIn(_) | Failure::Unreached(_) => {
            (ResultStatus::NotStarted, not_started(name, server, failure))
        }
        Failure::Server(error) => {
            let said = format!("error {}: {}", error.code, display_safe(&error.message));
            (ResultStatus::Error, outcome::enclose(&said, server))
        }
        Failure::Fault(fault) => (
            ResultStatus::EffectsUnknown,
            format!(
                "{name} did not complete on the server {server}: {fault}. It may have changed something: check \
                 its effects before you call it again."
            ),
        ),
        Failure::TooLong { read } => (ResultStatus::Error, too_long(name, server, limits, read)),
        Failure::Gone => (
            ResultStatus::EffectsUnknown,
            format!(
                "the server {server} ended while {name} ran. It may have run or not, and it is not retried \
                 automatically: check its effects before you call it again."
            ),
        ),
        Failure::TimedOut(limit) => (
            ResultStatus::TimedOut,
            format!(
                "{name} did not answer in {} ms (limit `call`), which `tool_timeout_sec` sets. The server \
                 {server} was asked to stop; its changes so far remain.",
                limit.as_millis()
            ),
        ),
        Failure::Refused(why) => (
            ResultStatus::Error,
            format!("the server {server} refused the call of {name}: {}", outcome::enclose(&why, server)),
        ),
        Failure::Broken(why) => (
            ResultStatus::EffectsUnknown,
            format!(
                "the answer to {name} was lost: {why}. It may have run or not, and it is not retried \
                 automatically: check its effects before you call it again."
            ),
        ),
        Failure::Cancelled => (
            ResultStatus::Cancelled,
            format!("{name} was stopped. The server {server} was informed; its changes so far remain."),
        ),
    };
    Output::text(text).with_status(status)
}

/// Describes a discarded answer, with its length and its beginning if they are known.
fn too_long(name: &str, server: &str, limits: &McpLimits, read: Option<(u64, String)>) -> String {
    let limit = limits.frame_bytes;
    match read {
        None => format!(
            "{name} ran, and the server's answer exceeds the limit of {limit} bytes and was discarded. Request \
             less data."
        ),
        Some((bytes, head)) => format!(
            "{name} ran, and the server's answer has {bytes} bytes: it exceeds the limit of {limit} and was \
             discarded. Request less data. It begins:\n{}",
            outcome::enclose(&head, server)
        ),
    }
}

/// Describes a call that did not run, and the options that remain.
fn not_started(name: &str, server: &str, failure: Failure) -> String {
    match failure {
        Failure::Lost => format!(
            "the server {server} has lost the session, and refused {name} before it ran. The next call \
             opens a new session: call {name} again if it is still needed."
        ),
        Failure::SignIn(_) => format!(
            "the server {server} requires the human to sign in (`windlass mcp login {server}`); {name} did \
             not run. Report this, or continue without it."
        ),
        Failure::Unreached(why) => format!("{name} was not called: {why}. Continue without it."),
        _ => format!("the server {server} ended before {name} was called"),
    }
}
