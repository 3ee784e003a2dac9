//! The run that a request of `useChat` starts, continues or answers.

use windlass_app::sessions::{AnswerError, RunChanges, SessionHost};
use windlass_app::{AppError, RunSettings};

use crate::{AiSdkEncoder, ChatRequest};

/// Run that a client of `useChat` reads, and the part of it that the client has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatRun {
    /// Id of the session, whose feed has the events.
    pub session: String,
    /// Id of the run.
    pub run: String,
    /// Number of the last event that the client has; 0 if it has none.
    pub seq: u64,
    /// Number of the last event that was recorded when a page was reloaded; 0 otherwise.
    pub recorded: u64,
}

impl ChatRun {
    /// Returns the run of a page that was reloaded, which gets the run from its beginning.
    ///
    /// # Errors
    ///
    /// Fails if the run does not exist.
    pub async fn reload(host: &SessionHost, run: &str) -> Result<Self, AppError> {
        let session = host.sessions().find(run)?.id;
        let recorded = host.read(&session, None).await?.last().map_or(0, |event| event.seq);
        Ok(Self { session, run: run.to_owned(), seq: 0, recorded })
    }

    /// Returns the encoder of the run behind the part that the client has.
    pub fn encoder(&self) -> AiSdkEncoder {
        AiSdkEncoder::new(&self.run).with_client_at(self.seq).with_recorded(self.recorded)
    }
}

impl ChatRequest {
    /// Passes the answers and the text of the request to a host, and returns the run whose events are the response.
    ///
    /// A request without a run starts a session with the settings that `settings` returns for its text. A text
    /// continues the session of the run. Answers resume a run that does not work any more. `by` names the window in
    /// the record of the answers. An answer to a question that has one already has no effect: the first answer counts. The
    /// files of the request are not used.
    ///
    /// # Errors
    ///
    /// Fails if the settings or the host refuse the request, for example because a question does not exist.
    pub async fn submit(
        self,
        host: &SessionHost,
        settings: impl FnOnce(&str) -> Result<RunSettings, AppError>,
        by: &str,
    ) -> Result<ChatRun, AppError> {
        let Some((run, seq)) = self.place else {
            let handle = host.start(settings(&self.text)?).await?;
            return Ok(ChatRun {
                session: handle.session().to_owned(),
                run: handle.run().to_owned(),
                seq: 0,
                recorded: 0,
            });
        };
        let session = host.sessions().find(&run)?.id;
        for (question, answer) in self.answers {
            match host.answer(&session, &question, answer, by).await {
                // A client sends its earlier answers again until it reads the results of their calls.
                Ok(_) | Err(AnswerError::AlreadyAnswered { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if !self.text.is_empty() {
            let next = host.continue_session(&session, &self.text, &RunChanges::default()).await?;
            return Ok(ChatRun { session, run: next.run().to_owned(), seq: 0, recorded: 0 });
        }
        if host.handle(&session).is_none() {
            host.resume(&session).await?;
        }
        Ok(ChatRun { session, run, seq, recorded: 0 })
    }
}
