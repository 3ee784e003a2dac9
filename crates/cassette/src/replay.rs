//! The wrappers that answer as it was recorded.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use windlass_agent::{Approver, ApproverFuture};
use windlass_client::{Incoming, Outgoing, Transport, TransportError, TransportErrorKind, TransportFuture};
use windlass_hitl::ApprovalRequest;
use windlass_protocol::{CallId, Payload};
use windlass_tool::{
    AnswerFuture, Context, Human, Inspection, NoAnswer, Output, Question, Tool, ToolError, ToolFuture,
};

use crate::Difference;
use crate::difference::is_same;
use crate::line::{Body, Failure, Outcome};
use crate::player::{Exchange, Played, State};
use crate::recorded::is_recorded;
use crate::tap::{as_inner, method};

pub(crate) struct ReplayTransport {
    pub(crate) played: Arc<Played>,
    pub(crate) live: Option<Arc<dyn Transport>>,
}

/// What a request meets.
enum Met {
    Recorded(Result<Incoming, TransportError>),
    /// Everything recorded was played, and the run goes on live.
    Live,
    Different(Difference),
}

impl Transport for ReplayTransport {
    fn send(&self, request: Outgoing) -> TransportFuture<'_> {
        Box::pin(async move {
            let met = meet(&mut self.played.state(), &request, self.live.is_some());
            match (met, &self.live) {
                (Met::Recorded(answer), _) => answer,
                (Met::Live, Some(live)) => live.send(request).await,
                (Met::Live, None) => Err(refused("nothing is left of the cassette")),
                (Met::Different(difference), _) => {
                    let error = refused(&difference.what);
                    self.played.state().differences.push(difference);
                    Err(error)
                }
            }
        })
    }
}

fn meet(state: &mut State, request: &Outgoing, is_live: bool) -> Met {
    let (method, body) = (method(request.method), Body::whole(&request.body));
    let waiting = || state.exchanges.iter().enumerate().filter(|(_, exchange)| !exchange.is_played);
    let same = |exchange: &Exchange| {
        exchange.method == method
            && is_recorded(&exchange.url, &request.url)
            && is_same(&exchange.body, &body)
    };
    let Some((at, _)) = waiting().find(|(_, exchange)| same(exchange)) else {
        let next = waiting().next().map(|(_, exchange)| exchange);
        return match next {
            None if is_live => Met::Live,
            None => Met::Different(Difference::new("a request is asked that the recorded run did not ask")),
            Some(next) if next.method != method || !is_recorded(&next.url, &request.url) => {
                let (number, url) = (next.number, &next.url);
                let what = format!("request {number} went to {url}, now {} is asked", request.url);
                Met::Different(Difference::new(what))
            }
            Some(next) => Met::Different(Difference::of_bodies(next.number, &next.body, &body)),
        };
    };
    let Some(exchange) = state.exchanges.get_mut(at) else { return Met::Live };
    exchange.is_played = true;
    Met::Recorded(answer(exchange))
}

fn answer(exchange: &mut Exchange) -> Result<Incoming, TransportError> {
    let failure = exchange.failure.as_ref().map(failed);
    let Some(status) = exchange.status else {
        return Err(failure.unwrap_or_else(|| refused("the recording ends before this request was answered")));
    };
    let pieces = std::mem::take(&mut exchange.pieces).into_iter().map(|piece| Ok(Bytes::from(piece)));
    let body = stream::iter(pieces.chain(failure.map(Err)));
    Ok(Incoming::new(status, exchange.headers.clone(), Box::pin(body)))
}

fn failed(failure: &Failure) -> TransportError {
    let kind = match failure.kind.as_str() {
        "Unreachable" => TransportErrorKind::Unreachable,
        "ConnectTimeout" => TransportErrorKind::ConnectTimeout,
        "Certificate" => TransportErrorKind::Certificate,
        "Request" => TransportErrorKind::Request,
        _ => TransportErrorKind::Broken,
    };
    TransportError::new(kind, failure.message.clone())
}

fn refused(what: &str) -> TransportError {
    TransportError::new(TransportErrorKind::Request, format!("the replay differs from its cassette: {what}"))
}

pub(crate) struct ReplayTool {
    pub(crate) played: Arc<Played>,
    pub(crate) is_live: bool,
    pub(crate) inner: Arc<dyn Tool>,
}

impl Tool for ReplayTool {
    as_inner!();

    /// What was seen then: a decision that rests on a disk or a sandbox is the same wherever it is played.
    fn inspect(&self, payload: &Payload) -> Inspection {
        let (tool, input) = (self.spec().name().as_str(), payload.text());
        let sights = &mut self.played.state().sights;
        let at = sights.iter().position(|sight| sight.tool == tool && is_recorded(&sight.input, &input));
        match at {
            Some(at) => sights.remove(at).seen,
            None if self.is_live => self.inner.inspect(payload),
            // Recordings from before tools looked have nothing to give.
            None => Inspection::default(),
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            match self.recorded(ctx.call(), payload) {
                Some(ended) => ended,
                None if self.is_live => self.inner.call(ctx, payload).await,
                None => Err(self.different(format!("the call {} is not in the cassette", ctx.call()))),
            }
        })
    }
}

impl ReplayTool {
    fn recorded(&self, id: &CallId, payload: &Payload) -> Option<Result<Output, ToolError>> {
        let mut state = self.played.state();
        let call = state.calls.get_mut(id)?;
        let (tool, input) = (self.spec().name().as_str(), payload.text());
        if call.tool != tool || !is_recorded(&call.input, &input) {
            let what =
                format!("the call {id} was {} with {}, now it is {tool} with {input}", call.tool, call.input);
            drop(state);
            return Some(Err(self.different(what)));
        }
        call.is_played = true;
        Some(match &call.outcome {
            Outcome::Output { status, content } => Ok(Output::from(content.clone()).with_status(*status)),
            Outcome::Error(text) => Err(ToolError::model(text.clone())),
            Outcome::Fatal(text) => Err(ToolError::fatal(text.clone())),
        })
    }

    fn different(&self, what: String) -> ToolError {
        let error = ToolError::fatal(format!("the replay differs from its cassette: {what}"));
        self.played.state().differences.push(Difference::new(what));
        error
    }
}

pub(crate) struct ReplayApprover {
    pub(crate) played: Arc<Played>,
    pub(crate) live: Option<Arc<dyn Approver>>,
}

impl Approver for ReplayApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let recorded = self.played.state().approvals.get(&request.call.id).cloned();
        if let Some(decision) = recorded {
            // The request's id is new each time; the answer is to the same call.
            let decision = decision.map(|mut decision| {
                decision.request_id.clone_from(&request.request_id);
                decision
            });
            return Box::pin(async { decision });
        }
        if let Some(live) = &self.live {
            return live.decide(request);
        }
        let what =
            format!("an approval of the call {} is asked for, which was not recorded", request.call.id);
        self.played.state().differences.push(Difference::new(what));
        Box::pin(async { None })
    }
}

pub(crate) struct ReplayHuman {
    pub(crate) played: Arc<Played>,
    pub(crate) live: Option<Arc<dyn Human>>,
}

impl Human for ReplayHuman {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        let mut state = self.played.state();
        let at = state.questions.iter().position(|(recorded, _)| *recorded == question.text);
        if let Some(at) = at {
            let (_, answer) = state.questions.remove(at);
            return Box::pin(async { answer.ok_or(NoAnswer::Absent) });
        }
        if let Some(live) = &self.live {
            return live.answer(question);
        }
        let what = format!("a question is asked that was not recorded: {}", question.text);
        state.differences.push(Difference::new(what));
        Box::pin(async { Err(NoAnswer::Absent) })
    }
}
