//! The hooks around a call: before it is decided, and after it ran.

use std::sync::Arc;

use tokio::sync::mpsc;
use windlass_hitl::{Objection, Verdict};
use windlass_loop::{CallDecision, HookAction, HookPoint, HookReport, Input};
use windlass_protocol::{Arguments, Payload, ResultStatus, ToolCall, ToolResult};

use super::CommandRunner;
use crate::call_guard::{Amendments, CallGuard, GuardedDecision};
use crate::hook::{EndedCall, HookContext, HookVerdict, HookedCall};
use crate::hook_set::{HookSet, InstalledHook, PassedValue};

/// The hooks of the calls of a run.
#[derive(Clone)]
pub(super) struct CallHooks {
    hooks: HookSet,
    ctx: HookContext,
    guard: Arc<CallGuard>,
    inputs: mpsc::Sender<Box<Input>>,
}

impl CommandRunner {
    /// Returns what hooks know about the run.
    pub(crate) fn hook_context(&self) -> HookContext {
        HookContext::new(self.run.id.as_str(), self.parts.agents.clone())
    }

    /// Returns the hooks of calls; `None` without hooks.
    pub(super) fn call_hooks(&self) -> Option<CallHooks> {
        (!self.parts.hooks.is_empty()).then(|| CallHooks {
            hooks: self.parts.hooks.clone(),
            ctx: self.hook_context(),
            guard: Arc::clone(&self.guard),
            inputs: self.inputs.clone(),
        })
    }
}

impl CallHooks {
    /// Passes a decided call through its guards. Each change is decided again by the schema and policy, together with the
    /// objections of the hooks before.
    pub(super) async fn decide(&self, call: &ToolCall, mut decided: GuardedDecision) -> GuardedDecision {
        let mut amendments = Amendments::default();
        for installed in self.hooks.hooks_at(HookPoint::Call) {
            let CallDecision::Decided { decision, .. } = &decided.decision else { break };
            if decision.verdict == Verdict::Deny {
                break;
            }
            let Some(checked) = self.guard.find_checked(call) else { break };
            let hooked = HookedCall::new(checked.call, checked.facts, decision.clone());
            let hook = &*installed.hook;
            let verdict = self.hooks.guard(async { hook.check_call(&self.ctx, &hooked).await }).await;
            match amend(&mut amendments, installed, call, &hooked.call, verdict) {
                Amendment::Nothing => continue,
                Amendment::Permitted => {}
                Amendment::Changed(report) => self.send(report).await,
            }
            decided = self.decide_again(call, &amendments).await;
        }
        decided
    }

    async fn decide_again(&self, call: &ToolCall, amendments: &Amendments) -> GuardedDecision {
        let (guard, call, amendments) = (self.guard.clone(), call.clone(), amendments.clone());
        let id = call.id.clone();
        let decided = tokio::task::spawn_blocking(move || guard.decide_amended(&call, amendments)).await;
        decided.unwrap_or_else(|error| GuardedDecision::from_failure(&id, &error))
    }

    /// Passes the result of a call through its guards.
    pub(super) async fn end(&self, call: ToolCall, result: ToolResult) -> ToolResult {
        if !self.hooks.has(HookPoint::Result) {
            return result;
        }
        let id = result.call.clone();
        let passed = self
            .hooks
            .pass(
                HookPoint::Result,
                &self.ctx,
                EndedCall::new(call, result),
                |hook, ctx, ended| hook.check_result(ctx, ended),
                |ended, new| {
                    let call = std::mem::replace(&mut ended.result, new).call;
                    ended.result.call = call;
                    String::new()
                },
            )
            .await;
        match passed {
            Ok(PassedValue { value, reports }) => {
                for report in reports {
                    self.send(report.with_call(id.clone())).await;
                }
                value.result
            }
            Err(veto) => {
                self.send(veto.report_call(HookPoint::Result, &id)).await;
                let text = format!(
                    "the call ran, but its result is withheld by the rule {}: {}",
                    veto.hook, veto.reason
                );
                ToolResult::text(id, ResultStatus::Error, text)
            }
        }
    }

    /// Sends a report to the machine, which records it.
    async fn send(&self, report: HookReport) {
        // Sending fails only after the end of the run.
        drop(self.inputs.send(Box::new(Input::Hook(report))).await);
    }
}

/// The change of a decision by one hook.
enum Amendment {
    Nothing,
    Permitted,
    Changed(HookReport),
}

/// Applies the verdict of a hook about a call.
fn amend(
    amendments: &mut Amendments,
    installed: &InstalledHook,
    call: &ToolCall,
    checked: &ToolCall,
    verdict: HookVerdict<Arguments>,
) -> Amendment {
    let name = installed.hook.name();
    let rule = format!("hook.{name}");
    let (action, text) = match verdict {
        HookVerdict::Permit if installed.is_owner => {
            amendments.permit = Some(rule);
            return Amendment::Permitted;
        }
        HookVerdict::Continue | HookVerdict::Permit => return Amendment::Nothing,
        HookVerdict::Veto(text) => {
            amendments.objections.push((rule, Objection::deny(text.as_str())));
            (HookAction::Veto, text)
        }
        HookVerdict::Ask(text) => {
            amendments.objections.push((rule, Objection::ask(text.as_str())));
            (HookAction::Ask, text)
        }
        HookVerdict::Rewrite(arguments) => {
            let text = arguments.as_str().to_owned();
            if let Some(changed) = rewrite_call(call, checked, arguments) {
                amendments.rewritten = Some(changed);
                // The permission was given to another call.
                amendments.permit = None;
                (HookAction::Rewrite, text)
            } else {
                let text = "the hook changed arguments, but the call takes text";
                amendments.objections.push((rule, Objection::deny(text)));
                (HookAction::Veto, text.to_owned())
            }
        }
    };
    Amendment::Changed(HookReport::new(name, HookPoint::Call, action, text).with_call(call.id.clone()))
}

/// Returns the call of the model with other arguments, or `None` if the checked call has no arguments.
fn rewrite_call(call: &ToolCall, checked: &ToolCall, new: Arguments) -> Option<ToolCall> {
    let mut changed = call.clone();
    changed.payload = checked.payload.clone();
    match &mut changed.payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
            *arguments = new;
            Some(changed)
        }
        _ => None,
    }
}
