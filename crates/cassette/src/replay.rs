//! Wrappers that replay recorded events.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use windlass_agent::{Approver, ApproverFuture};
use windlass_client::{
    Transport, TransportError, TransportErrorKind, TransportFuture, TransportRequest, TransportResponse,
};
use windlass_hitl::ApprovalRequest;
use windlass_protocol::{CallId, Payload};
use windlass_redact::Redactor;
use windlass_tool::{
    AnswerFuture, Context, Human, Inspection, NoAnswer, Output, Question, Tool, ToolError, ToolFuture,
};

use crate::Difference;
use crate::difference::is_same;
use crate::line::{Body, Failure, Outcome};
use crate::player::{Approval, Call, Exchange, ReplayState, Sight, State};
use crate::recorded::is_recorded;
use crate::tap::{agents_of, as_inner, method};

pub(crate) struct ReplayTransport {
    pub(crate) played: Arc<ReplayState>,
    pub(crate) live: Option<Arc<dyn Transport>>,
}

/// Result of matching a request with the cassette.
enum MatchResult {
    Recorded(Result<TransportResponse, TransportError>),
    /// All recorded exchanges were replayed, and the run continues live.
    Live,
    Different(Difference),
}

impl Transport for ReplayTransport {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        Box::pin(async move {
            let met = meet(&mut self.played.state(), &request, self.live.is_some());
            self.played.apply_changes().await;
            match (met, &self.live) {
                (MatchResult::Recorded(answer), _) => answer,
                (MatchResult::Live, Some(live)) => live.send(request).await,
                (MatchResult::Live, None) => Err(refuse("the cassette has no more entries")),
                (MatchResult::Different(difference), _) => {
                    let error = refuse(&difference.what);
                    self.played.state().differences.push(difference);
                    Err(error)
                }
            }
        })
    }
}

fn meet(state: &mut State, request: &TransportRequest, is_live: bool) -> MatchResult {
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
            None if is_live => MatchResult::Live,
            None => MatchResult::Different(Difference::new(
                "the run sends a request that the recorded run did not send",
            )),
            Some(next) if next.method != method || !is_recorded(&next.url, &request.url) => {
                let (number, url) = (next.number, &next.url);
                let what = format!("request {number} went to {url}, and now goes to {}", request.url);
                MatchResult::Different(Difference::new(what))
            }
            Some(next) => MatchResult::Different(Difference::compare_bodies(next.number, &next.body, &body)),
        };
    };
    let Some(exchange) = state.exchanges.get_mut(at) else { return MatchResult::Live };
    exchange.is_played = true;
    MatchResult::Recorded(answer(exchange))
}

fn answer(exchange: &mut Exchange) -> Result<TransportResponse, TransportError> {
    let failure = exchange.failure.as_ref().map(to_transport_error);
    let Some(status) = exchange.status else {
        return Err(failure.unwrap_or_else(|| refuse("the recording ends before this request was answered")));
    };
    let pieces = std::mem::take(&mut exchange.pieces).into_iter().map(|piece| Ok(Bytes::from(piece)));
    let body = stream::iter(pieces.chain(failure.map(Err)));
    Ok(TransportResponse::new(status, exchange.headers.clone(), Box::pin(body)))
}

fn to_transport_error(failure: &Failure) -> TransportError {
    let kind = match failure.kind.as_str() {
        "Unreachable" => TransportErrorKind::Unreachable,
        "ConnectTimeout" => TransportErrorKind::ConnectTimeout,
        "Certificate" => TransportErrorKind::Certificate,
        "Request" => TransportErrorKind::Request,
        _ => TransportErrorKind::Broken,
    };
    TransportError::new(kind, failure.message.clone())
}

fn refuse(what: &str) -> TransportError {
    TransportError::new(TransportErrorKind::Request, format!("the replay differs from its cassette: {what}"))
}

pub(crate) struct ReplayTool {
    pub(crate) played: Arc<ReplayState>,
    pub(crate) is_live: bool,
    pub(crate) inner: Arc<dyn Tool>,
}

impl Tool for ReplayTool {
    as_inner!();

    /// Replays the recorded inspection, so that a decision that depends on the disk or the sandbox is the
    /// same on any machine.
    fn inspect(&self, payload: &Payload) -> Inspection {
        match self.sight(payload) {
            Some(seen) => seen,
            None if self.is_live => self.inner.inspect(payload),
            // Earlier versions did not record inspections.
            None => Inspection::default(),
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let found = self.find_result(ctx, payload);
            self.played.apply_changes().await;
            match found {
                Some(ended) => ended,
                None if self.is_live => self.inner.call(ctx, payload).await,
                None => Err(self.different(format!("the call {} is not in the cassette", ctx.call()))),
            }
        })
    }
}

impl ReplayTool {
    /// Returns the recorded inspection. The state is locked only in this function: `inner.inspect` may take
    /// long or call another tool of the same player.
    fn sight(&self, payload: &Payload) -> Option<Inspection> {
        let (tool, input) = (self.spec().name().as_str(), payload.text());
        let mut state = self.played.state();
        let is_same = |sight: &Sight| sight.tool == tool && is_recorded(&sight.input, &input);
        let at = state.sights.iter().position(is_same)?;
        Some(state.sights.remove(at).seen)
    }

    fn find_result(&self, ctx: &Context, payload: &Payload) -> Option<Result<Output, ToolError>> {
        let (id, agents) = (ctx.call(), agents_of(ctx));
        let (tool, input) = (self.spec().name().as_str(), payload.text());
        let mut state = self.played.state();
        let mut of_id: Vec<&mut Call> =
            state.calls.iter_mut().filter(|call| !call.is_played && call.may_be(&agents, id)).collect();
        let at = of_id.iter().position(|call| call.is_of(tool, &input));
        let Some(call) = at.map(|at| of_id.swap_remove(at)) else {
            let other = of_id.first()?;
            // After a fork, another agent may have a call with this id.
            if self.is_live && other.agents.is_none() {
                return None;
            }
            let what = format!(
                "the call {id} was {} with {}, now it is {tool} with {input}",
                other.tool, other.input
            );
            drop(state);
            return Some(Err(self.different(what)));
        };
        call.is_played = true;
        Some(match &call.outcome {
            Outcome::Output { status, content, advice } => {
                Ok(Output::from(content.clone()).with_status(*status).with_advice(advice.clone()))
            }
            Outcome::Error(text) => Err(ToolError::model(text.clone())),
            Outcome::AdvisedError { problem, advice } => {
                Err(ToolError::model(problem.clone()).with_advice(advice.clone()))
            }
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
    pub(crate) played: Arc<ReplayState>,
    pub(crate) live: Option<Arc<dyn Approver>>,
}

impl Approver for ReplayApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let recorded = approval(&mut self.played.state(), request, self.live.is_some());
        if let Some(Approval { decision, .. }) = recorded {
            // Request ids differ between runs, so set the current one.
            let decision = decision.map(|mut decision| {
                decision.request_id.clone_from(&request.request_id);
                decision
            });
            return Box::pin(async { decision });
        }
        if let Some(live) = &self.live {
            return live.decide(request);
        }
        let what = format!("the call {} needs an approval that was not recorded", request.call.id);
        self.played.state().differences.push(Difference::new(what));
        Box::pin(async { None })
    }
}

impl Call {
    /// Returns true if this agent may have made the call with this id.
    fn may_be(&self, agents: &[String], id: &CallId) -> bool {
        self.id == *id && self.agents.as_ref().is_none_or(|recorded| recorded == agents)
    }

    fn is_of(&self, tool: &str, input: &str) -> bool {
        self.tool == tool && is_recorded(&self.input, input)
    }
}

/// Removes and returns the recorded decision that applies to a request, if any.
fn approval(state: &mut State, request: &ApprovalRequest, is_live: bool) -> Option<Approval> {
    let State { approvals, calls, has_old_digests, .. } = state;
    let (tool, input) = (request.tool.as_str(), request.call.payload.text());
    let counts = |approval: &Approval| match &approval.asked {
        Some(asked) if asked.digest == request.digest => asked.agents == request.agents,
        // Arguments with a secret are recorded redacted, and digests of an earlier version are computed in
        // another way, so the digest of the replayed request differs. Compare the arguments instead, but only
        // in a replay, in which no tool runs; after a fork only the digest counts.
        Some(asked) => {
            let is_same = asked.tool == tool && is_recorded(&asked.input, &input);
            let is_incomparable = *has_old_digests || asked.input.contains(Redactor::MARK);
            !is_live && is_incomparable && asked.agents == request.agents && is_same
        }
        // An approval of an earlier version has no digest. It applies only if no tool runs because of it.
        None => {
            let is_yes = approval.decision.as_ref().is_some_and(|decision| decision.approved);
            let mut unplayed = calls.iter().filter(|call| !call.is_played);
            !is_live
                || !is_yes
                || unplayed.any(|call| call.may_be(&request.agents, &approval.id) && call.is_of(tool, &input))
        }
    };
    let at = approvals.iter().position(|approval| approval.id == request.call.id && counts(approval))?;
    Some(approvals.remove(at))
}

pub(crate) struct ReplayHuman {
    pub(crate) played: Arc<ReplayState>,
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
        let what = format!("the run asks a question that was not recorded: {}", question.text);
        state.differences.push(Difference::new(what));
        Box::pin(async { Err(NoAnswer::Absent) })
    }
}
