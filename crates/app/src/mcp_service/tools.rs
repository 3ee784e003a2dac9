//! The served tools, and the decision of a client's calls by the same rules as in a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;
use windlass_hitl::{
    ApprovalHistory, ApprovalRequest, Binding, DEFAULT_TIMEOUT_MS, Decision, Digest, Grants, Policy, Verdict,
    decide,
};
use windlass_mcp_server::{CallFuture, Caller, Confirmation, ToolHost};
use windlass_protocol::{Control, Hints, ResultStatus, ToolCall, ToolResult, ToolSpec};
use windlass_redact::Redactor;
use windlass_tool::Context;
use windlass_toolbox::{CheckedCall, Toolbox};

use crate::app::App;
use crate::assembly::{ToolPlan, build_shell, find_mode, prepare_tools, warn_about_confinement};
use crate::config::{Autonomy, Confinement, ToolPreset, ToolSelection, resolve_root};
use crate::error::{Context as _, Result as AppResult};
use crate::policies::load_policy;
use crate::providers::add_reachable;
use crate::runs::Recording;
use crate::secrets::collect_folder_secrets;

/// Tools that concern a run of this program: its plan, its completion, its commands. Clients have their own.
const OF_A_RUN: [&str; 4] = ["update_todo_list", "update_plan", "run_slash_command", "skill"];

/// Maximum number of questions about one call whose facts change while the user decides.
const LOOKS: usize = 2;

/// Options of served tools.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServeOptions {
    /// Tools that are offered by default.
    pub preset: ToolPreset,
    /// Tools and features besides the preset.
    pub selection: ToolSelection,
    /// Autonomy: which calls run without a question.
    pub autonomy: Autonomy,
    /// Policy file in place of the user's default one.
    pub policy: Option<PathBuf>,
    /// Confinement of commands.
    pub sandbox: Confinement,
}

/// Tools of one folder, served to unknown clients.
pub struct ServedTools {
    toolbox: Toolbox,
    policy: Policy,
    epoch: String,
    autonomy: Autonomy,
    redactor: Redactor,
    root: PathBuf,
    /// Temporary folder for long outputs, deleted when the process ends.
    outputs: TempDir,
}

/// A checked call with its decision and the digest of its facts.
struct DecidedCall {
    checked: CheckedCall,
    decision: Decision,
    digest: Digest,
}

impl ServedTools {
    /// Builds the tools of a folder, and starts the processes that provide tools.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be opened, or if a file of the user is invalid.
    pub async fn build(app: &App, root: &Path, options: &ServeOptions) -> AppResult<Self> {
        let root = resolve_root(root)?;
        let outputs = tempfile::tempdir().context("a folder for long outputs cannot be created")?;
        let policy = options.policy.as_deref();
        let shell = build_shell(app, options.sandbox, policy)?;
        warn_about_confinement(app, &shell);
        let selection = &options.selection;
        let plan = ToolPlan::new(options.preset, selection).with_outputs(outputs.path());
        let prepared = prepare_tools(app, &Recording::none(), &root, plan, &shell)?;
        let toolbox = prepared.start_processes().await;
        let toolbox = match &selection.mode {
            Some(mode) => toolbox.in_mode(&find_mode(toolbox.modes(), mode)?.slug)?,
            None => toolbox,
        };
        let policy = add_reachable(&selection.embeddings, load_policy(app, &root, policy)?)?;
        Ok(Self {
            toolbox,
            epoch: policy.epoch(),
            policy,
            autonomy: options.autonomy,
            redactor: Redactor::new(collect_folder_secrets(&root)),
            root,
            outputs,
        })
    }

    /// Checks a call and decides about it. Reads files, so it must not run on an async thread.
    fn decide_call(&self, call: &ToolCall) -> Result<DecidedCall, Box<ToolResult>> {
        let checked = self.toolbox.inspect(self.toolbox.check(call)?)?;
        let root = self.root.display().to_string();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut checked = checked;
        checked.facts = checked
            .facts
            .with_links(self.policy.resolve_links())
            .with_autonomy(self.autonomy)
            .with_place(root.as_str(), u64::try_from(now).unwrap_or(u64::MAX))
            // The server does not know the client's conversation, so it assumes untrusted text.
            .with_taint(true)
            .with_secret(self.redactor.contains_secret_in_json(&call.payload.text()));
        let decision = decide(&self.policy, &Grants::default(), &ApprovalHistory::default(), &checked.facts);
        let (facts, spec, epoch) = (&checked.facts, &checked.spec, self.epoch.as_str());
        let digest = Binding { facts, call: &checked.call, spec, root: &root, epoch }.digest();
        Ok(DecidedCall { checked, decision, digest })
    }

    async fn decide_on_thread(self: &Arc<Self>, call: &ToolCall) -> Result<DecidedCall, Box<ToolResult>> {
        let (served, looked) = (Arc::clone(self), call.clone());
        tokio::task::spawn_blocking(move || served.decide_call(&looked)).await.unwrap_or_else(|_| {
            Err(refuse(
                call,
                ResultStatus::Error,
                "it was not run: its decision failed with an internal error",
            ))
        })
    }

    async fn decide_and_run(
        self: Arc<Self>,
        call: ToolCall,
        caller: Caller,
    ) -> Result<ToolResult, Box<ToolResult>> {
        if !self.is_served(call.name.as_str()) {
            return Err(refuse(&call, ResultStatus::UnknownTool, "this tool does not exist here"));
        }
        let mut decided = self.decide_on_thread(&call).await?;
        for _ in 0..LOOKS {
            self.permit(&call, &decided, &caller).await?;
            let now = self.decide_on_thread(&call).await?;
            if now.digest == decided.digest || now.decision.verdict == Verdict::Allow {
                return self.run(&now, &caller).await;
            }
            decided = now;
        }
        let text = "stale_approval: not run, because its effects kept changing while its approval was \
                    requested";
        Err(refuse(&call, ResultStatus::Denied, text))
    }

    /// Returns `Ok` if policy allows the call or the client's user approves it, otherwise the result of the
    /// refusal.
    async fn permit(
        &self,
        call: &ToolCall,
        decided: &DecidedCall,
        caller: &Caller,
    ) -> Result<(), Box<ToolResult>> {
        let reason = &decided.decision.reason;
        match decided.decision.verdict {
            Verdict::Allow => return Ok(()),
            Verdict::Deny => {
                let text = format!("policy does not allow this: {} (rule {})", reason.text, reason.rule_id);
                return Err(refuse(call, ResultStatus::Denied, text));
            }
            Verdict::Ask => {}
        }
        let patience = Duration::from_millis(DEFAULT_TIMEOUT_MS);
        match tokio::time::timeout(patience, caller.confirm(self.question(decided))).await {
            Ok(Confirmation::Yes) => Ok(()),
            Ok(Confirmation::No(comment)) => {
                let why = comment.map(|comment| format!(": {comment}")).unwrap_or_default();
                Err(refuse(call, ResultStatus::Denied, format!("the user denied the call{why}")))
            }
            Ok(Confirmation::Nobody) => Err(refuse(
                call,
                ResultStatus::Denied,
                format!(
                    "not run: policy asks before this call ({}; rule {}), and this client cannot ask its user \
                     (it has no elicitation). The user of the server can allow it with a rule in the policy file, or \
                     with a higher autonomy of the server",
                    reason.text, reason.rule_id
                ),
            )),
            Err(_) => {
                let text = "not run: the question was not answered in time (rule t.timeout)";
                Err(refuse(call, ResultStatus::TimedOut, text))
            }
        }
    }

    /// Returns the question for the user. It shows the same content that was hashed and that will run
    /// (RULES H14), with secrets removed.
    fn question(&self, decided: &DecidedCall) -> String {
        let DecidedCall { checked, decision, digest } = decided;
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
    async fn run(
        self: &Arc<Self>,
        decided: &DecidedCall,
        caller: &Caller,
    ) -> Result<ToolResult, Box<ToolResult>> {
        let call = &decided.checked.call;
        let (teller, human) = (caller.clone(), Arc::new(caller.clone()));
        let ctx = Context::new(call.id.clone())
            .with_cancellation(caller.cancellation().clone())
            .with_outputs(self.outputs.path())
            .with_redactor(self.redactor.clone())
            .with_human(human)
            .with_path_gate(decided.checked.path_gate(&self.policy))
            .with_progress(move |progress| teller.tell(progress));
        let still = async {
            let now = self.decide_on_thread(call).await?;
            if now.digest == decided.digest {
                return Ok(());
            }
            let text = "stale_approval: not run, because the call changed after the decision; check the \
                        current state, and repeat it if it is still correct";
            Err(refuse(call, ResultStatus::Denied, text))
        };
        let ran = self.toolbox.run_rechecked(&decided.checked, &ctx, still).await;
        ran.map_err(|error| refuse(call, ResultStatus::Error, error.to_string()))
    }

    fn is_served(&self, name: &str) -> bool {
        self.tools().iter().any(|(spec, _)| spec.name().as_str() == name)
    }
}

impl ToolHost for ServedTools {
    fn tools(&self) -> Vec<(ToolSpec, Hints)> {
        let is_of_a_run = |spec: &ToolSpec| OF_A_RUN.contains(&spec.name().as_str());
        let offered = self.toolbox.tool_specs().into_iter();
        offered.filter(|(spec, hints)| hints.control == Control::None && !is_of_a_run(spec)).collect()
    }

    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture {
        Box::pin(async move { self.decide_and_run(call, caller).await.unwrap_or_else(|refused| *refused) })
    }
}

fn refuse(call: &ToolCall, status: ResultStatus, text: impl Into<String>) -> Box<ToolResult> {
    Box::new(ToolResult::text(call.id.clone(), status, text))
}

impl std::fmt::Debug for ServedTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServedTools")
            .field("root", &self.root)
            .field("autonomy", &self.autonomy)
            .field("toolbox", &self.toolbox)
            .finish_non_exhaustive()
    }
}
