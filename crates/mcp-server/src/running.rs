//! A running call or prompt, driven until its end or until a question that the client answers with its next request.

use std::pin::Pin;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ElicitResult, ElicitationAction, InputResponses, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use windlass_tool::{CancellationToken, DropGuard};

use crate::caller::{FormReply, Line, PendingQuestion};

/// Time limit of sending one progress message.
const TELLING: Duration = Duration::from_secs(2);

/// Maximum length of a progress message in bytes.
const TOLD_BYTES: usize = 4 * 1024;

/// The work of a call or a prompt.
pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A running call or prompt. Dropping it cancels it.
pub(crate) struct Running<T> {
    work: Work<T>,
    line: Line,
    stop: CancellationToken,
    _stops_when_dropped: DropGuard,
    /// The time in which the work must end when it is cancelled.
    grace: Duration,
    /// The answers in the client's last request.
    responses: Option<InputResponses>,
    steps: f64,
}

/// The reason why `drive` returned.
pub(crate) enum Pause<T> {
    /// The work ended.
    Done(T),
    /// The work asked a question, which the client answers with its next call.
    Asks(PendingQuestion),
    /// The client cancelled the request, and the work did not end in time.
    Abandoned,
}

/// The way in which a client answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskForm {
    /// As response to a request of the server.
    Request,
    /// As parameters of a repeated request (protocol 2026-07-28).
    Retry,
}

impl<T> Running<T> {
    pub(crate) fn new(work: Work<T>, line: Line, stop: CancellationToken, grace: Duration) -> Self {
        let guard = stop.clone().drop_guard();
        Self { work, line, stop, _stops_when_dropped: guard, grace, responses: None, steps: 0.0 }
    }

    /// Sets the answers in the client's request.
    pub(crate) fn with_responses(mut self, responses: Option<InputResponses>) -> Self {
        self.responses = responses;
        self
    }

    /// Drives the work, forwards its progress, and forwards its questions or returns them as [`Pause::Asks`].
    pub(crate) async fn drive(&mut self, context: &RequestContext<RoleServer>, asking: AskForm) -> Pause<T> {
        let token = context.meta.get_progress_token();
        loop {
            tokio::select! {
                biased;
                result = &mut self.work => {
                    while let Ok(words) = self.line.told.try_recv() {
                        self.tell(context, token.clone(), &words).await;
                    }
                    return Pause::Done(result);
                }
                () = context.ct.cancelled() => return self.stop().await,
                Some(words) = self.line.told.recv() => self.tell(context, token.clone(), &words).await,
                Some(asked) = self.line.asked.recv() => match asking {
                    AskForm::Retry => match self.take_early_reply(&asked) {
                        // The work may have dropped the receiver.
                        Some(reply) => drop(asked.reply.send(reply)),
                        None => return Pause::Asks(asked),
                    },
                    AskForm::Request => ask(context, asked).await,
                },
            }
        }
    }

    /// Takes the reply to a named form, if the client sent it with its request. A reply counts once.
    fn take_early_reply(&mut self, asked: &PendingQuestion) -> Option<FormReply> {
        if !asked.form.accepts_early_reply() {
            return None;
        }
        let reply = parse_reply(self.responses.as_ref(), asked.form.key());
        self.responses.as_mut().and_then(|responses| responses.remove(asked.form.key()));
        reply
    }

    /// Cancels the work, and waits at most `grace` for its end.
    async fn stop(&mut self) -> Pause<T> {
        self.stop.cancel();
        match tokio::time::timeout(self.grace, &mut self.work).await {
            Ok(result) => Pause::Done(result),
            Err(_) => Pause::Abandoned,
        }
    }

    async fn tell(
        &mut self,
        context: &RequestContext<RoleServer>,
        token: Option<ProgressToken>,
        words: &str,
    ) {
        let Some(token) = token else { return };
        self.steps += 1.0;
        let words = words.get(..words.floor_char_boundary(TOLD_BYTES)).unwrap_or_default();
        let progress = ProgressNotificationParam::new(token, self.steps).with_message(words);
        // A client that does not read must not delay the call's end or its cancellation.
        tokio::select! {
            _ = context.peer.notify_progress(progress) => {}
            () = context.ct.cancelled() => {}
            () = tokio::time::sleep(TELLING) => {}
        }
    }
}

async fn ask(context: &RequestContext<RoleServer>, asked: PendingQuestion) {
    let reply = tokio::select! {
        reply = elicit(context, &asked) => reply,
        () = context.ct.cancelled() => FormReply::Nobody,
    };
    // The call may have dropped the receiver.
    let _ = asked.reply.send(reply);
}

async fn elicit(context: &RequestContext<RoleServer>, asked: &PendingQuestion) -> FormReply {
    let Ok(params) = asked.form.params() else { return FormReply::Nobody };
    match context.peer.create_elicitation(params).await {
        Ok(result) => reply(result),
        Err(_) => FormReply::Nobody,
    }
}

/// Parses the client's response under a key. Returns `None` if it is missing or malformed.
pub(crate) fn parse_reply(responses: Option<&InputResponses>, key: &str) -> Option<FormReply> {
    let response = responses?.get(key)?.clone();
    serde_json::from_value(response).ok().map(reply)
}

/// Converts the client's response to a form.
fn reply(result: ElicitResult) -> FormReply {
    match result.action {
        ElicitationAction::Accept => FormReply::Filled(result.content.unwrap_or(Value::Null)),
        _ => FormReply::Declined,
    }
}
