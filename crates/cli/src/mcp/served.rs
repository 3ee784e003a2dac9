//! The served tools, and the judgement of a client's calls by the same rules as in a run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use tempfile::TempDir;
use windlass_hitl::{
    ApprovalRequest, Binding, DEFAULT_TIMEOUT_MS, Decision, Digest, Grants, Learned, Mode, Policy, Verdict,
    decide,
};
use windlass_mcp_server::{CallFuture, Caller, Confirmation, ToolHost};
use windlass_protocol::{Control, Hints, ResultStatus, ToolCall, ToolResult, ToolSpec};
use windlass_redact::Redactor;
use windlass_tool::Context;
use windlass_toolbox::{Checked, Toolbox};

use crate::arguments::McpServe;
use crate::setup::Offered;
use crate::tape::Tape;
use crate::{confine, modes, policies, secrets, setup};

/// Tools that concern a run of this program: its plan, its completion, its commands. Clients have their own.
const OF_A_RUN: [&str; 4] = ["update_todo_list", "update_plan", "run_slash_command", "skill"];

/// Maximum number of questions about one call whose facts change while the user decides.
const LOOKS: usize = 2;

/// Tools of one folder, served to unknown clients.
pub(crate) struct Served {
    toolbox: Toolbox,
    policy: Policy,
    epoch: String,
    mode: Mode,
    redactor: Redactor,
    root: PathBuf,
    /// Temporary folder for long outputs, deleted when the process ends.
    outputs: TempDir,
}

/// A checked call with its decision and the digest of its facts.
struct Judged {
    checked: Checked,
    decision: Decision,
    digest: Digest,
}

impl Served {
    pub(crate) async fn of(arguments: &McpServe) -> anyhow::Result<Self> {
        let root = setup::root(&arguments.root)?;
        let outputs = tempfile::tempdir().context("a folder for long outputs cannot be made")?;
        let policy = arguments.policy.as_deref();
        let shell = confine::shell(arguments.sandbox, policy)?;
        confine::warn(&shell);
        let offering = &arguments.offering;
        let offered = Offered { preset: arguments.preset, offering, model: None, servers: None };
        let prepared = setup::prepare(&Tape::none(), &root, Some(outputs.path()), offered, &shell)?;
        let toolbox = prepared.served(&Tape::none()).await;
        let toolbox = match &offering.mode {
            Some(mode) => toolbox.in_mode(&modes::find(toolbox.modes(), mode)?.slug)?,
            None => toolbox,
        };
        let policy = offering.embeddings.reachable(policies::load(&root, policy)?)?;
        Ok(Self {
            toolbox,
            epoch: policy.epoch(),
            policy,
            mode: arguments.autonomy.mode(),
            redactor: Redactor::new(secrets::of_folder(&root)),
            root,
            outputs,
        })
    }

    /// Checks a call and decides about it. Reads files, so it must not run on an async thread.
    fn judge(&self, call: &ToolCall) -> Result<Judged, Box<ToolResult>> {
        let checked = self.toolbox.inspect(self.toolbox.check(call)?)?;
        let root = self.root.display().to_string();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut checked = checked;
        checked.facts = checked
            .facts
            .with_links(self.policy.resolve_links())
            .with_mode(self.mode)
            .with_place(root.as_str(), u64::try_from(now).unwrap_or(u64::MAX))
            // The server does not know the client's conversation, so it assumes untrusted text.
            .with_taint(true)
            .with_secret(self.redactor.contains_secret_in_json(&call.payload.text()));
        let decision = decide(&self.policy, &Grants::default(), &Learned::default(), &checked.facts);
        let (facts, spec, epoch) = (&checked.facts, &checked.spec, self.epoch.as_str());
        let digest = Binding { facts, call: &checked.call, spec, root: &root, epoch }.digest();
        Ok(Judged { checked, decision, digest })
    }

    async fn judged(self: &Arc<Self>, call: &ToolCall) -> Result<Judged, Box<ToolResult>> {
        let (served, looked) = (Arc::clone(self), call.clone());
        tokio::task::spawn_blocking(move || served.judge(&looked)).await.unwrap_or_else(|_| {
            Err(refused(
                call,
                ResultStatus::Error,
                "it was not run: judging it failed with an internal error",
            ))
        })
    }

    async fn decide_and_run(
        self: Arc<Self>,
        call: ToolCall,
        caller: Caller,
    ) -> Result<ToolResult, Box<ToolResult>> {
        if !self.is_served(call.name.as_str()) {
            return Err(refused(&call, ResultStatus::UnknownTool, "there is no such tool here"));
        }
        let mut judged = self.judged(&call).await?;
        for _ in 0..LOOKS {
            self.permit(&call, &judged, &caller).await?;
            let now = self.judged(&call).await?;
            if now.digest == judged.digest || now.decision.verdict == Verdict::Allow {
                return self.run(&now, &caller).await;
            }
            judged = now;
        }
        let text = "stale_approval: not run, because what it would do changed again and again while it was asked about";
        Err(refused(&call, ResultStatus::Denied, text))
    }

    /// Returns `Ok` if policy allows the call or the client's user approves it, otherwise the result of the
    /// refusal.
    async fn permit(&self, call: &ToolCall, judged: &Judged, caller: &Caller) -> Result<(), Box<ToolResult>> {
        let reason = &judged.decision.reason;
        match judged.decision.verdict {
            Verdict::Allow => return Ok(()),
            Verdict::Deny => {
                let text = format!("policy does not allow this: {} (rule {})", reason.text, reason.rule_id);
                return Err(refused(call, ResultStatus::Denied, text));
            }
            Verdict::Ask => {}
        }
        let patience = Duration::from_millis(DEFAULT_TIMEOUT_MS);
        match tokio::time::timeout(patience, caller.confirm(self.question(judged))).await {
            Ok(Confirmation::Yes) => Ok(()),
            Ok(Confirmation::No(comment)) => {
                let why = comment.map(|comment| format!(": {comment}")).unwrap_or_default();
                Err(refused(call, ResultStatus::Denied, format!("the user said no{why}")))
            }
            Ok(Confirmation::Nobody) => Err(refused(
                call,
                ResultStatus::Denied,
                format!(
                    "not run: policy asks before this call ({}; rule {}), and this client cannot ask its user \
                     (it has no elicitation). The user of the server can allow it with a rule in the policy file, or \
                     with --autonomy of `windlass mcp serve`; `windlass policy explain` says what a call needs",
                    reason.text, reason.rule_id
                ),
            )),
            Err(_) => {
                let text = "not run: nobody answered the question in time (rule t.timeout)";
                Err(refused(call, ResultStatus::TimedOut, text))
            }
        }
    }

    /// Returns the question for the user. It shows the same content that was hashed and that will run
    /// (RULES H14), with secrets removed.
    fn question(&self, judged: &Judged) -> String {
        let Judged { checked, decision, digest } = judged;
        let request = ApprovalRequest::new(
            checked.call.id.as_str(),
            checked.call.clone(),
            &checked.facts,
            decision,
            digest.clone(),
        );
        let words = request.with_changes(checked.changes.clone()).describe();
        self.redactor.redact(&words).into_owned()
    }

    /// Runs a permitted call if its digest is unchanged at the time of its execution (RULES H5).
    async fn run(self: &Arc<Self>, judged: &Judged, caller: &Caller) -> Result<ToolResult, Box<ToolResult>> {
        let call = &judged.checked.call;
        let (teller, human) = (caller.clone(), Arc::new(caller.clone()));
        let ctx = Context::new(call.id.clone())
            .with_cancellation(caller.cancellation().clone())
            .with_outputs(self.outputs.path())
            .with_redactor(self.redactor.clone())
            .with_human(human)
            .with_path_gate(judged.checked.path_gate(&self.policy))
            .with_progress(move |progress| teller.tell(progress));
        let still = async {
            let now = self.judged(call).await?;
            if now.digest == judged.digest {
                return Ok(());
            }
            let text = "stale_approval: not run, because the call is no longer what was judged; look again, and make it \
                        once more if it is still right";
            Err(refused(call, ResultStatus::Denied, text))
        };
        let ran = self.toolbox.run_if(&judged.checked, &ctx, still).await;
        ran.map_err(|error| refused(call, ResultStatus::Error, error.to_string()))
    }

    fn is_served(&self, name: &str) -> bool {
        self.tools().iter().any(|(spec, _)| spec.name().as_str() == name)
    }
}

impl ToolHost for Served {
    fn tools(&self) -> Vec<(ToolSpec, Hints)> {
        let is_of_a_run = |spec: &ToolSpec| OF_A_RUN.contains(&spec.name().as_str());
        let offered = self.toolbox.offered_specs().into_iter();
        offered.filter(|(spec, hints)| hints.control == Control::None && !is_of_a_run(spec)).collect()
    }

    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture {
        Box::pin(async move { self.decide_and_run(call, caller).await.unwrap_or_else(|refused| *refused) })
    }
}

fn refused(call: &ToolCall, status: ResultStatus, text: impl Into<String>) -> Box<ToolResult> {
    Box::new(ToolResult::text(call.id.clone(), status, text))
}
