//! The parts that the requests of a conversation share, and their replies.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc;
use windlass_app::sessions::{Answer, AnswerError, AnswerPlace, RunHandle, SessionHost};
use windlass_app::{AppError, causes};

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

    pub(super) fn report(&self, started: Result<RunHandle, AppError>, task: String) {
        self.reply(match started {
            Ok(run) => Reply::Started { session: run.session().to_owned() },
            Err(error) => Reply::NotStarted { task, message: describe(&error) },
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
