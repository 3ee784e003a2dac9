//! Accepted MCP tools, stored across runs, and the acceptance of a tool by an approval at the terminal.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::ApprovalRequest;
use windlass_mcp::{AcceptedDefinitions, AcceptedTools, McpClient};
use windlass_protocol::{Effect, Hints, Payload, PlannedFile, ReconcileOutcome, ToolSpec};
use windlass_tool::{Context, Inspection, Tool, ToolFuture};

use crate::app::App;
use crate::error::{Result, one_line};
use crate::notices::Notices;
use crate::storage::{Format, StateFile};

/// Path of the file in the state folder.
const FILE: &str = "mcp/accepted.json";

const FORMAT: Format<'_, AcceptedDefinitions> = Format {
    empty: &AcceptedDefinitions::default,
    parse: &|text| Ok(AcceptedDefinitions::parse(text)?),
    text: &|accepted| Ok(accepted.to_text()?),
};

/// The accepted MCP tools and their file. Clones share both.
#[derive(Clone)]
pub(crate) struct AcceptedFile {
    pub(crate) tools: AcceptedTools,
    /// The file; `None` if acceptances end with the run.
    file: Option<StateFile>,
    notices: Notices,
    /// Fingerprints of approved tools that have not run yet. Accepting them earlier would change the facts of
    /// a call that is still being decided (RULES H5).
    approved: Arc<Mutex<HashSet<String>>>,
}

impl AcceptedFile {
    /// Loads the accepted tools. If the file cannot be read, reports the error and starts with an empty set,
    /// so every tool asks again.
    pub(crate) fn load(app: &App) -> Result<Self> {
        let file = StateFile::new(app.state_file(FILE)?, app.notices(), "MCP tools need approval again");
        let accepted = file.load(&FORMAT).unwrap_or_else(|error| {
            app.inform(format!("{}; MCP tools need approval again", one_line(&error)));
            AcceptedDefinitions::default()
        });
        let (tools, notices) = (Arc::new(RwLock::new(accepted)), app.notices().clone());
        Ok(Self { tools, file: Some(file), notices, approved: Arc::default() })
    }

    /// Creates an empty set that is not stored.
    pub(crate) fn in_memory(app: &App) -> Self {
        let notices = app.notices().clone();
        Self { tools: AcceptedTools::default(), file: None, notices, approved: Arc::default() }
    }

    /// Wraps an approver: approving a call also approves the displayed definition of its tool.
    pub(crate) fn wrap_approver(&self, approver: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(RecordingApprover { approver, accepted: self.clone() })
    }

    /// Wraps a tool, so that its first approved call accepts its definition.
    pub(crate) fn wrap_tool(&self, client: &McpClient, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(AcceptedOnRun { tool, client: client.clone(), accepted: self.clone() })
    }

    /// Accepts the current definition of a tool, and stores the acceptance.
    fn accept(&self, client: &McpClient, tool: &str, fingerprint: &str) {
        if client.accept(tool, fingerprint)
            && let Err(error) = self.store(client.id(), tool)
        {
            self.notices.inform(format!("the acceptance of {tool} cannot be stored: {}", one_line(&error)));
        }
    }

    /// Stores the acceptance of one tool. Changes that other processes made to the file for other tools are
    /// kept.
    fn store(&self, server: &str, tool: &str) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let accepted = self.tools.read().unwrap_or_else(PoisonError::into_inner).clone();
        file.update(&FORMAT, |kept| kept.take_from(&accepted, server, tool)).map(drop)
    }

    fn lock_approved(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.approved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An approver that records the fingerprints of approved tools.
struct RecordingApprover {
    approver: Arc<dyn Approver>,
    accepted: AcceptedFile,
}

impl Approver for RecordingApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let decision = self.approver.decide(request).await?;
            for effect in request.effects.iter().filter(|_| decision.approved) {
                if let Effect::Mcp { fingerprint, known: false, .. } = effect {
                    self.accepted.lock_approved().insert(fingerprint.clone());
                }
            }
            Some(decision)
        })
    }
}

/// A server's tool that accepts its own definition when it runs after an approval.
struct AcceptedOnRun {
    tool: Arc<dyn Tool>,
    client: McpClient,
    accepted: AcceptedFile,
}

impl Tool for AcceptedOnRun {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn hints(&self) -> Hints {
        self.tool.hints()
    }

    fn feature(&self) -> Option<&str> {
        self.tool.feature()
    }

    fn has_built_in_rules(&self) -> bool {
        self.tool.has_built_in_rules()
    }

    fn is_in_presets(&self) -> bool {
        self.tool.is_in_presets()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        self.tool.effects(payload)
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.tool.inspect(payload)
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        self.tool.aftermath(planned)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        for effect in self.tool.effects(payload) {
            if let Effect::Mcp { tool, fingerprint, known: false, .. } = effect
                && self.accepted.lock_approved().remove(&fingerprint)
            {
                self.accepted.accept(&self.client, &tool, &fingerprint);
            }
        }
        self.tool.call(ctx, payload)
    }
}
