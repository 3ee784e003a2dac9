//! Wrappers that record events.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;
use windlass_agent::{Approver, ApproverFuture, CallingRun};
use windlass_client::{
    ByteStream, Method, Transport, TransportError, TransportErrorKind, TransportFuture, TransportRequest,
    TransportResponse,
};
use windlass_hitl::ApprovalRequest;
use windlass_protocol::Payload;
use windlass_redact::RedactStream;
use windlass_tool::{AnswerFuture, Context, Human, Question, Tool, ToolError, ToolFuture};

use crate::Line;
use crate::line::{AskedApproval, Body, Failure, Outcome};
use crate::recorder::Tape;

pub(crate) struct TransportTap {
    pub(crate) inner: Arc<dyn Transport>,
    pub(crate) tape: Arc<Tape>,
}

/// A request without a response so far. A client drops the future of a request that takes too long; the
/// cassette records that as a broken connection, which the client may retry during the replay.
struct Open {
    tape: Arc<Tape>,
    exchange: u64,
    is_answered: bool,
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_answered {
            let failure = Some(abandonment("the request was cancelled before its answer began"));
            self.tape.write(&Line::End { exchange: self.exchange, failure });
        }
    }
}

/// Response body while it is read and recorded.
struct Passing {
    body: ByteStream,
    tape: Arc<Tape>,
    exchange: u64,
    clean: RedactStream,
    is_over: bool,
}

impl Transport for TransportTap {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        Box::pin(async move {
            let exchange = self.tape.next_exchange();
            for header in request.headers.iter().filter(|header| header.is_secret) {
                self.tape.learn(&header.value);
            }
            if let Some(password) = password(&request.url) {
                self.tape.learn(password);
            }
            self.tape.write(&request_line(&self.tape, exchange, &request));
            let mut open = Open { tape: self.tape.clone(), exchange, is_answered: false };
            let answer = self.inner.send(request).await;
            open.is_answered = true;
            match answer {
                Ok(answer) => {
                    let headers = answer.headers.clone();
                    self.tape.write(&Line::Response { exchange, status: answer.status, headers });
                    Ok(self.pass(exchange, answer))
                }
                Err(error) => {
                    self.tape.write(&Line::End { exchange, failure: Some(failure(&error)) });
                    Err(error)
                }
            }
        })
    }
}

impl TransportTap {
    fn pass(&self, exchange: u64, answer: TransportResponse) -> TransportResponse {
        let (tape, clean) = (self.tape.clone(), self.tape.redact_stream());
        let passing = Passing { body: answer.body, tape, exchange, clean, is_over: false };
        let body = stream::unfold(passing, |mut passing| async move {
            let piece = passing.next().await?;
            Some((piece, passing))
        });
        TransportResponse::new(answer.status, answer.headers, Box::pin(body))
    }
}

impl Passing {
    async fn next(&mut self) -> Option<Result<bytes::Bytes, TransportError>> {
        if self.is_over {
            return None;
        }
        let piece = self.body.next().await;
        match &piece {
            Some(Ok(bytes)) => {
                let clean = self.clean.push(bytes);
                self.keep(&clean);
            }
            Some(Err(error)) => self.end(Some(failure(error))),
            None => self.end(None),
        }
        piece
    }

    fn keep(&self, clean: &[u8]) {
        if !clean.is_empty() {
            self.tape.write(&Line::Bytes { exchange: self.exchange, body: Body::piece(clean) });
        }
    }

    fn end(&mut self, failure: Option<Failure>) {
        self.is_over = true;
        let rest = self.clean.finish();
        self.keep(&rest);
        self.tape.write(&Line::End { exchange: self.exchange, failure });
    }
}

impl Drop for Passing {
    // During the replay, a client that stopped reading stops here too. A client that had timed out reads on
    // and receives this failure.
    fn drop(&mut self) {
        if !self.is_over {
            self.end(Some(abandonment("the reader stopped before the end of the answer")));
        }
    }
}

/// Returns the recorded form of a request.
fn request_line(tape: &Tape, exchange: u64, request: &TransportRequest) -> Line {
    let shown = request.headers.iter().filter(|header| !header.is_secret);
    Line::Request {
        exchange,
        method: method(request.method).to_owned(),
        url: request.url.clone(),
        headers: shown.map(|header| (header.name.clone(), header.value.clone())).collect(),
        body: Body::whole(&tape.redact(&request.body)),
    }
}

/// Returns the password in a URL.
fn password(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let (user, _) = rest.split(['/', '?', '#']).next()?.rsplit_once('@')?;
    Some(user.split_once(':').map_or(user, |(_, password)| password))
}

pub(crate) fn method(method: Method) -> &'static str {
    match method {
        Method::Post => "POST",
        Method::Delete => "DELETE",
        Method::Patch => "PATCH",
        _ => "GET",
    }
}

fn abandonment(message: &str) -> Failure {
    Failure { kind: format!("{:?}", TransportErrorKind::Broken), message: message.to_owned() }
}

fn failure(error: &TransportError) -> Failure {
    Failure { kind: format!("{:?}", error.kind), message: error.to_string() }
}

/// Implements every method of `Tool` except `inspect` and `call` by forwarding to `inner`.
macro_rules! as_inner {
    () => {
        fn spec(&self) -> &windlass_protocol::ToolSpec {
            self.inner.spec()
        }

        fn hints(&self) -> windlass_protocol::Hints {
            self.inner.hints()
        }

        fn feature(&self) -> Option<&str> {
            self.inner.feature()
        }

        fn has_built_in_rules(&self) -> bool {
            self.inner.has_built_in_rules()
        }

        fn is_in_presets(&self) -> bool {
            self.inner.is_in_presets()
        }

        fn effects(&self, payload: &windlass_protocol::Payload) -> Vec<windlass_protocol::Effect> {
            self.inner.effects(payload)
        }

        fn on_partial(
            &self,
            show: &mut windlass_tool::ProgressSink<'_>,
            arguments: &mut windlass_tool::GrowingArguments,
        ) {
            self.inner.on_partial(show, arguments);
        }

        fn early_effects(&self, complete: &windlass_tool::EarlyArguments) -> Vec<windlass_protocol::Effect> {
            self.inner.early_effects(complete)
        }

        fn aftermath(
            &self,
            planned: &[windlass_protocol::PlannedFile],
        ) -> windlass_protocol::ReconcileOutcome {
            self.inner.aftermath(planned)
        }
    };
}
pub(crate) use as_inner;

pub(crate) struct ToolTap {
    pub(crate) inner: Arc<dyn Tool>,
    pub(crate) tape: Arc<Tape>,
}

impl Tool for ToolTap {
    as_inner!();

    fn inspect(&self, payload: &Payload) -> windlass_tool::Inspection {
        let seen = self.inner.inspect(payload);
        self.tape.write(&Line::Inspection {
            tool: self.spec().name().as_str().to_owned(),
            input: payload.text(),
            targets: seen.targets.clone(),
            containment: seen.containment.clone(),
        });
        seen
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let ended = self.inner.call(ctx, payload).await;
            let outcome = match &ended {
                Ok(output) => Outcome::Output {
                    status: output.status,
                    content: output.content.clone(),
                    advice: output.advice.clone(),
                },
                Err(ToolError::Model(text)) => match &text.advice {
                    None => Outcome::Error(text.problem.clone()),
                    Some(advice) => {
                        Outcome::AdvisedError { problem: text.problem.clone(), advice: advice.clone() }
                    }
                },
                Err(error) => Outcome::Fatal(error.to_string()),
            };
            self.tape.write(&Line::Call {
                agents: Some(agents_of(ctx)),
                call: ctx.call().clone(),
                tool: self.spec().name().as_str().to_owned(),
                input: payload.text(),
                outcome,
            });
            ended
        })
    }
}

/// Returns the names of the agents from the root to the caller; empty for the root agent and outside of an
/// agent.
pub(crate) fn agents_of(ctx: &Context) -> Vec<String> {
    CallingRun::from_context(ctx).map(|run| run.agents().to_vec()).unwrap_or_default()
}

pub(crate) struct ApproverTap {
    pub(crate) inner: Arc<dyn Approver>,
    pub(crate) tape: Arc<Tape>,
}

impl Approver for ApproverTap {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let decision = self.inner.decide(request).await;
            self.tape.write(&Line::Approval {
                call: request.call.id.clone(),
                asked: Some(AskedApproval {
                    agents: request.agents.clone(),
                    tool: request.tool.as_str().to_owned(),
                    input: request.call.payload.text(),
                    digest: request.digest.clone(),
                }),
                decision: decision.clone(),
            });
            decision
        })
    }
}

pub(crate) struct HumanTap {
    pub(crate) inner: Arc<dyn Human>,
    pub(crate) tape: Arc<Tape>,
}

impl Human for HumanTap {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            let answer = self.inner.answer(question).await;
            let told = answer.as_ref().ok().cloned();
            self.tape.write(&Line::Question { question: question.text.clone(), answer: told });
            answer
        })
    }
}
