//! The engine as a host assembles it: tools on a workspace, the setup's policy, and learned answers.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde_json::{Map, Value, json};
use windlass_hitl::{ApprovalHistory, AskOutcome, Autonomy, Decision, Grants, Policy, PolicyInput, decide};
use windlass_protocol::{Arguments, CallId, Payload, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};
use windlass_redact::Redactor;
use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_toolbox::{CheckedCall, Preset, ToolConfig, Toolbox};
use windlass_tools_web::Fetch;

use crate::scene::{CountingDialer, FakeNames, Scene};
use crate::setup::{EarlierAnswers, Otherwise, Setup};
use crate::{confine, lessons, rules};

/// The parts that decide about calls and run them.
pub(crate) struct Engine {
    pub(crate) toolbox: Toolbox,
    pub(crate) policy: Policy,
    pub(crate) mode: Autonomy,
    pub(crate) learned: ApprovalHistory,
    pub(crate) scope: String,
    pub(crate) redactor: Redactor,
}

/// The engine's decision of a call.
pub(crate) enum EngineDecision {
    /// Refused before the policy was consulted.
    Refused(ToolResult),
    Decided(Box<CheckedCall>, Decision),
}

impl Engine {
    pub(crate) fn new(scene: &Scene, setup: &Setup) -> anyhow::Result<Self> {
        Self::with_tools(scene, setup, Vec::new())
    }

    /// Creates the engine with additional tools.
    pub(crate) fn with_tools(
        scene: &Scene,
        setup: &Setup,
        further: Vec<Arc<dyn Tool>>,
    ) -> anyhow::Result<Self> {
        let workspace = Arc::new(Workspace::open(&scene.workspace)?);
        let toolbox = Toolbox::builder()
            .tools(windlass_tools_fs::tools(&workspace))
            .tools(windlass_tools_edit::tools(&workspace))
            .tools(windlass_tools_search::tools(&workspace))
            .tools(windlass_tools_shell::tools_with(&workspace, &confine::shell(scene, setup)?))
            .tools(windlass_tools_web::tools(&Arc::new(fetch(scene, setup)?)))
            .tools(further)
            .with_known_aliases()
            .config(ToolConfig::new(Preset::Full))
            .build()?;
        let policy = rules::policy(&setup.rules, &scene.workspace)?;
        let learned = ApprovalHistory::new(policy.epoch());
        let mode = match setup.otherwise {
            Otherwise::Ask => Autonomy::Ask,
            Otherwise::Deny => Autonomy::Headless,
            Otherwise::Allow => Autonomy::AutoEdit,
        };
        let scope = scene.workspace.display().to_string();
        let secrets = setup.secrets.iter().chain([&scene.secret]).map(|secret| secret.as_str().into());
        Ok(Self { toolbox, policy, mode, learned, scope, redactor: Redactor::new(secrets) })
    }

    /// Returns true if the tool exists.
    pub(crate) fn has(&self, tool: &str) -> bool {
        self.toolbox.tool_specs().iter().any(|(spec, _)| spec.name().as_str() == tool)
    }

    /// Teaches the engine the answers of a setup to calls like this one.
    pub(crate) fn teach(&mut self, heard: &[EarlierAnswers], call: &ToolCall) -> anyhow::Result<()> {
        for heard in heard {
            let Some(example) = lessons::example(heard, call, &self.scope)? else { continue };
            let Ok(checked) = self.look(&example) else { continue };
            let facts = self.place_facts(checked.facts, now_ms().saturating_sub(1000));
            self.hear(heard, &facts);
        }
        Ok(())
    }

    pub(crate) fn hear(&mut self, heard: &EarlierAnswers, facts: &PolicyInput) {
        // A denial before a lesson exists is only counted, so this order teaches most easily.
        let counts = [
            (heard.denied, AskOutcome::Denied),
            (heard.unanswered, AskOutcome::Unanswered),
            (heard.approved, AskOutcome::Approved),
        ];
        for (count, answer) in counts {
            for _ in 0..count {
                self.learned.record(facts, answer);
            }
        }
    }

    /// Creates a call with these arguments, or returns the refusal of invalid arguments.
    pub(crate) fn call(&self, tool: &str, arguments: &str) -> anyhow::Result<Result<ToolCall, ToolResult>> {
        let id = CallId::new("call_1").context("the call's id")?;
        let Ok(name) = ToolName::new(tool) else {
            let text = "the name is not a valid tool name";
            return Ok(Err(ToolResult::text(id, ResultStatus::UnknownTool, text)));
        };
        if let Some(input) = self.free_text(tool, arguments) {
            return Ok(Ok(ToolCall::new(id, name, Payload::Custom { input })));
        }
        Ok(match Arguments::parse(arguments) {
            Ok(arguments) => Ok(ToolCall::function(id, name, arguments)),
            Err(error) => Err(ToolResult::text(id, ResultStatus::InvalidArguments, error.to_string())),
        })
    }

    /// Returns the same call as a step of a scripted model.
    pub(crate) fn step(&self, tool: &str, arguments: &str) -> Value {
        match self.free_text(tool, arguments) {
            Some(text) => json!({"call": {"name": tool, "free_text": text, "id": "call_1"}}),
            None => json!({"call": {"name": tool, "arguments": arguments, "id": "call_1"}}),
        }
    }

    /// Returns the only text of the arguments, if the tool takes free text instead of JSON.
    fn free_text(&self, tool: &str, arguments: &str) -> Option<String> {
        let offered = self.toolbox.tool_specs();
        let (spec, _) = offered.iter().find(|(spec, _)| spec.name().as_str() == tool)?;
        if !matches!(spec, ToolSpec::Freeform { .. }) {
            return None;
        }
        let members: Map<String, Value> = serde_json::from_str(arguments).ok()?;
        let mut texts = members.values();
        match (texts.next().and_then(Value::as_str), texts.next()) {
            (Some(text), None) => Some(text.to_owned()),
            _ => None,
        }
    }

    /// Decides about a call without running it.
    pub(crate) fn decide_call(&self, call: &ToolCall) -> EngineDecision {
        match self.look(call) {
            Err(result) => EngineDecision::Refused(*result),
            Ok(checked) => {
                let decision = self.decide(&checked.facts);
                EngineDecision::Decided(Box::new(checked), decision)
            }
        }
    }

    /// Collects everything that is known of a call before it is decided.
    pub(crate) fn look(&self, call: &ToolCall) -> Result<CheckedCall, Box<ToolResult>> {
        let mut checked = self.toolbox.inspect(self.toolbox.check(call)?)?;
        checked.facts = checked.facts.with_links(self.policy.resolve_links());
        checked.facts = checked.facts.with_secret(self.redactor.contains_secret(&call.payload.text()));
        Ok(checked)
    }

    pub(crate) fn decide(&self, facts: &PolicyInput) -> Decision {
        let facts = self.place_facts(facts.clone(), now_ms());
        decide(&self.policy, &Grants::default(), &self.learned, &facts)
    }

    pub(crate) fn place_facts(&self, facts: PolicyInput, now_ms: u64) -> PolicyInput {
        facts.with_autonomy(self.mode).with_place(self.scope.as_str(), now_ms)
    }
}

/// Creates the fetch tool without a network: names and connections are simulated. A rule that names a
/// loopback address makes that address reachable, and no other private one.
fn fetch(scene: &Scene, setup: &Setup) -> anyhow::Result<Fetch> {
    let names = FakeNames::new(setup.dns.clone());
    let dialer = CountingDialer { dials: scene.dials.clone(), loopback: scene.loopback.address() };
    let mut fetch = Fetch::new().with_resolver(names).with_dialer(dialer);
    for (host, port) in rules::loopbacks(&setup.rules)? {
        fetch = fetch.with_reachable(&host, port)?;
    }
    Ok(fetch)
}

/// Returns the current time for decisions, in milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
