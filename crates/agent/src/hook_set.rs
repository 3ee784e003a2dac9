//! The hooks of an agent, called with their time limit.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use windlass_loop::{HookAction, HookPoint, HookReport};
use windlass_protocol::CallId;
use windlass_tool::{Human, Question};

use crate::hook::{Hook, HookContext, HookFuture, HookVerdict};

/// The default time that a hook may take.
pub(crate) const HOOK_TIMEOUT: Duration = Duration::from_secs(30);

/// The hooks of an agent in the order in which they were added.
#[derive(Clone)]
pub(crate) struct HookSet {
    pub(crate) hooks: Vec<InstalledHook>,
    pub(crate) timeout: Duration,
    /// The human for questions of hooks about values other than calls.
    pub(crate) human: Option<Arc<dyn Human>>,
}

/// One hook of an agent.
#[derive(Clone)]
pub(crate) struct InstalledHook {
    pub(crate) hook: Arc<dyn Hook>,
    /// True if the hook may permit calls.
    pub(crate) is_owner: bool,
}

/// A veto of a hook.
pub(crate) struct Veto {
    pub(crate) hook: String,
    pub(crate) reason: String,
}

/// A value that the hooks of a point accepted, with the changes that they made.
pub(crate) struct PassedValue<T> {
    pub(crate) value: T,
    pub(crate) reports: Vec<HookReport>,
}

impl Default for HookSet {
    fn default() -> Self {
        Self { hooks: Vec::new(), timeout: HOOK_TIMEOUT, human: None }
    }
}

impl HookSet {
    pub(crate) fn push(&mut self, hook: Arc<dyn Hook>, is_owner: bool) {
        self.hooks.push(InstalledHook { hook, is_owner });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Returns whether a hook is called at the point.
    pub(crate) fn has(&self, point: HookPoint) -> bool {
        self.hooks_at(point).next().is_some()
    }

    /// Returns the hooks that are called at the point.
    pub(crate) fn hooks_at(&self, point: HookPoint) -> impl Iterator<Item = &InstalledHook> {
        self.hooks.iter().filter(move |installed| installed.hook.points().contains(&point))
    }

    /// Waits for the verdict of a guard. A panic or a timeout is a veto.
    pub(crate) async fn guard<T>(&self, verdict: impl Future<Output = HookVerdict<T>>) -> HookVerdict<T> {
        match tokio::time::timeout(self.timeout, AssertUnwindSafe(verdict).catch_unwind()).await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(_)) => {
                HookVerdict::Veto("the hook failed with an internal error (it panicked)".to_owned())
            }
            Err(_) => HookVerdict::Veto("the hook did not answer in time".to_owned()),
        }
    }

    /// Calls the observers of a point.
    pub(crate) async fn observe<'a>(
        &'a self,
        point: HookPoint,
        call: impl Fn(&'a dyn Hook) -> HookFuture<'a, ()>,
    ) {
        for installed in self.hooks_at(point) {
            // An observer changes nothing, so its panic and its timeout change nothing either.
            let work = AssertUnwindSafe(async { call(&*installed.hook).await }).catch_unwind();
            let _ = tokio::time::timeout(self.timeout, work).await;
        }
    }

    /// Passes a value through the guards of a point. `apply` makes a rewrite, and returns the text for the
    /// report.
    pub(crate) async fn pass<T: Send + Sync, R: Send>(
        &self,
        point: HookPoint,
        ctx: &HookContext,
        mut value: T,
        call: impl for<'a> Fn(&'a dyn Hook, &'a HookContext, &'a T) -> HookFuture<'a, HookVerdict<R>>
        + Send
        + Sync,
        apply: impl Fn(&mut T, R) -> String + Send + Sync,
    ) -> Result<PassedValue<T>, Veto> {
        let mut reports = Vec::new();
        for installed in self.hooks_at(point) {
            let hook = &*installed.hook;
            let name = hook.name().to_owned();
            match self.guard(async { call(hook, ctx, &value).await }).await {
                HookVerdict::Continue | HookVerdict::Permit => {}
                HookVerdict::Veto(reason) => return Err(Veto { hook: name, reason }),
                HookVerdict::Rewrite(new) => {
                    let text = apply(&mut value, new);
                    reports.push(HookReport::new(name, point, HookAction::Rewrite, text));
                }
                HookVerdict::Ask(reason) => {
                    reports.push(HookReport::new(name.as_str(), point, HookAction::Ask, reason.as_str()));
                    if !self.is_confirmed(point, &name, &reason).await {
                        return Err(Veto { hook: name, reason });
                    }
                }
            }
        }
        Ok(PassedValue { value, reports })
    }

    /// Asks the human whether a value is accepted. Without an answer it is not.
    async fn is_confirmed(&self, point: HookPoint, hook: &str, reason: &str) -> bool {
        let Some(human) = &self.human else { return false };
        let text = format!("The rule {hook} asks about the {point}: {reason}. Continue? (yes or no)");
        let question = Question::new(text, vec!["yes".to_owned(), "no".to_owned()]);
        let answer = AssertUnwindSafe(human.answer(&question)).catch_unwind().await;
        matches!(answer, Ok(Ok(words)) if words.trim().eq_ignore_ascii_case("yes"))
    }
}

impl Veto {
    /// Returns the report for the record.
    pub(crate) fn report(&self, point: HookPoint) -> HookReport {
        HookReport::new(self.hook.as_str(), point, HookAction::Veto, self.reason.as_str())
    }

    /// Returns the report about a call.
    pub(crate) fn report_call(&self, point: HookPoint, call: &CallId) -> HookReport {
        self.report(point).with_call(call.clone())
    }
}
