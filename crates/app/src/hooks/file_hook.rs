//! The hooks of files as a hook of the agent.

mod session_start;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_agent::{
    AnswerText, EndedCall, Hook, HookContext, HookFuture, HookPoint, HookVerdict, HookedCall, Outcome,
};
use windlass_protocol::{Arguments, CallId, Content, Message, Part, Request, ResultStatus, ToolResult};
use windlass_tools_shell::Shell;

pub(crate) use self::session_start::COMPACT;
use super::definition::{HookDefinition, HookEvent};
use super::load::HookList;
use super::process::HookShells;
use super::runner::{HookRun, HookRunner};
use super::tool_view::ToolView;
use crate::notices::Notices;

/// Tool that ends a task.
const COMPLETION: &str = "attempt_completion";

/// Maximum number of calls whose views are kept for their results.
const MAX_CALLS: usize = 1_000;

/// Time that the agent gives a hook beyond the hook's own limit.
const MARGIN: Duration = Duration::from_secs(30);

/// The hooks of files. Clones share their state.
#[derive(Clone)]
pub(crate) struct FileHooks(Arc<Inner>);

struct Inner {
    runner: HookRunner,
    points: Vec<HookPoint>,
    /// True if hooks of the user may permit calls.
    may_permit: bool,
    has_started: AtomicBool,
    /// True after a compaction, until the hooks for it have run.
    is_compacted: AtomicBool,
    /// True after a hook refused the end of the task.
    is_stop_active: AtomicBool,
    calls: Mutex<BTreeMap<CallId, SeenCall>>,
}

/// A call that hooks saw, until its result.
#[derive(Default)]
struct SeenCall {
    views: Vec<ToolView>,
    context: Option<String>,
}

impl FileHooks {
    /// Creates the hook of the agent, or `None` without hooks. The hooks of a project start in the `shell` of commands.
    pub(crate) fn new(
        list: HookList,
        run: HookRun,
        shell: &Shell,
        notices: &Notices,
        may_permit: bool,
    ) -> Option<Self> {
        if list.hooks.is_empty() {
            return None;
        }
        let points = points_of(&list.hooks);
        let shells = HookShells { user: Shell::new_unconfined(), project: shell.clone() };
        Some(Self(Arc::new(Inner {
            runner: HookRunner { hooks: list.hooks, shells, run, notices: notices.clone() },
            points,
            may_permit,
            has_started: AtomicBool::new(false),
            is_compacted: AtomicBool::new(false),
            is_stop_active: AtomicBool::new(false),
            calls: Mutex::default(),
        })))
    }

    /// Returns the time that the agent must give a hook.
    pub(crate) fn timeout(&self) -> Duration {
        let longest = self.0.runner.hooks.iter().map(|hook| hook.timeout).max().unwrap_or_default();
        // The start of the session and the task have their hooks one after the other.
        longest.saturating_mul(2).saturating_add(MARGIN)
    }

    /// Returns true if a hook of the user may permit calls.
    pub(crate) fn may_permit(&self) -> bool {
        self.0.may_permit
    }

    /// Starts the hooks for a notification, and waits for their end.
    pub(super) async fn notify(&self, kind: &str, message: &str) {
        let fields = json!({ "message": message, "notification_type": kind });
        let answer = self.0.runner.start(HookEvent::Notification, None, kind, fields).await;
        self.0.runner.report(&answer);
    }
}

/// Returns the points of a run at which the hooks are called.
fn points_of(hooks: &[HookDefinition]) -> Vec<HookPoint> {
    let mut points = Vec::new();
    for hook in hooks {
        points.extend_from_slice(match hook.event {
            // After a compaction, the next result or the next message gets the context.
            HookEvent::SessionStart if hook.matcher.matches(COMPACT) => {
                &[HookPoint::Compaction, HookPoint::Input, HookPoint::Result]
            }
            HookEvent::SessionStart | HookEvent::UserPromptSubmit => &[HookPoint::Input],
            // A result is seen with the views of its call.
            HookEvent::PreToolUse | HookEvent::PostToolUse => &[HookPoint::Call, HookPoint::Result],
            HookEvent::Stop | HookEvent::SubagentStop => {
                &[HookPoint::Answer, HookPoint::Call, HookPoint::Input]
            }
            HookEvent::PreCompact => &[HookPoint::Compaction],
            HookEvent::SessionEnd => &[HookPoint::End],
            HookEvent::Notification => &[],
        });
    }
    points.sort_unstable_by_key(|point| format!("{point:?}"));
    points.dedup();
    points
}

impl Inner {
    async fn check_input(&self, ctx: &HookContext, message: &Message) -> HookVerdict<Message> {
        let mut texts = Vec::new();
        self.is_stop_active.store(false, Ordering::Relaxed);
        // Agents below a call have the hooks of their caller, but are not sessions.
        if ctx.agents.is_empty() && !self.has_started.swap(true, Ordering::Relaxed) {
            texts.extend(self.start_session(ctx, self.runner.run.source).await);
        }
        texts.extend(self.start_after_compaction(ctx).await);
        if ctx.agents.is_empty() {
            let fields = json!({ "prompt": message.text() });
            let answer = self.runner.start(HookEvent::UserPromptSubmit, Some(&ctx.run), "", fields).await;
            self.runner.report(&answer);
            if let Some(reason) = answer.refusal() {
                return HookVerdict::Veto(reason);
            }
            texts.extend(answer.context_text());
        }
        if texts.is_empty() {
            return HookVerdict::Continue;
        }
        HookVerdict::Rewrite(message.clone().with_part(Part::text(format!("\n\n{}", texts.join("\n")))))
    }

    async fn check_call(&self, ctx: &HookContext, hooked: &HookedCall) -> HookVerdict<Arguments> {
        let call = &hooked.call;
        if call.name.as_str() == COMPLETION {
            let text = call.payload.text();
            return match self.check_stop(ctx, &text).await {
                Some(reason) => HookVerdict::Veto(reason),
                None => HookVerdict::Continue,
            };
        }
        let views = ToolView::list_views(call, &hooked.facts.effects, &self.runner.run.root);
        let fields = |view: &ToolView| json!({ "tool_name": view.name, "tool_input": view.input, "tool_use_id": call.id.as_str() });
        let answer = self.runner.start_for_call(HookEvent::PreToolUse, &ctx.run, &views, fields).await;
        self.runner.report(&answer);
        let context = answer.context_text();
        if let Some(reason) = answer.refusal() {
            return HookVerdict::Veto(reason);
        }
        let verdict = if !answer.asks.is_empty() {
            HookVerdict::Ask(answer.asks.join("; "))
        } else if let Some((number, changed)) = &answer.changed {
            let view = views.get(*number).filter(|view| view.input != *changed);
            match view.map(|view| view.arguments(call, changed, &self.runner.run.root)) {
                Some(Some(arguments)) => HookVerdict::Rewrite(arguments),
                Some(None) => HookVerdict::Veto("a hook changed arguments that cannot be changed".to_owned()),
                None if answer.permits => HookVerdict::Permit,
                None => HookVerdict::Continue,
            }
        } else if answer.permits {
            HookVerdict::Permit
        } else {
            HookVerdict::Continue
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= MAX_CALLS {
            calls.clear();
        }
        calls.insert(call.id.clone(), SeenCall { views, context });
        verdict
    }

    async fn check_result(&self, ctx: &HookContext, ended: &EndedCall) -> HookVerdict<ToolResult> {
        // The end of the task has its own event.
        if ended.call.name.as_str() == COMPLETION {
            return HookVerdict::Continue;
        }
        let seen = self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&ended.call.id);
        let mut seen = seen.unwrap_or_default();
        if seen.views.is_empty() {
            seen.views = ToolView::list_views(&ended.call, &[], &self.runner.run.root);
        }
        let mut texts: Vec<String> = seen.context.into_iter().collect();
        texts.extend(self.start_after_compaction(ctx).await);
        if ended.result.status == ResultStatus::Ok && self.runner.has(HookEvent::PostToolUse) {
            let text = ended.result.wire_text();
            let fields = |view: &ToolView| {
                json!({
                    "tool_name": view.name,
                    "tool_input": view.input,
                    "tool_response": respond(view, &text),
                    "tool_use_id": ended.call.id.as_str(),
                })
            };
            let answer =
                self.runner.start_for_call(HookEvent::PostToolUse, &ctx.run, &seen.views, fields).await;
            self.runner.report(&answer);
            // The call has run, so a refusal is a message to the model.
            let refusal =
                answer.refusal().map(|reason| format!("<hook-feedback>\n{reason}\n</hook-feedback>"));
            texts.extend(refusal);
            texts.extend(answer.context_text());
        }
        if texts.is_empty() {
            return HookVerdict::Continue;
        }
        let mut result = ended.result.clone();
        result.content.push(Content::text(format!("\n{}", texts.join("\n"))));
        HookVerdict::Rewrite(result)
    }

    /// Starts the hooks for the end of a task. Returns the reason for which the work continues.
    async fn check_stop(&self, ctx: &HookContext, answer: &str) -> Option<String> {
        let event = if ctx.agents.is_empty() { HookEvent::Stop } else { HookEvent::SubagentStop };
        let is_active = self.is_stop_active.load(Ordering::Relaxed);
        let fields = json!({ "stop_hook_active": is_active, "last_assistant_message": answer });
        let name = ctx.agents.last().map_or("", String::as_str);
        let answer = self.runner.start(event, Some(&ctx.run), name, fields).await;
        self.runner.report(&answer);
        let refusal = answer.refusal();
        self.is_stop_active.store(refusal.is_some(), Ordering::Relaxed);
        refusal
    }
}

/// Returns the result of a call in the form of the documented tools.
fn respond(view: &ToolView, text: &str) -> Value {
    match view.name.as_str() {
        "Bash" => json!({ "stdout": text, "stderr": "", "interrupted": false }),
        "Write" | "Edit" => json!({ "filePath": view.subject(), "success": true, "content": text }),
        _ => json!({ "content": text }),
    }
}

impl Hook for FileHooks {
    fn name(&self) -> &'static str {
        "hooks"
    }

    fn points(&self) -> &[HookPoint] {
        &self.0.points
    }

    fn check_input<'a>(
        &'a self,
        ctx: &'a HookContext,
        message: &'a Message,
    ) -> HookFuture<'a, HookVerdict<Message>> {
        Box::pin(self.0.check_input(ctx, message))
    }

    fn check_answer<'a>(
        &'a self,
        ctx: &'a HookContext,
        answer: &'a AnswerText,
    ) -> HookFuture<'a, HookVerdict<String>> {
        Box::pin(async move {
            if answer.has_calls || self.0.runner.run.until_done {
                return HookVerdict::Continue;
            }
            self.0.check_stop(ctx, &answer.text).await.map_or(HookVerdict::Continue, HookVerdict::Veto)
        })
    }

    fn check_call<'a>(
        &'a self,
        ctx: &'a HookContext,
        call: &'a HookedCall,
    ) -> HookFuture<'a, HookVerdict<Arguments>> {
        Box::pin(self.0.check_call(ctx, call))
    }

    fn check_result<'a>(
        &'a self,
        ctx: &'a HookContext,
        ended: &'a EndedCall,
    ) -> HookFuture<'a, HookVerdict<ToolResult>> {
        Box::pin(self.0.check_result(ctx, ended))
    }

    fn observe_compaction<'a>(&'a self, ctx: &'a HookContext, _: &'a Request) -> HookFuture<'a, ()> {
        Box::pin(async move {
            let fields = json!({ "trigger": "auto", "custom_instructions": "" });
            let answer = self.0.runner.start(HookEvent::PreCompact, Some(&ctx.run), "auto", fields).await;
            self.0.runner.report(&answer);
            self.0.runner.report_refusal(&answer);
            self.0.observe_compaction(ctx);
        })
    }

    fn observe_end<'a>(&'a self, ctx: &'a HookContext, _: &'a Outcome) -> HookFuture<'a, ()> {
        Box::pin(async move {
            if ctx.agents.is_empty() {
                let answer = self
                    .0
                    .runner
                    .start(HookEvent::SessionEnd, Some(&ctx.run), "other", json!({ "reason": "other" }))
                    .await;
                self.0.runner.report(&answer);
            }
        })
    }
}

impl std::fmt::Debug for FileHooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileHooks").field("hooks", &self.0.runner.hooks.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
