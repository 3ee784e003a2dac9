//! The rounds of a request: its beginning, its questions, and the client's return with an answer.

use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ErrorData, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use windlass_tool::CancellationToken;

use crate::caller::{Caller, Hears, Line, PendingQuestion};
use crate::failure::internal_error;
use crate::parked::{NotParked, ParkedRequests, RepeatedRequest};
use crate::running::{AskForm, Pause, Running};

/// The end of a round.
pub(crate) enum Round<T> {
    /// The work ended.
    Done(T),
    /// The client must repeat the request with an answer.
    Asks(InputRequiredResult),
}

impl<T: 'static> ParkedRequests<T> {
    /// Begins a request, or resumes it if the client returned with an answer, and drives it until its end or until
    /// a question that the client answers with its next request.
    pub(crate) async fn drive(
        &self,
        request: &RepeatedRequest<'_>,
        context: &RequestContext<RoleServer>,
        begin: impl FnOnce() -> Result<Running<T>, ErrorData>,
    ) -> Result<Round<T>, ErrorData> {
        let mut running = match request.state {
            None => begin()?.with_responses(request.responses.cloned()),
            Some(name) => {
                let resumed = self.take(request, name).map_err(|error| late(&error))?;
                match resumed.unanswered {
                    Some(question) => return self.ask(request, resumed.running, question),
                    None => resumed.running,
                }
            }
        };
        match running.drive(context, asking(context)).await {
            Pause::Done(done) => Ok(Round::Done(done)),
            Pause::Asks(question) => self.ask(request, running, (question, 0)),
            Pause::Abandoned => {
                Err(ErrorData::internal_error("the request was cancelled, and did not end in time", None))
            }
        }
    }

    /// Parks a request, and returns its question for a client that answers with its next request.
    fn ask(
        &self,
        request: &RepeatedRequest<'_>,
        running: Running<T>,
        question: (PendingQuestion, u8),
    ) -> Result<Round<T>, ErrorData> {
        let form = &question.0.form;
        let params = form.params().map_err(|error| internal_error(&error))?;
        let elicitation = InputRequest::Elicitation(ElicitRequest::new(params));
        let questions = InputRequests::from([(form.key().to_owned(), elicitation)]);
        let name = self.keep(request, running, question).map_err(|error| internal_error(&error))?;
        Ok(Round::Asks(InputRequiredResult::new(Some(questions), Some(name))))
    }
}

fn late(error: &NotParked) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

fn asking(context: &RequestContext<RoleServer>) -> AskForm {
    let is_new = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    if is_new { AskForm::Retry } else { AskForm::Request }
}

/// Creates the caller of a request, with the server's ends of its channels and the token that stops the work.
pub(crate) fn connect(context: &RequestContext<RoleServer>) -> (Caller, Line, CancellationToken) {
    let stop = CancellationToken::new();
    let hears =
        Hears { progress: context.meta.get_progress_token().is_some(), questions: can_be_asked(context) };
    let (caller, line) = Caller::new(stop.clone(), hears);
    (caller, line, stop)
}

/// Returns whether the client supports elicitation by forms. A client that names neither forms nor URLs
/// supports forms.
fn can_be_asked(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|all| all.elicitation);
    elicitation.is_some_and(|can| can.form.is_some() || can.url.is_none())
}

/// Waits until the future of the host is ready; fails if the client cancels the request first.
pub(crate) async fn wait_unless_cancelled<T>(
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = T>,
) -> Result<T, ErrorData> {
    tokio::select! {
        done = work => Ok(done),
        () = context.ct.cancelled() => Err(ErrorData::internal_error("the request was cancelled", None)),
    }
}
