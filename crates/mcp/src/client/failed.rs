//! Outputs of failed calls. The text informs the model whether the call ran, and suggests a next step.

use windlass_hitl::display_safe;
use windlass_protocol::ResultStatus;
use windlass_tool::Output;

use crate::failure::Failure;
use crate::{Definition, Limits, outcome};

/// Converts a failure to an output for the model.
pub(crate) fn output(definition: &Definition, limits: &Limits, failure: Failure) -> Output {
    let (name, server) = (&definition.name, &definition.server);
    let (status, text) = match failure {
        Failure::NotSent | Failure::Lost | Failure::SignIn(_) | Failure::Unreached(_) => {
            (ResultStatus::NotStarted, not_started(name, server, failure))
        }
        Failure::Server(error) => {
            let said = format!("error {}: {}", error.code, display_safe(&error.message));
            (ResultStatus::Error, outcome::enclosed(&said, server))
        }
        Failure::TooLong { read: None } => (
            ResultStatus::Error,
            format!(
                "{name} ran, and the server's answer is over the limit of {} bytes and was not kept. Ask for less.",
                limits.frame_bytes
            ),
        ),
        Failure::TooLong { read: Some((bytes, head)) } => (
            ResultStatus::Error,
            format!(
                "{name} ran, and the server's answer has {bytes} bytes: it is over the limit of {} and was not \
                 kept. Ask for less. It begins so:\n{}",
                limits.frame_bytes,
                outcome::enclosed(&head, server)
            ),
        ),
        Failure::Gone => (
            ResultStatus::EffectsUnknown,
            format!(
                "the server {server} ended while {name} ran. It may have run or not, and it is not called again by \
                 itself: look at what it did before calling it once more."
            ),
        ),
        Failure::TimedOut(limit) => (
            ResultStatus::TimedOut,
            format!(
                "{name} did not answer in {} ms (limit `call`), which `tool_timeout_sec` sets. The server {server} was told to stop; what it had \
                 done stays.",
                limit.as_millis()
            ),
        ),
        Failure::Refused(why) => (
            ResultStatus::Error,
            format!("the server {server} refused the call of {name}: {}", outcome::enclosed(&why, server)),
        ),
        Failure::Broken(why) => (
            ResultStatus::EffectsUnknown,
            format!(
                "the answer to {name} was lost: {why}. It may have run or not, and it is not called again by itself: \
                 look at what it did before calling it once more."
            ),
        ),
        Failure::Cancelled => (
            ResultStatus::Cancelled,
            format!("{name} was stopped. The server {server} was told; what it had done stays."),
        ),
    };
    Output::text(text).with_status(status)
}

/// Describes a call that did not run, and the options that remain.
fn not_started(name: &str, server: &str, failure: Failure) -> String {
    match failure {
        Failure::Lost => format!(
            "the server {server} has forgotten the session, and refused {name} before it ran. A new session is begun with \
             the next call: call {name} again if it is still wanted."
        ),
        Failure::SignIn(_) => format!(
            "the server {server} wants the human to sign in (`windlass mcp login {server}`); {name} did not run. Say so, or \
             go on without it."
        ),
        Failure::Unreached(why) => format!("{name} was not called: {why}. Go on without it."),
        _ => format!("the server {server} ended before {name} was called"),
    }
}
