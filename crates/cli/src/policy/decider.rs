//! Decides about hypothetical calls.

use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;
use windlass_app::assembly::{ToolPlan, build_shell, build_toolbox};
use windlass_app::policies::load_policy;
use windlass_app::secrets::collect_folder_secrets;
use windlass_app::{App, Confinement, ToolPreset, ToolSelection, resolve_root};
use windlass_hitl::{ApprovalHistory, Autonomy, Decision, Grants, Policy, decide};
use windlass_protocol::{Arguments, CallId, ResultStatus, ToolCall, ToolName, ToolResult};
use windlass_redact::Redactor;
use windlass_toolbox::Toolbox;

use crate::arguments::AutonomyName;

/// A call in the input of these commands: `{"tool", "input"}`, or `{"name", "arguments"}` as other commands
/// print it. Arguments are JSON or a string with JSON.
#[derive(Deserialize)]
pub(crate) struct AskedCall {
    #[serde(alias = "name")]
    pub(crate) tool: String,
    #[serde(alias = "arguments", default)]
    input: Value,
    /// The decision that `policy test` expects.
    #[serde(default)]
    pub(crate) expect: Option<String>,
    /// The rule that `policy test` expects to decide.
    #[serde(default)]
    pub(crate) rule: Option<String>,
}

impl AskedCall {
    /// Parses lines with one call each.
    pub(crate) fn read(text: &str) -> impl Iterator<Item = anyhow::Result<(usize, Self)>> {
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(|(at, line)| {
            let number = at.saturating_add(1);
            let asked = serde_json::from_str(line).with_context(|| format!("line {number} is not a call"))?;
            Ok((number, asked))
        })
    }
}

/// Decider of calls, which decides like a run in a folder before any answer of a human.
pub(crate) struct Decider {
    toolbox: Toolbox,
    policy: Policy,
    autonomy: Autonomy,
    redactor: Redactor,
}

impl Decider {
    pub(crate) fn new(
        app: &App,
        root: &Path,
        file: Option<&Path>,
        autonomy: AutonomyName,
    ) -> anyhow::Result<Self> {
        let root = resolve_root(root)?;
        let policy = load_policy(app, &root, file)?;
        let shell = build_shell(app, Confinement::Auto, file)?;
        let selection = ToolSelection::default();
        let toolbox = build_toolbox(app, &root, ToolPlan::new(ToolPreset::Full, &selection), &shell)?;
        let redactor = Redactor::new(collect_folder_secrets(&root));
        Ok(Self { toolbox, policy, autonomy: autonomy.autonomy(), redactor })
    }

    /// Returns the decision, or the result of a call that is refused before policy receives it.
    pub(crate) fn decide(&self, asked: &AskedCall) -> anyhow::Result<Result<Decision, ToolResult>> {
        let id = CallId::new("explain")?;
        let text = match &asked.input {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let arguments = match Arguments::parse(text) {
            Ok(arguments) => arguments,
            Err(error) => {
                return Ok(Err(ToolResult::text(id, ResultStatus::InvalidArguments, error.to_string())));
            }
        };
        let Ok(name) = ToolName::new(asked.tool.clone()) else {
            return Ok(Err(ToolResult::text(
                id,
                ResultStatus::UnknownTool,
                "the name is not a valid tool \
                 name",
            )));
        };
        let call = ToolCall::function(id, name, arguments);
        let checked = self.toolbox.check(&call).and_then(|checked| self.toolbox.inspect(checked));
        Ok(checked
            .map(|checked| {
                let has_secret = self.redactor.contains_secret_in_json(&call.payload.text());
                let facts = checked.facts.with_links(self.policy.resolve_links());
                let facts = facts.with_autonomy(self.autonomy).with_secret(has_secret);
                decide(&self.policy, &Grants::default(), &ApprovalHistory::default(), &facts)
            })
            .map_err(|result| *result))
    }
}
