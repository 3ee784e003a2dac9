//! A call that a person makes by hand, decided under the same policy as in a run.

use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use windlass_agent::Approver;
use windlass_hitl::{ApprovalHistory, ApprovalRequest, Binding, Decision, Grants, Policy, Verdict, decide};
use windlass_protocol::{ToolCall, ToolResult};
use windlass_redact::Redactor;
use windlass_tool::{CancellationToken, Context, Human};
use windlass_toolbox::{CheckedCall, Toolbox};

use crate::error::{Remedy, Result, bail, ensure};

/// Source of the consent if policy asks.
#[non_exhaustive]
pub enum Consent {
    /// The person consented in advance.
    Given,
    /// No source: the call fails with [`Remedy::Consent`].
    Missing,
    /// This approver.
    Asked(Arc<dyn Approver>),
}

/// Context of the calls: tools, policy, root and consent.
pub struct ManualCalls {
    toolbox: Toolbox,
    policy: Policy,
    redactor: Redactor,
    root: PathBuf,
    /// Temporary folder for long outputs, deleted when the process ends.
    outputs: TempDir,
    consent: Consent,
    /// Person who answers questions of tools.
    human: Option<Arc<dyn Human>>,
}

impl ManualCalls {
    /// Creates the context from tools, policy and root. Consent is missing, and no person answers questions.
    /// `outputs` holds outputs that are too long, and is deleted with this value.
    pub fn new(
        toolbox: Toolbox,
        policy: Policy,
        redactor: Redactor,
        root: PathBuf,
        outputs: TempDir,
    ) -> Self {
        Self { toolbox, policy, redactor, root, outputs, consent: Consent::Missing, human: None }
    }

    /// Sets the source of the consent.
    pub fn with_consent(self, consent: Consent) -> Self {
        Self { consent, ..self }
    }

    /// Sets the person who answers questions of tools.
    pub fn with_human(self, human: Option<Arc<dyn Human>>) -> Self {
        Self { human, ..self }
    }

    /// Decides about a call and runs it if it is allowed. Returns no decision if the call was invalid.
    /// `interrupt` is polled while the call runs; when it completes, the call is cancelled and its result is
    /// awaited.
    ///
    /// # Errors
    ///
    /// Fails if policy or the user denies the call, or if policy asks without a source of consent.
    pub async fn call(
        &self,
        call: &ToolCall,
        interrupt: impl Future<Output = ()>,
    ) -> Result<(ToolResult, Option<Decision>)> {
        let mut checked = match self.toolbox.check(call).and_then(|checked| self.toolbox.inspect(checked)) {
            Ok(checked) => checked,
            Err(result) => return Ok((*result, None)),
        };
        checked.facts = checked.facts.with_links(self.policy.resolve_links());
        let has_secret = self.redactor.contains_secret_in_json(&call.payload.text());
        let facts =
            checked.facts.clone().with_place(self.root.display().to_string(), 0).with_secret(has_secret);
        let decision = decide(&self.policy, &Grants::default(), &ApprovalHistory::default(), &facts);
        let (rule_id, reason) = (&decision.reason.rule_id, &decision.reason.text);
        match (decision.verdict, &self.consent) {
            (Verdict::Deny, _) => bail!(Conflict, "policy denies this call: {reason} (rule {rule_id})"),
            (Verdict::Ask, Consent::Missing) => {
                bail!(
                    Conflict,
                    remedy: Remedy::Consent,
                    "policy asks before this call: {reason} (rule {rule_id})"
                )
            }
            (Verdict::Ask, Consent::Asked(approver)) => self.ask(&checked, &decision, &**approver).await?,
            (Verdict::Ask, Consent::Given) | (Verdict::Allow, _) => {}
        }
        let cancellation = CancellationToken::new();
        let ctx = self.context(call, &cancellation).with_path_gate(checked.path_gate(&self.policy));
        let running = self.toolbox.run(&checked, &ctx);
        tokio::pin!(running);
        let result = tokio::select! {
            result = &mut running => result?,
            () = interrupt => {
                cancellation.cancel();
                running.await?
            }
        };
        Ok((result, Some(decision)))
    }

    async fn ask(&self, checked: &CheckedCall, decision: &Decision, approver: &dyn Approver) -> Result<()> {
        let (root, epoch) = (self.root.display().to_string(), self.policy.epoch());
        let (facts, call, spec) = (&checked.facts, &checked.call, &checked.spec);
        let digest = Binding { facts, call, spec, root: &root, epoch: &epoch }.digest();
        let request = ApprovalRequest::new(call.id.as_str(), call.clone(), facts, decision, digest)
            .with_changes(checked.changes.clone());
        let answer = approver.decide(&request).await;
        let is_yes = answer.as_ref().is_some_and(|answer| answer.approved);
        let why = answer.and_then(|answer| answer.reason).map(|why| format!(": {why}")).unwrap_or_default();
        ensure!(is_yes, Conflict, "not run: you denied the call{why}");
        Ok(())
    }

    fn context(&self, call: &ToolCall, cancellation: &CancellationToken) -> Context {
        let ctx = Context::new(call.id.clone())
            .with_cancellation(cancellation.clone())
            .with_outputs(self.outputs.path())
            .with_redactor(self.redactor.clone());
        match &self.human {
            Some(human) => ctx.with_human(Arc::clone(human)),
            None => ctx,
        }
    }
}

impl std::fmt::Debug for Consent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Given => "Given",
            Self::Missing => "Missing",
            Self::Asked(_) => "Asked(..)",
        })
    }
}

impl std::fmt::Debug for ManualCalls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ManualCalls")
            .field("root", &self.root)
            .field("consent", &self.consent)
            .field("toolbox", &self.toolbox)
            .finish_non_exhaustive()
    }
}
