//! Which tools of servers the user has accepted, kept across runs, and how a yes at the terminal becomes one.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::ApprovalRequest;
use windlass_mcp::{Accepted, AcceptedTools, McpClient};
use windlass_protocol::{Aftermath, Effect, Hints, Payload, PlannedFile, ToolSpec};
use windlass_tool::{Context, Inspection, Tool, ToolFuture};

use crate::kept_file::{Form, KeptFile};
use crate::{output, runs};

/// The file, in the folder for everything that is kept.
const FILE: &str = "mcp/accepted.json";

const FORM: Form<'_, Accepted> = Form {
    empty: &Accepted::default,
    parse: &|text| Ok(Accepted::parse(text)?),
    text: &|accepted| Ok(accepted.to_text()?),
};

/// What the user has accepted. Clones share it.
#[derive(Clone)]
pub(crate) struct AcceptedFile {
    pub(crate) tools: AcceptedTools,
    file: KeptFile,
    /// What was said yes to, and has not run yet: a call that is still looked at must not change under it (RULES H5).
    said_yes: Arc<Mutex<HashSet<String>>>,
}

impl AcceptedFile {
    /// The tools that were accepted. Everything is asked anew while the file cannot be read, which is reported.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let file = KeptFile::new(runs::state()?.join(FILE), "MCP tools are asked about anew");
        let accepted = file.load(&FORM).unwrap_or_else(|error| {
            output::note(&format!("{error:#}; MCP tools are asked about anew"));
            Accepted::default()
        });
        Ok(Self { tools: Arc::new(RwLock::new(accepted)), file, said_yes: Arc::default() })
    }

    /// The approver whose yes to a call accepts the tool as it was shown.
    pub(crate) fn heard_from(&self, approver: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(Hearing { approver, accepted: self.clone() })
    }

    /// A tool that is accepted when it runs after a yes.
    pub(crate) fn of(&self, client: &McpClient, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(AcceptedOnRun { tool, client: client.clone(), accepted: self.clone() })
    }

    /// Accepts a tool as it is listed now, and keeps that.
    pub(crate) fn accept(&self, client: &McpClient, tool: &str, fingerprint: &str) {
        if client.accept(tool, fingerprint)
            && let Err(error) = self.keep(client.id(), tool)
        {
            output::note(&format!("that {tool} was accepted cannot be kept: {error:#}"));
        }
    }

    /// Adds one tool to what is kept; what other processes have accepted or taken back since stays as it is.
    fn keep(&self, server: &str, tool: &str) -> anyhow::Result<()> {
        let accepted = self.tools.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.file.update(&FORM, |kept| kept.take_from(&accepted, server, tool)).map(drop)
    }

    fn yes(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.said_yes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears what a person says yes to.
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

/// A tool of a server. What was shown to a person who said yes is accepted from then on.
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

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        self.tool.effects(payload)
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.tool.inspect(payload)
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> Aftermath {
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
