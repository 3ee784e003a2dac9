//! Accepted MCP tools, stored across runs, and the acceptance of a tool by an approval at the terminal.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::ApprovalRequest;
use windlass_mcp::{Accepted, AcceptedTools, McpClient};
use windlass_protocol::{Effect, Hints, Payload, PlannedFile, ReconcileOutcome, ToolSpec};
use windlass_tool::{Context, Inspection, Tool, ToolFuture};

use crate::kept_file::{Form, KeptFile};
use crate::{output, runs};

/// Path of the file in the state folder.
const FILE: &str = "mcp/accepted.json";

const FORM: Form<'_, Accepted> = Form {
    empty: &Accepted::default,
    parse: &|text| Ok(Accepted::parse(text)?),
    text: &|accepted| Ok(accepted.to_text()?),
};

/// The accepted MCP tools and their file. Clones share both.
#[derive(Clone)]
pub(crate) struct AcceptedFile {
    pub(crate) tools: AcceptedTools,
    file: KeptFile,
    /// Fingerprints of approved tools that have not run yet. Accepting them earlier would change the facts of
    /// a call that is still being judged (RULES H5).
    said_yes: Arc<Mutex<HashSet<String>>>,
}

impl AcceptedFile {
    /// Loads the accepted tools. If the file cannot be read, reports the error and starts with an empty set,
    /// so every tool asks again.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let file = KeptFile::new(runs::state()?.join(FILE), "MCP tools are asked about anew");
        let accepted = file.load(&FORM).unwrap_or_else(|error| {
            output::note(&format!("{error:#}; MCP tools are asked about anew"));
            Accepted::default()
        });
        Ok(Self { tools: Arc::new(RwLock::new(accepted)), file, said_yes: Arc::default() })
    }

    /// Wraps an approver: approving a call also approves the displayed definition of its tool.
    pub(crate) fn heard_from(&self, approver: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(Hearing { approver, accepted: self.clone() })
    }

    /// Wraps a tool, so that its first approved call accepts its definition.
    pub(crate) fn of(&self, client: &McpClient, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(AcceptedOnRun { tool, client: client.clone(), accepted: self.clone() })
    }

    /// Accepts the current definition of a tool, and stores the acceptance.
    pub(crate) fn accept(&self, client: &McpClient, tool: &str, fingerprint: &str) {
        if client.accept(tool, fingerprint)
            && let Err(error) = self.keep(client.id(), tool)
        {
            output::note(&format!("that {tool} was accepted cannot be kept: {error:#}"));
        }
    }

    /// Stores the acceptance of one tool. Changes that other processes made to the file for other tools are
    /// kept.
    fn keep(&self, server: &str, tool: &str) -> anyhow::Result<()> {
        let accepted = self.tools.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.file.update(&FORM, |kept| kept.take_from(&accepted, server, tool)).map(drop)
    }

    fn yes(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.said_yes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An approver that records the fingerprints of approved tools.
struct Hearing {
    approver: Arc<dyn Approver>,
    accepted: AcceptedFile,
}

impl Approver for Hearing {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let decision = self.approver.decide(request).await?;
            for effect in request.effects.iter().filter(|_| decision.approved) {
                if let Effect::Mcp { fingerprint, known: false, .. } = effect {
                    self.accepted.yes().insert(fingerprint.clone());
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
                && self.accepted.yes().remove(&fingerprint)
            {
                self.accepted.accept(&self.client, &tool, &fingerprint);
            }
        }
        self.tool.call(ctx, payload)
    }
}
