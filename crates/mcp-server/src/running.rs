//! A running call, driven until its end or until a question that the client answers with its next request.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ElicitResult, ElicitationAction, ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use serde_json::Value;
use windlass_protocol::ToolResult;
use windlass_tool::{CancellationToken, DropGuard};

use crate::caller::{FormReply, Line, PendingQuestion};
use crate::tool_host::CallFuture;

/// Time in which a cancelled call must end.
const GRACE: Duration = Duration::from_secs(10);

/// Time limit of sending one progress message.
const TELLING: Duration = Duration::from_secs(2);

/// Maximum length of a progress message in bytes.
const TOLD_BYTES: usize = 4 * 1024;

/// A running call. Dropping it cancels it.
pub(crate) struct Running {
    work: CallFuture,
    line: Line,
    stop: CancellationToken,
    _stops_when_dropped: DropGuard,
    steps: f64,
}

/// The reason why `drive` returned.
pub(crate) enum Pause {
    /// The call ended.
    Done(ToolResult),
    /// The call asked a question, which the client answers with its next call.
    Asks(PendingQuestion),
    /// The client cancelled the call, and it did not end in time.
    Abandoned,
}

/// The way in which a client answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// As response to a request of the server.
    Request,
    /// As parameters of a repeated call (protocol 2026-07-28).
    Retry,
}

impl Running {
    pub(crate) fn new(work: CallFuture, line: Line, stop: CancellationToken) -> Self {
        let guard = stop.clone().drop_guard();
        Self { work, line, stop, _stops_when_dropped: guard, steps: 0.0 }
    }

    /// Drives the call, forwards its progress, and forwards its questions or returns them as [`Pause::Asks`].
    pub(crate) async fn drive(&mut self, context: &RequestContext<RoleServer>, asking: Asking) -> Pause {
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
                    Asking::Retry => return Pause::Asks(asked),
                    Asking::Request => ask(context, asked).await,
                },
            }
        }
    }

    /// Cancels the call, and waits at most `GRACE` for its end.
    async fn stop(&mut self) -> Pause {
        self.stop.cancel();
        match tokio::time::timeout(GRACE, &mut self.work).await {
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

/// Converts the client's response to a form.
pub(crate) fn reply(result: ElicitResult) -> FormReply {
    match result.action {
        ElicitationAction::Accept => FormReply::Filled(result.content.unwrap_or(Value::Null)),
        _ => FormReply::Declined,
    }
}
