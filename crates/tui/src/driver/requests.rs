//! Requests about a question's card, and the task with its files.

use std::path::{Path, PathBuf};

use windlass_agent::DeliverAt;
use windlass_app::feed::AgentPath;
use windlass_app::sessions::{AnswerError, RunChanges};
use windlass_app::{AppError, ErrorKind, Task};
use windlass_protocol::Arguments;
use windlass_screen::RuleCard;

use super::parts::{Parts, describe, report_answer};
use crate::input::Reply;

/// Checks changed arguments against the schema of the call's tool. A suspended run checks them when it resumes.
pub(super) async fn check_arguments(parts: &Parts, session: &str, question: String, arguments: Arguments) {
    let checked = parts.host.check_arguments(session, &question, &arguments).await;
    let problem = checked.err().map(|error| words(&error));
    parts.reply(Reply::ArgumentsChecked { question, arguments, problem });
}

/// Proposes the narrowest rule for the call of a question.
pub(super) async fn propose_rule(parts: &Parts, session: &str, question: String) {
    let reply = match parts.host.propose_rule(session, &question).await {
        Ok(proposal) => {
            let mut card = RuleCard::new(proposal.file.display().to_string(), proposal.text);
            (card.allows, card.refuses) = (proposal.allows, proposal.refuses);
            Reply::Rule { question, card, digest: proposal.digest }
        }
        Err(error) => Reply::Error(format!("no rule can be made: {}", words(&error))),
    };
    parts.reply(reply);
}

/// Approves the call for the session, and writes the rule that was shown.
pub(super) async fn accept_rule(parts: &Parts, session: &str, question: &str, digest: &str) {
    let answer = (digest, None);
    match parts.host.answer_with_rule(session, question, answer, &parts.window).await {
        Ok((place, proposal)) => {
            report_answer(parts, question, Ok(place));
            let words = format!("the rule was added to {}", proposal.file.display());
            parts.reply(Reply::Notice(words));
        }
        Err(error @ AnswerError::RuleNotWritten(_)) => parts.reply(Reply::Error(words(&error))),
        Err(error) => report_answer(parts, question, Err(error)),
    }
}

fn words(error: &AnswerError) -> String {
    match error {
        AnswerError::App(error) => describe(error),
        AnswerError::RuleNotWritten(cause) => format!("{error}\nbecause: {}", describe(cause)),
        other => other.to_string(),
    }
}

/// Reads the files of a task outside of the async threads. Relative paths begin in `root`.
pub(super) async fn read_task(root: &Path, text: &str, files: Vec<String>) -> Result<Task, AppError> {
    let task = Task::new(text);
    if files.is_empty() {
        return Ok(task);
    }
    let root = root.to_owned();
    let read = move || files.iter().try_fold(task, |task, file| task.attach_file(locate(&root, file)));
    let task = tokio::task::spawn_blocking(read).await;
    task.unwrap_or_else(|_| Err(AppError::new(ErrorKind::Unavailable, "the files could not be read")))
}

/// Returns the place of a mentioned file. `~/` is the home folder.
fn locate(root: &Path, file: &str) -> PathBuf {
    match (file.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => root.join(file),
    }
}

/// Sends a message with its files to the run of a session. If the run has ended meanwhile, the message becomes the next
/// task only with `can_start`.
pub(super) async fn send(
    parts: &Parts,
    session: &str,
    (text, files): (String, Vec<String>),
    (when, can_start): (DeliverAt, bool),
) {
    let message = match read_task(&parts.root, &text, files).await {
        Ok(message) => message,
        Err(error) => return parts.reply(Reply::NotSent { text, message: describe(&error) }),
    };
    if let Err(error) = parts.host.send(session, message.clone(), when).await {
        if can_start {
            send_as_task(parts, session, (text, message), &error).await;
        } else {
            parts.reply(Reply::NotSent { text, message: describe(&error) });
        }
    }
}

/// Sends a message as the next task if its run has ended meanwhile.
async fn send_as_task(parts: &Parts, session: &str, (text, message): (String, Task), error: &AppError) {
    if error.kind() == ErrorKind::Conflict {
        parts.wait_for_end(session).await;
        if parts.host.handle(session).is_none() {
            let started = parts.host.continue_session(session, message, &RunChanges::default()).await;
            parts.report(started, text);
            return;
        }
    }
    parts.reply(Reply::NotSent { text, message: describe(error) });
}

/// Stops the run of a session in order.
pub(super) async fn stop(parts: &Parts, session: &str) {
    if let Err(error) = parts.host.stop(session).await {
        parts.reply(Reply::Notice(describe(&error)));
    }
}

/// Stops one call of the run or of a sub-agent.
pub(super) async fn stop_call(parts: &Parts, session: &str, agent: Option<&AgentPath>, call: &str) {
    match parts.host.stop_call(session, agent, call).await {
        Ok(true) => {}
        Ok(false) => parts.reply(Reply::Notice("the call does not work any more".to_owned())),
        Err(error) => parts.reply(Reply::Notice(describe(&error))),
    }
}

/// Compacts the conversation of a session.
pub(super) async fn compact(parts: &Parts, session: &str) {
    match parts.host.compact(session).await {
        Ok(Some(run)) => parts.report(Ok(run), String::new()),
        Ok(None) => {
            let words = "the conversation is summarized before the next request of the run";
            parts.reply(Reply::Notice(words.to_owned()));
        }
        Err(error) => parts.report(Err(error), String::new()),
    }
}
