//! The parts that the requests of a conversation share, and their replies.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc;
use windlass_app::sessions::{Answer, AnswerError, AnswerPlace, RunHandle, SessionHost};
use windlass_app::{AppError, causes};

use crate::action::{Changes, ForkTurn};
use crate::input::Reply;

/// Time for the end of a run whose last event has arrived.
pub(super) const LAST_EVENT: Duration = Duration::from_secs(10);

/// The parts that requests share.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) host: SessionHost,
    pub(super) replies: mpsc::UnboundedSender<Reply>,
    pub(super) root: PathBuf,
    /// The policy file of the runs, if it is not the user's default one.
    pub(super) policy: Option<PathBuf>,
    pub(super) window: String,
}

/// The request of a person to start a run.
#[derive(Debug, Default)]
pub(super) struct StartRequest {
    /// The text of the task.
    pub(super) task: String,
    /// The settings that change.
    pub(super) changes: Changes,
    /// The fork that the run begins.
    pub(super) fork: Option<ForkTurn>,
}

impl StartRequest {
    /// Returns the reply to a start that failed.
    pub(super) fn fail(self, message: String) -> Reply {
        let Self { task, changes, fork } = self;
        Reply::NotStarted { task, message, changes, fork }
    }
}

impl Parts {
    pub(super) fn reply(&self, reply: Reply) {
        // Without a reader the conversation has ended.
        drop(self.replies.send(reply));
    }

    /// Runs work that reads or writes files, and sends its reply.
    pub(super) fn work(&self, work: impl FnOnce(&Self) -> Result<Reply, AppError> + Send + 'static) {
        let parts = self.clone();
        tokio::task::spawn_blocking(move || {
            let reply = work(&parts).unwrap_or_else(|error| Reply::Error(describe(&error)));
            parts.reply(reply);
        });
    }

    /// Reports the start of a run that changes no settings.
    pub(super) fn report(&self, started: Result<RunHandle, AppError>, task: String) {
        self.report_start(started, StartRequest { task, ..StartRequest::default() });
    }

    /// Reports the start of a run. A failed start returns the request to the conversation.
    pub(super) fn report_start(&self, started: Result<RunHandle, AppError>, request: StartRequest) {
        self.reply(match started {
            Ok(run) => Reply::Started { session: run.session().to_owned() },
            Err(error) => request.fail(describe(&error)),
        });
    }

    /// Waits until the host has forgotten a run whose last event arrived.
    pub(super) async fn wait_for_end(&self, session: &str) {
        if let Some(run) = self.host.handle(session) {
            drop(tokio::time::timeout(LAST_EVENT, run.wait()).await);
        }
    }
}

pub(super) fn describe(error: &AppError) -> String {
    causes(error).join("\nbecause: ")
}

/// Answers a question of a session.
pub(super) async fn give_answer(parts: &Parts, session: &str, question: &str, answer: Answer) {
    let given = parts.host.answer(session, question, answer, &parts.window).await;
    report_answer(parts, question, given);
}

/// Sends the replies to an answer.
pub(super) fn report_answer(parts: &Parts, question: &str, given: Result<AnswerPlace, AnswerError>) {
    match given {
        Ok(AnswerPlace::Stored { unanswered }) => {
            parts.reply(Reply::Answered(question.to_owned()));
            parts.reply(Reply::Stored { unanswered });
        }
        Ok(_) => {}
        Err(error @ (AnswerError::AlreadyAnswered { .. } | AnswerError::NotOpen { .. })) => {
            parts.reply(Reply::Answered(question.to_owned()));
            parts.reply(Reply::Notice(error.to_string()));
        }
        Err(error) => parts.reply(Reply::Error(error.to_string())),
    }
}
