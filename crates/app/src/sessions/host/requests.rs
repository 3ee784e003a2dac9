//! The requests of windows to a session: watch, read, list questions, answer, send a message.

use std::sync::Arc;

use super::SessionHost;
use crate::config::Task;
use crate::error::{AppError, Result, ensure};
use crate::feed::{AgentPath, FeedEvent};
use crate::runs::{MessageTime, StopRequest, leave_compaction, leave_message, leave_stop};
use crate::sessions::answer::{Answer, AnswerError, AnswerPlace, OpenQuestion};
use crate::sessions::catalog::Sessions;
use crate::sessions::handle::RunHandle;
use crate::sessions::stored::{self, answer_stored};
use crate::sessions::stream::FeedSource as _;
use crate::sessions::stream::FeedStream;

impl SessionHost {
    /// Returns the feed of a session after a number: first from the records, then live, from this process or from
    /// another. Without a number it begins with the first event.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist.
    pub async fn watch(&self, session: &str, after: Option<u64>) -> Result<FeedStream> {
        let id = self.find_id(session).await?;
        Ok(FeedStream::new(self.shared.clone(), id, after.unwrap_or_default()))
    }

    /// Returns the recorded events of a session after a number.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist or cannot be read.
    pub async fn read(&self, session: &str, after: Option<u64>) -> Result<Vec<FeedEvent>> {
        let (shared, session) = (Arc::clone(&self.shared), session.to_owned());
        self.on_sessions(move |_| shared.read(&session, after)).await
    }

    /// Runs work that reads or writes files outside of the async threads.
    pub(super) async fn on_sessions<T: Send + 'static, E: From<AppError> + Send + 'static>(
        &self,
        work: impl FnOnce(&Sessions) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || work(&shared.sessions)).await;
        done.map_err(|_| AppError::task_failure())?
    }

    async fn find_id(&self, session: &str) -> Result<String> {
        if self.handle(session).is_some() {
            return Ok(session.to_owned());
        }
        let session = session.to_owned();
        Ok(self.on_sessions(move |sessions| sessions.find(&session)).await?.id)
    }

    /// Returns the open questions of a session, which works or is suspended.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist or cannot be read.
    pub async fn questions(&self, session: &str) -> Result<Vec<OpenQuestion>> {
        if let Some(run) = self.handle(session) {
            return Ok(run.questions());
        }
        let session = session.to_owned();
        self.on_sessions(move |sessions| stored::questions(sessions, &session)).await
    }

    /// Answers a question of a session. The first answer counts, also if the run is suspended: then the answer is
    /// stored, and [`resume`](Self::resume) passes it to the run. `by` names the window.
    ///
    /// # Errors
    ///
    /// Returns [`AnswerError::AlreadyAnswered`] with the window of the first answer,
    /// [`AnswerError::InvalidArguments`] if the tool does not accept changed arguments, and another error if the
    /// question is not open or needs another kind of answer.
    pub async fn answer(
        &self,
        session: &str,
        question: &str,
        answer: Answer,
        by: &str,
    ) -> Result<AnswerPlace, AnswerError> {
        if let Answer::Edited { arguments, .. } = &answer {
            self.check_arguments(session, question, arguments).await?;
        }
        if let Some(run) = self.handle(session) {
            match run.answer(question, answer.clone(), by) {
                // The question may be one of the run before, or of a run that ends in this moment.
                Err(AnswerError::NotOpen { .. }) => {}
                other => return other.map(|()| AnswerPlace::Run),
            }
        }
        let (session, question, by) = (session.to_owned(), question.to_owned(), by.to_owned());
        self.on_sessions(move |sessions| answer_stored(sessions, &session, &question, answer, &by)).await
    }

    /// Sends a message to the newest run of a session, in this process or in another: now, with the next request, or
    /// after the task. A run that does not work gets it when it is resumed.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist, the text is empty, or the run is completed.
    pub async fn send(
        &self,
        session: &str,
        message: impl Into<Task>,
        when: impl Into<MessageTime>,
    ) -> Result<()> {
        let (session, message, when) = (session.to_owned(), message.into(), when.into());
        let leave = move |sessions: &Sessions| {
            let record = sessions.find(&session)?;
            leave_message(&sessions.newest_folder(&record)?, message, when)
        };
        self.on_sessions(leave).await
    }

    /// Stops the newest run of a session in order, in this process or in another: every call that started still gets its
    /// result.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist or does not work.
    pub async fn stop(&self, session: &str) -> Result<()> {
        self.request_stop(session, StopRequest::Run).await.map(drop)
    }

    /// Stops a call of a session's run while the run continues. `agent` is the place from the events of the call.
    /// Returns false if the call does not work in this process. Another process gets a request, and ignores it if the
    /// call has ended.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist or does not work.
    pub async fn stop_call(&self, session: &str, agent: Option<&AgentPath>, call: &str) -> Result<bool> {
        self.request_stop(session, StopRequest::Call { call: call.to_owned(), agent: agent.cloned() }).await
    }

    async fn request_stop(&self, session: &str, request: StopRequest) -> Result<bool> {
        let id = self.find_id(session).await?;
        if let Some(run) = self.handle(&id) {
            return Ok(run.perform_stop(&request));
        }
        let leave = move |sessions: &Sessions| {
            let record = sessions.find(&id)?;
            ensure!(record.state.is_active(), Conflict, "session {} does not work", record.id);
            let start = record.newest_run().and_then(|run| run.start.clone());
            leave_stop(&sessions.newest_folder(&record)?, request, start)
        };
        self.on_sessions(leave).await.map(|()| true)
    }

    /// Compacts the conversation of a session now. A working run, in this process or in another, compacts before its
    /// next request to the model; the answer is then `None`. Otherwise a run of its own compacts the conversation, and its
    /// handle is returned. The feed has the tokens before and after ([`FeedKind::Compacted`](crate::feed::FeedKind)).
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist, or if its newest run is suspended or was killed.
    pub async fn compact(&self, session: &str) -> Result<Option<RunHandle>> {
        let name = session.to_owned();
        let prepare = move |sessions: &Sessions| {
            let record = sessions.find(&name)?;
            if record.state.is_active() {
                leave_compaction(&sessions.newest_folder(&record)?)?;
                return Ok(None);
            }
            sessions.compact_with(&record.id).map(Some)
        };
        match self.on_sessions(prepare).await? {
            Some(next) => self.proceed(next).await.map(Some),
            None => Ok(None),
        }
    }
}
