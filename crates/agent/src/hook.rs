//! Hooks: code of the program that is called at the points of a run.

use std::future::Future;
use std::pin::Pin;

use windlass_hitl::{Decision, PolicyInput};
use windlass_loop::{HookPoint, Outcome};
use windlass_protocol::{Arguments, Message, Request, ToolCall, ToolResult, Usage};

/// The pending result of a hook.
pub type HookFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Code of the program that is called at the points of a run, set with [`AgentBuilder::hook`](crate::AgentBuilder::hook).
///
/// A hook implements the methods of the points that [`points`](Self::points) returns; other methods are not called. Hooks of one
/// point are called one after the other, in the order in which they were added, and each sees the changes of the hooks
/// before it. The first veto ends the chain.
///
/// A **guard** returns a [`HookVerdict`]. It has the time of
/// [`AgentBuilder::hook_timeout`](crate::AgentBuilder::hook_timeout), 30 seconds by default. A guard that panics or does
/// not answer in time counts as a veto. An **observer** returns nothing; its panic or timeout is ignored.
///
/// A hook sees values after registered secrets were removed, except the arguments of calls and the text of answers, which it sees as they
/// are. Verdicts other than [`HookVerdict::Continue`] are recorded and emitted as
/// [`Event::Hook`](crate::Event::Hook). Agents that a call starts have the hooks of their caller.
///
/// A resumed run calls no hook again for a step that is recorded: not for a task that began, an answer, or a call with a result. A call
/// without a recorded result that did not start is decided again, with its hooks, and so is a request without a
/// recorded answer.
///
/// ```
/// use windlass_agent::{AnswerText, Hook, HookContext, HookFuture, HookPoint, HookVerdict};
///
/// /// Keeps the name of a project out of answers.
/// struct NoCodename;
///
/// impl Hook for NoCodename {
///     fn name(&self) -> &str {
///         "no-codename"
///     }
///     fn points(&self) -> &[HookPoint] {
///         &[HookPoint::Answer]
///     }
///     fn check_answer<'a>(&'a self, _: &'a HookContext, answer: &'a AnswerText) -> HookFuture<'a, HookVerdict<String>> {
///         Box::pin(async move {
///             match answer.text.contains("Bluebird") {
///                 true => HookVerdict::Veto("do not name the project".into()),
///                 false => HookVerdict::Continue,
///             }
///         })
///     }
/// }
/// ```
pub trait Hook: Send + Sync {
    /// Returns the name in records, events and reasons.
    fn name(&self) -> &str;

    /// Returns the points at which the hook is called. It must always return the same points.
    fn points(&self) -> &[HookPoint];

    /// Guards the task, and each message that is sent to the run. A veto of the task fails the run with
    /// [`AgentError::Vetoed`](crate::AgentError::Vetoed) before anything is recorded or sent; a message with a veto
    /// is refused with [`Event::MessageRefused`](crate::Event::MessageRefused).
    fn check_input<'a>(
        &'a self,
        ctx: &'a HookContext,
        message: &'a Message,
    ) -> HookFuture<'a, HookVerdict<Message>> {
        let _ = (ctx, message);
        Box::pin(async { HookVerdict::Continue })
    }

    /// Guards a request before it is sent. A rewrite changes this request only, not the conversation, and should keep each
    /// call together with its result. A veto fails the run.
    fn check_request<'a>(
        &'a self,
        ctx: &'a HookContext,
        request: &'a Request,
    ) -> HookFuture<'a, HookVerdict<Request>> {
        let _ = (ctx, request);
        Box::pin(async { HookVerdict::Continue })
    }

    /// Observes the end of a request.
    fn observe_response<'a>(&'a self, ctx: &'a HookContext, end: &'a RequestEnd) -> HookFuture<'a, ()> {
        let _ = (ctx, end);
        Box::pin(async {})
    }

    /// Guards the text of an answer before any reader sees it: an agent with such a hook holds each answer back
    /// until it is complete, so its text does not stream, and no call begins early. A veto discards the answer; the
    /// model gets the reason and answers again, at most as often as
    /// [`AgentBuilder::answer_corrections`](crate::AgentBuilder::answer_corrections) permits, then the run fails.
    fn check_answer<'a>(
        &'a self,
        ctx: &'a HookContext,
        answer: &'a AnswerText,
    ) -> HookFuture<'a, HookVerdict<String>> {
        let _ = (ctx, answer);
        Box::pin(async { HookVerdict::Continue })
    }

    /// Guards a call after policy allowed it or asks about it. A rewrite gives the call other arguments, which are checked by the
    /// schema and decided by policy again; the result mentions the change. A veto is a denial with the reason, and
    /// [`HookVerdict::Ask`] a question to the approver.
    fn check_call<'a>(
        &'a self,
        ctx: &'a HookContext,
        call: &'a HookedCall,
    ) -> HookFuture<'a, HookVerdict<Arguments>> {
        let _ = (ctx, call);
        Box::pin(async { HookVerdict::Continue })
    }

    /// Guards the result of a call that ran, before it is recorded and the model sees it. A veto replaces the result by an error with the
    /// reason; the effects of the call remain.
    fn check_result<'a>(
        &'a self,
        ctx: &'a HookContext,
        ended: &'a EndedCall,
    ) -> HookFuture<'a, HookVerdict<ToolResult>> {
        let _ = (ctx, ended);
        Box::pin(async { HookVerdict::Continue })
    }

    /// Observes that turns of the conversation are about to be summarised and removed. `request` asks for the
    /// summary and contains the conversation.
    fn observe_compaction<'a>(&'a self, ctx: &'a HookContext, request: &'a Request) -> HookFuture<'a, ()> {
        let _ = (ctx, request);
        Box::pin(async {})
    }

    /// Observes the end of a run that ends in this process.
    fn observe_end<'a>(&'a self, ctx: &'a HookContext, outcome: &'a Outcome) -> HookFuture<'a, ()> {
        let _ = (ctx, outcome);
        Box::pin(async {})
    }
}

/// The result of a guard.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookVerdict<T> {
    /// The value is accepted.
    Continue,
    /// The value is refused, with a reason for the model or the caller.
    Veto(String),
    /// The value is replaced.
    Rewrite(T),
    /// A human decides, and reads this reason. For a call it is the approver; at other points it is the human of
    /// [`AgentBuilder::human`](crate::AgentBuilder::human), and every answer but "yes" is a veto.
    Ask(String),
    /// A call that only the default of the autonomy would ask about runs without a question. It lifts no denial and no
    /// question of a rule, and counts only for a call and from a hook of the program's owner
    /// ([`AgentBuilder::owner_hook`](crate::AgentBuilder::owner_hook)); otherwise it means `Continue`.
    Permit,
}

/// The run that calls a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookContext {
    /// The id of the run.
    pub run: String,
    /// The names of the agents from the root's child down to the agent of the run; empty for the root.
    pub agents: Vec<String>,
}

/// A call with the decision of policy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HookedCall {
    /// The call as it would run.
    pub call: ToolCall,
    /// The facts of the decision.
    pub facts: PolicyInput,
    /// The decision: to allow the call, or to ask about it.
    pub decision: Decision,
}

/// A call that ran, with its result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndedCall {
    /// The call as it ran.
    pub call: ToolCall,
    /// The result.
    pub result: ToolResult,
}

/// The text of a complete answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerText {
    /// The text, without reasoning.
    pub text: String,
    /// True if the answer also has calls, so that it does not end the task.
    pub has_calls: bool,
}

/// The end of a request.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RequestEnd {
    /// The reason for the failure of the request; `None` if an answer arrived.
    pub error: Option<String>,
    /// The tokens that the provider reported.
    pub usage: Usage,
}

impl HookContext {
    /// Creates a context, for tests of a hook.
    pub fn new(run: impl Into<String>, agents: Vec<String>) -> Self {
        Self { run: run.into(), agents }
    }
}

impl HookedCall {
    /// Creates a value, for tests of a hook.
    pub fn new(call: ToolCall, facts: PolicyInput, decision: Decision) -> Self {
        Self { call, facts, decision }
    }
}

impl EndedCall {
    /// Creates a value, for tests of a hook.
    pub fn new(call: ToolCall, result: ToolResult) -> Self {
        Self { call, result }
    }
}

impl AnswerText {
    /// Creates a value, for tests of a hook.
    pub fn new(text: impl Into<String>, has_calls: bool) -> Self {
        Self { text: text.into(), has_calls }
    }
}
