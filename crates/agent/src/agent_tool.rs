//! An agent as a tool of another agent.

use std::sync::Arc;

use serde_json::Value;
use windlass_hitl::Autonomy;
use windlass_journal::{Journal, Journals, Record};
use windlass_loop::{Entry, Outcome, RunOrigin, UnansweredPolicy};
use windlass_protocol::{Concurrency, Effect, Hints, NameError, Payload, RawJson, Risk, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::Toolbox;

use crate::agent_inner::AgentInner;
use crate::hook_set::HookSet;
use crate::on_behalf::OnBehalf;
use crate::{Agent, CallingRun, RunOptions};

/// The maximum number of agents above an agent.
const MAX_DEPTH: usize = 8;

/// The maximum size of a task in bytes.
pub(crate) const MAX_TASK: usize = 100_000;

/// A tool that gives a task to an agent with tools, a model and a policy of its own, from [`Agent::as_tool`].
///
/// The caller needs none of the agent's tools. The agent decides about its calls with its own policy and autonomy; its
/// questions go to the approver and the human of the calling run, with the path of agents. The caller's hooks see its
/// calls before its own hooks, the caller's secrets are removed from its run, its usage counts in the caller's shared budget, and
/// its events are nested ([`Event::AgentEvent`](crate::Event::AgentEvent)). Starting it is an effect
/// ([`Effect::Spawn`]) about which the caller's policy decides.
///
/// The agent's report counts as text from outside. Its run is recorded in memory, so an interrupted call has unknown
/// effects, unless journals are [set](Self::with_journals).
#[derive(Clone)]
pub struct AgentTool {
    agent: Agent,
    spec: ToolSpec,
    journals: Option<Arc<dyn Journals>>,
}

impl Agent {
    /// Returns a tool that gives a task to this agent. The name is also the agent's name in questions and events.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use windlass_agent::{Agent, AgentError};
    /// # use windlass_stream::Model;
    /// # use windlass_tool::Tool;
    /// # use windlass_toolbox::Toolbox;
    /// fn support(
    ///     model: Arc<dyn Model>,
    ///     lookup: Arc<dyn Tool>,
    /// ) -> Result<Agent, Box<dyn std::error::Error>> {
    ///     let billing = Agent::builder()
    ///         .model(model.clone(), "small-1")
    ///         .toolbox(Toolbox::builder().tool(lookup).build()?)
    ///         .build()?;
    ///     let tools = Toolbox::builder().tool(Arc::new(billing.as_tool("billing", "Answers questions about bills.")?));
    ///     Ok(Agent::builder().model(model, "large-1").toolbox(tools.build()?).build()?)
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the name is not the name of a tool.
    pub fn as_tool(&self, name: impl Into<String>, description: &str) -> Result<AgentTool, NameError> {
        let spec = spec_of(name.into(), description, "task", "Everything that the agent needs to know.")?;
        Ok(AgentTool { agent: self.clone(), spec, journals: None })
    }
}

impl AgentTool {
    /// Sets the journals of the agent's runs, under the idempotency key of the call. An interrupted or suspended call
    /// then continues when the calling run is resumed.
    pub fn with_journals(mut self, journals: impl Journals + 'static) -> Self {
        self.journals = Some(Arc::new(journals));
        self
    }

    fn name(&self) -> &str {
        self.spec.name().as_str()
    }

    /// Returns the agent below a calling run.
    fn build_child(&self, run: &CallingRun) -> Agent {
        let (own, caller) = (self.agent.parts(), &run.parts);
        let mut agents = caller.agents.clone();
        agents.push(self.name().to_owned());
        let human = caller.human.clone().map(|human| Arc::new(OnBehalf::new(human, self.name())) as _);
        let mut config = own.config.clone().with_shared_budget(caller.config.shared_budget.clone());
        config.unanswered = match self.journals {
            Some(_) => caller.config.unanswered,
            // A suspended run in memory could not be resumed.
            None => UnansweredPolicy::default(),
        };
        // Without a human above, the agent's questions get no answer either.
        let autonomy = match caller.autonomy {
            Autonomy::Headless => Autonomy::Headless,
            _ => own.autonomy,
        };
        let mut hooks = HookSet { human: human.clone(), ..caller.hooks.clone() };
        hooks.hooks.extend(own.hooks.hooks.iter().cloned());
        Agent::new(AgentInner {
            model: Arc::clone(&own.model),
            toolbox: own.toolbox.as_ref().map(Toolbox::for_agent),
            policy: own.policy.clone(),
            autonomy,
            work_mode: own.work_mode.clone(),
            approver: Arc::clone(&caller.approver),
            human,
            root: own.root.clone(),
            config,
            speech: own.speech,
            lessons: None,
            redactor: own.redactor.merge(&caller.redactor),
            corrections: own.corrections,
            capabilities: own.capabilities,
            hooks,
            summarizer: own.summarizer.clone(),
            agents,
        })
    }

    async fn perform(&self, ctx: &Context, payload: &Payload) -> Result<Output, ToolError> {
        let task = read_text(payload, "task")?;
        let run = calling_run(ctx)?;
        if run.agents().len() >= MAX_DEPTH {
            return Err(ToolError::model(format!(
                "there are already {MAX_DEPTH} agents above; nothing was started"
            )));
        }
        let fail = |error: &dyn std::error::Error| {
            ToolError::model(format!("the agent {} could not work: {error}", self.name()))
        };
        let mut options = run.options(ctx).with_origin(RunOrigin::new(self.name(), "", self.name()));
        let mut records = Vec::new();
        if let Some(journals) = &self.journals {
            let journal = journals.open(ctx.idempotency_key()).map_err(|error| fail(&error))?;
            records = journal.records().map_err(|error| fail(&error))?;
            options = options.with_journal(journal);
        }
        if let Some(outcome) = read_outcome(&records) {
            return CallingRun::report(self.name(), outcome);
        }
        let events = self.start(run, task, options, &records).map_err(|error| fail(&error))?;
        let outcome = CallingRun::follow(ctx, self.name(), events).await.map_err(|error| fail(&error))?;
        CallingRun::report(self.name(), outcome)
    }

    fn start(
        &self,
        run: &CallingRun,
        task: String,
        options: RunOptions,
        records: &[Record],
    ) -> Result<crate::EventStream, crate::AgentError> {
        let agent = self.build_child(run);
        if records.is_empty() { Ok(agent.stream_with(task, options)) } else { agent.resume(options) }
    }
}

impl Tool for AgentTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints {
            resumable: self.journals.is_some(),
            concurrency: Concurrency::Parallel,
            risk: Risk::Medium,
            open_world: true,
            ..Hints::default()
        }
    }

    fn is_in_presets(&self) -> bool {
        false
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Spawn { agent: self.name().to_owned() }]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(self.perform(ctx, payload))
    }
}

impl std::fmt::Debug for AgentTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentTool")
            .field("name", &self.name())
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}

fn read_outcome(records: &[Record]) -> Option<Outcome> {
    match records.last()?.read::<Entry>().ok()? {
        Entry::Finished { outcome: outcome @ Outcome::Completed { .. } } => Some(outcome),
        _ => None,
    }
}

/// Returns the spec of a tool with one text argument.
pub(crate) fn spec_of(
    name: String,
    description: &str,
    argument: &str,
    about: &str,
) -> Result<ToolSpec, NameError> {
    let name = ToolName::new(name)?;
    let schema = serde_json::json!({
        "type": "object",
        "properties": {argument: {"type": "string", "description": about}},
        "required": [argument],
        "additionalProperties": false,
    });
    let schema: RawJson = schema.to_string().parse().unwrap_or_default();
    Ok(ToolSpec::function(name, description, schema))
}

/// Reads the text argument of a call.
pub(crate) fn read_text(payload: &Payload, argument: &str) -> Result<String, ToolError> {
    let text = match payload {
        Payload::Function { arguments } => {
            arguments.get(argument).and_then(Value::as_str).unwrap_or_default()
        }
        _ => "",
    };
    if text.trim().is_empty() || text.len() > MAX_TASK {
        let text = format!("nothing was started: `{argument}` must be a text of 1 to {MAX_TASK} bytes");
        return Err(ToolError::model(text));
    }
    Ok(text.to_owned())
}

pub(crate) fn calling_run(ctx: &Context) -> Result<&CallingRun, ToolError> {
    CallingRun::from_context(ctx)
        .ok_or_else(|| ToolError::model("this call is not made by an agent; nothing was started"))
}
