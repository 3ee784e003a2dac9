//! The people of a run: who approves calls, and who answers questions of tools.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

#[cfg(unix)]
use windlass_agent::FileApprover;
use windlass_agent::{ApproveAll, Approver, ApproverFuture, DenyAll, UnansweredPolicy};
use windlass_hitl::ApprovalRequest;
use windlass_tool::{AnswerFuture, Human, Question};

use crate::app::App;
#[cfg(unix)]
use crate::error::{Context as _, Remedy, Result, Setting, ensure};
use crate::feed::{AnswerWindows, GuidanceSlot};
use crate::sessions::desk::Desk;

/// The people of a run: approver of calls, human who answers questions of tools, and the policy for unanswered
/// questions. Clones share them.
#[derive(Clone)]
pub struct People {
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) human: Option<Arc<dyn Human>>,
    pub(crate) unanswered: UnansweredPolicy,
    /// True if an approval of an MCP tool accepts the tool for later runs.
    pub(crate) accepts_tools: bool,
    /// True if answers of the human are learned.
    pub(crate) learns: bool,
    /// The windows of the answers, for the feed.
    pub(crate) windows: AnswerWindows,
    /// The question about how the run continues.
    pub(crate) guidance: GuidanceSlot,
}

impl People {
    /// Creates the value for an approver. Questions without an answer are denied, and questions of tools have
    /// none.
    pub fn new(approver: impl Approver + 'static) -> Self {
        Self {
            approver: Arc::new(approver),
            human: None,
            unanswered: UnansweredPolicy::Deny,
            accepts_tools: true,
            learns: false,
            windows: AnswerWindows::default(),
            guidance: GuidanceSlot::default(),
        }
    }

    /// Approves every call. The approvals accept no MCP tool for later runs, because no person saw it.
    pub fn approve_all() -> Self {
        Self { accepts_tools: false, ..Self::new(ApproveAll).with_window("option --yes") }
    }

    /// Returns the approver.
    pub fn approver(&self) -> Arc<dyn Approver> {
        Arc::clone(&self.approver)
    }

    /// Leaves every question open, so the run is suspended and can be resumed with stored answers.
    pub fn suspend() -> Self {
        Self { unanswered: UnansweredPolicy::Suspend, ..Self::new(DenyAll) }
    }

    /// Lets the windows of a session answer. A question without an answer stays open.
    pub(crate) fn at_desk(desk: Desk) -> Self {
        let (unanswered, windows, guidance) = (UnansweredPolicy::Suspend, desk.windows(), desk.guidance());
        Self { unanswered, windows, guidance, ..Self::new(desk.clone()).with_human(desk) }
    }

    /// Lets another program answer by files in a folder.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be opened, or if the folder and the root contain each other: tools that can
    /// write to the folder could approve their own calls.
    #[cfg(unix)]
    pub fn in_folder(app: &App, folder: &Path, root: &Path) -> Result<Self> {
        // The folder itself may be new, its parent must exist: otherwise a typing error would create a folder
        // that no program watches.
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        ensure!(
            folder.is_dir() || parent.is_dir(),
            NotFound,
            remedy: Remedy::Set(Setting::ApprovalFolder),
            "the folder for approvals {}: the folder {} does not exist; create it first",
            folder.display(),
            parent.display()
        );
        let approver = FileApprover::open(folder)?;
        let place =
            folder.canonicalize().with_context(|| format!("{} cannot be opened", folder.display()))?;
        ensure!(
            !place.starts_with(root) && !root.starts_with(&place),
            Invalid,
            remedy: Remedy::Set(Setting::ApprovalFolder),
            "the folder for approvals {}: the agent's tools can reach it and could approve their own calls; \
             choose a folder outside of {}",
            folder.display(),
            root.display()
        );
        let notices = app.notices().clone();
        let approver = approver.on_refusal(move |refused| notices.inform(refused.to_string()));
        Ok(Self::new(approver).with_window("approval folder"))
    }

    /// Sets the human who answers questions of tools.
    pub fn with_human(self, human: impl Human + 'static) -> Self {
        Self { human: Some(Arc::new(human)), ..self }
    }

    /// Names the place of the answers for the feed. Set the human first.
    pub fn with_window(mut self, window: impl Into<Arc<str>>) -> Self {
        let window = window.into();
        let (windows, guidance) = (self.windows.clone(), self.guidance.clone());
        self.human = self.human.map(|human| {
            Arc::new(NamedHuman { inner: human, window: window.clone(), windows, guidance }) as _
        });
        let (inner, windows) = (self.approver, self.windows.clone());
        self.approver = Arc::new(NamedApprover { inner, window, windows });
        self
    }

    /// Sets whether answers of the human are learned, also where the user's settings do not enable it.
    pub fn with_learning(self, learns: bool) -> Self {
        Self { learns, ..self }
    }
}

/// Approver whose answers have the name of a window in the feed.
struct NamedApprover {
    inner: Arc<dyn Approver>,
    window: Arc<str>,
    windows: AnswerWindows,
}

impl Approver for NamedApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let decision = self.inner.decide(request).await?;
            self.windows.set(&request.request_id, &*self.window);
            Some(decision)
        })
    }
}

/// Human whose answers about how a run continues have the name of a window in the feed.
struct NamedHuman {
    inner: Arc<dyn Human>,
    window: Arc<str>,
    windows: AnswerWindows,
    guidance: GuidanceSlot,
}

impl Human for NamedHuman {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            let id = self.guidance.find(&question.text);
            let words = self.inner.answer(question).await?;
            if let Some(id) = id {
                self.windows.set(id, &*self.window);
            }
            Ok(words)
        })
    }
}

impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("People").field("unanswered", &self.unanswered).finish_non_exhaustive()
    }
}
