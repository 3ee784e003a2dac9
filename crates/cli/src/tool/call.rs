//! `windlass tool call`: calls by hand, judged as a run judges them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use windlass_hitl::{Decision, Grants, Learned, Policy, Verdict, decide};
use windlass_protocol::{Arguments, CallId, RawJson, ToolCall, ToolName, ToolResult};
use windlass_redact::Redactor;
use windlass_tool::Context;
use windlass_toolbox::Toolbox;

use crate::arguments::{Call, PresetName};
use crate::setup::Offered;
use crate::tape::Tape;
use crate::terminal::Terminal;
use crate::{confine, input, output, policies, secrets, setup};

/// Makes the calls one after the other, until one fails.
pub(crate) async fn call(arguments: Call) -> anyhow::Result<ExitCode> {
    let calls = calls(&arguments)?;
    let place = Place::of(&arguments).await?;
    for call in &calls {
        let (result, decision) = place.make(call).await?;
        tell(&result, decision, arguments.json)?;
        if !result.status.is_ok() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn calls(arguments: &Call) -> anyhow::Result<Vec<ToolCall>> {
    let first = (&arguments.name, &arguments.arguments);
    let then = arguments.then.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
    let mut calls = Vec::new();
    for (position, (name, text)) in std::iter::once(first).chain(then).enumerate() {
        let text = if text == "-" { input::text(Path::new("-"))? } else { text.clone() };
        calls.push(ToolCall::function(
            CallId::new(format!("call_{}", position.saturating_add(1)))?,
            ToolName::new(name.clone())?,
            Arguments::parse(text).context("the arguments are not a JSON object")?,
        ));
    }
    Ok(calls)
}

/// Where the calls are made.
struct Place {
    toolbox: Toolbox,
    policy: Policy,
    redactor: Redactor,
    root: PathBuf,
    /// Long outputs, gone with this process.
    outputs: TempDir,
    is_allowed: bool,
}

impl Place {
    async fn of(arguments: &Call) -> anyhow::Result<Self> {
        let root = setup::root(&arguments.root)?;
        let outputs = tempfile::tempdir().context("a folder for long outputs cannot be made")?;
        let policy = arguments.policy.as_deref();
        let shell = confine::shell(arguments.sandbox, policy)?;
        let offered = Offered { preset: PresetName::Full, offering: &arguments.offering, model: None };
        let toolbox = setup::prepare(&Tape::none(), &root, Some(outputs.path()), offered, &shell)?;
        let toolbox = toolbox.served(&Tape::none()).await;
        Ok(Self {
            toolbox: super::in_mode(toolbox, arguments.offering.mode.as_deref())?,
            policy: arguments.offering.embeddings.reachable(policies::load(&root, policy)?)?,
            redactor: Redactor::new(secrets::of_folder(&root)),
            root,
            outputs,
            is_allowed: arguments.yes,
        })
    }

    async fn make(&self, call: &ToolCall) -> anyhow::Result<(ToolResult, Option<Decision>)> {
        let checked = match self.toolbox.check(call).and_then(|checked| self.toolbox.inspect(checked)) {
            Ok(checked) => checked,
            Err(result) => return Ok((*result, None)),
        };
        let has_secret = self.redactor.contains_secret_in_json(&call.payload.text());
        let facts =
            checked.facts.clone().with_place(self.root.display().to_string(), 0).with_secret(has_secret);
        let decision = decide(&self.policy, &Grants::default(), &Learned::default(), &facts);
        let (rule_id, reason) = (&decision.reason.rule_id, &decision.reason.text);
        match decision.verdict {
            Verdict::Deny => anyhow::bail!("policy denies this call: {reason} (rule {rule_id})"),
            Verdict::Ask if !self.is_allowed => {
                anyhow::bail!("policy asks before this call: {reason} (rule {rule_id}); say yes with --yes")
            }
            Verdict::Ask | Verdict::Allow => {}
        }
        let cancellation = CancellationToken::new();
        let ctx = self.context(call, &cancellation);
        let running = self.toolbox.run(&checked, &ctx);
        tokio::pin!(running);
        let result = tokio::select! {
            result = &mut running => result?,
            _ = tokio::signal::ctrl_c() => {
                cancellation.cancel();
                running.await?
            }
        };
        Ok((result, Some(decision)))
    }

    fn context(&self, call: &ToolCall, cancellation: &CancellationToken) -> Context {
        let ctx = Context::new(call.id.clone())
            .with_cancellation(cancellation.clone())
            .with_outputs(self.outputs.path())
            .with_redactor(self.redactor.clone());
        if Terminal::is_there() { ctx.with_human(Arc::new(Terminal::new())) } else { ctx }
    }
}

fn tell(result: &ToolResult, decision: Option<Decision>, json: bool) -> anyhow::Result<()> {
    if json {
        let decision: Option<RawJson> =
            decision.map(serde_json::to_value).transpose()?.map(|value| RawJson::from(&value));
        output::line(&json!({ "status": result.status, "content": result.content, "decision": decision }))?;
    } else {
        output::print(&format!("{}\n", result.wire_text()))?;
    }
    Ok(())
}
