//! The run that a request of a client starts, continues or answers.

use windlass_app::sessions::{Answer, AnswerError, RunChanges, SessionHost};
use windlass_app::{AppError, RunSettings};

use crate::{AgUiEncoder, AiSdkEncoder, ChatRequest, RunInput};

/// Run that a client of `useChat` or AG-UI reads, and the part of it that the client has.
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
    /// Questions whose answers the request contained.
    pub answered: Vec<String>,
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
        Ok(Self { recorded, ..Self::begin(&session, run) })
    }

    fn begin(session: &str, run: &str) -> Self {
        Self { session: session.to_owned(), run: run.to_owned(), seq: 0, recorded: 0, answered: Vec::new() }
    }

    /// Returns the encoder of the run after the part that the client has.
    pub fn encoder(&self) -> AiSdkEncoder {
        let encoder = AiSdkEncoder::new(&self.run).with_client_at(self.seq).with_recorded(self.recorded);
        encoder.with_answered(self.answered.iter().cloned())
    }

    /// Returns the encoder for a client of AG-UI, with the ids and the state of its request.
    pub fn ag_ui_encoder(&self, input: &RunInput) -> AgUiEncoder {
        let encoder = AgUiEncoder::new(&self.run).with_client_at(self.seq).with_recorded(self.recorded);
        let encoder = encoder.with_answered(self.answered.iter().cloned());
        encoder.with_ids(&input.thread, &input.run).with_state(input.state.clone())
    }
}

/// What a client sent: a text, or answers, for the run that it has.
struct Incoming<'a> {
    text: &'a str,
    answers: Vec<(String, Answer)>,
    place: Option<(String, u64)>,
}

impl Incoming<'_> {
    async fn submit(
        self,
        host: &SessionHost,
        settings: impl FnOnce(&str) -> Result<RunSettings, AppError>,
        by: &str,
    ) -> Result<ChatRun, AppError> {
        let Some((run, seq)) = self.place else {
            let handle = host.start(settings(self.text)?).await?;
            return Ok(ChatRun::begin(handle.session(), handle.run()));
        };
        let session = host.sessions().find(&run)?.id;
        let mut answered = Vec::new();
        for (question, answer) in self.answers {
            // A question that stays open lets the run wait.
            if answer != Answer::Later {
                answered.push(question.clone());
            }
            match host.answer(&session, &question, answer, by).await {
                // A client sends its earlier answers again until it reads the results of their calls.
                Ok(_) | Err(AnswerError::AlreadyAnswered { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if !self.text.is_empty() {
            let next = host.continue_session(&session, self.text, &RunChanges::default()).await?;
            return Ok(ChatRun::begin(&session, next.run()));
        }
        if host.handle(&session).is_none() {
            host.resume(&session).await?;
        }
        Ok(ChatRun { seq, answered, ..ChatRun::begin(&session, &run) })
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
        let incoming = Incoming { text: &self.text, answers: self.answers, place: self.place };
        incoming.submit(host, settings, by).await
    }
}

impl RunInput {
    /// Passes the answers and the text of the request to a host like [`ChatRequest::submit`]. A request with neither,
    /// of a client that was reloaded, gets the run from the client's position on.
    ///
    /// # Errors
    ///
    /// Fails if the settings or the host refuse the request, for example because a question does not exist.
    pub async fn submit(
        &self,
        host: &SessionHost,
        settings: impl FnOnce(&str) -> Result<RunSettings, AppError>,
        by: &str,
    ) -> Result<ChatRun, AppError> {
        if let (Some((run, seq)), "", true) = (&self.place, self.text.as_str(), self.answers.is_empty()) {
            return Ok(ChatRun { seq: *seq, ..ChatRun::reload(host, run).await? });
        }
        let (answers, place) = (self.answers.clone(), self.place.clone());
        Incoming { text: &self.text, answers, place }.submit(host, settings, by).await
    }
}
