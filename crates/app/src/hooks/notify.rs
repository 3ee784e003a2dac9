//! Notifications: hooks and the user's program, when a question waits for a person.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinHandle;
use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalRequest, display_safe};
use windlass_tools_shell::Shell;

use super::file_hook::FileHooks;
use super::process::{HookEnd, HookShells};
use crate::notices::Notices;

/// Type of the notification about a question, in the words of the documentation.
const PERMISSION: &str = "permission_prompt";

/// An approver that starts the notifications of a question while another approver is asked.
#[derive(Clone)]
pub(crate) struct NotifyingApprover {
    inner: Arc<dyn Approver>,
    hooks: Option<FileHooks>,
    notifier: Option<Notifier>,
}

/// The user's program for notifications.
#[derive(Clone, Debug)]
struct Notifier {
    argv: Vec<String>,
    root: PathBuf,
    shells: HookShells,
    notices: Notices,
}

/// Ends a notification together with its question.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl NotifyingApprover {
    /// Creates the approver. `argv` is the user's program, which receives the message as its last argument.
    pub(crate) fn new(
        inner: Arc<dyn Approver>,
        hooks: Option<FileHooks>,
        argv: &[String],
        root: PathBuf,
        notices: &Notices,
    ) -> Self {
        let shell = Shell::new_unconfined();
        let notifier = (!argv.is_empty()).then(|| Notifier {
            argv: argv.to_vec(),
            root,
            shells: HookShells { user: shell.clone(), project: shell },
            notices: notices.clone(),
        });
        Self { inner, hooks, notifier }
    }
}

impl Notifier {
    async fn notify(self, message: String) {
        let argv: Vec<String> = self.argv.iter().cloned().chain([message]).collect();
        let problem = match self.shells.notify(&argv, &self.root).await {
            HookEnd::Exit { code: 0, .. } => return,
            HookEnd::Exit { code, .. } => format!("it failed with the exit code {code}"),
            HookEnd::Failed(why) => why,
        };
        let program = self.argv.first().map_or("", String::as_str);
        self.notices.warn(format!("the program {} for notifications: {problem}", display_safe(program)));
    }
}

impl Approver for NotifyingApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let message = format!("Windlass needs your permission to use {}", request.tool.as_str());
        let (hooks, notifier) = (self.hooks.clone(), self.notifier.clone());
        let work = async move {
            if let Some(notifier) = notifier {
                notifier.notify(message.clone()).await;
            }
            if let Some(hooks) = hooks {
                hooks.notify(PERMISSION, &message).await;
            }
        };
        Box::pin(async move {
            let mut notification = AbortOnDrop(tokio::spawn(work));
            let decision = self.inner.decide(request).await;
            if decision.is_none() {
                // The question stays open, and the process may end before the notification otherwise.
                let _ = (&mut notification.0).await;
            }
            decision
        })
    }
}

impl std::fmt::Debug for NotifyingApprover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NotifyingApprover").field("notifier", &self.notifier).finish_non_exhaustive()
    }
}
