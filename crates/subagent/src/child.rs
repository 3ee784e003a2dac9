//! The run of an agent below a calling run: its start or resumption, and the report to the caller.

use windlass_agent::{Agent, CallingRun, Entry, MessageReceiver, Outcome, RunLimits, RunOptions};
use windlass_hitl::Autonomy;
use windlass_journal::{Journal, Record};
use windlass_tool::{Context, Output, ToolError, describe_error};

use crate::AgentDefinition;
use crate::owner::Owner;
use crate::registry::AgentRegistry;
use crate::rights::narrow_tools;

/// The part of the system prompt that all agents share.
const ROLE: &str = "You work for another agent and start without its conversation. Your steps are not read: \
                    when you are done, answer in text, without a call. That answer is your report, and the \
                    only thing that the other agent receives.";

/// One task of an agent.
pub(crate) struct Child<'a> {
    pub(crate) registry: &'a AgentRegistry,
    pub(crate) run: &'a CallingRun,
    pub(crate) definition: &'a AgentDefinition,
    /// The name of the called tool.
    pub(crate) tool: &'a str,
    /// The key of the call: the name of the agent's journal and the id of its run.
    pub(crate) key: String,
}

impl Child<'_> {
    /// Runs or resumes the agent and returns its report.
    pub(crate) async fn perform(
        &self,
        ctx: &Context,
        task: &str,
        options: RunOptions,
        messages: Option<MessageReceiver>,
    ) -> Result<Output, ToolError> {
        let journal = self.registry.journals.open(&self.key).map_err(|error| self.to_tool_error(&error))?;
        let records = journal.records().map_err(|error| self.to_tool_error(&error))?;
        let owner = Owner { key: &self.key, definition: self.definition, tool: self.tool };
        owner.check(&records)?;
        // A completed agent returns its recorded report, even if its definition has changed since.
        if let Some(text) = report_on(&records) {
            return Ok(Output::text(text));
        }
        owner.check_definition(&records)?;
        let agent = self.agent()?;
        let options = options.with_journal(journal).with_run_id(self.key.as_str());
        let mut options = options.with_origin(owner.origin());
        if let Some(messages) = messages {
            options = options.with_messages(messages);
        }
        let events = if records.is_empty() {
            agent.stream_with(task, options)
        } else {
            agent.resume(options).map_err(|error| self.to_tool_error(&error))?
        };
        let name = self.definition.name.as_str();
        let outcome = CallingRun::follow(ctx, name, events).await;
        CallingRun::report(name, outcome.map_err(|error| self.to_tool_error(&error))?)
    }

    fn agent(&self) -> Result<Agent, ToolError> {
        let definition = self.definition;
        let mut builder = self.run.agent(definition.name.as_str());
        if let Some(toolbox) = self.run.toolbox() {
            builder = builder.toolbox(narrow_tools(&toolbox.for_agent(), definition));
        }
        if let Some(name) = &definition.model {
            let sourced = self.registry.models.as_ref().and_then(|models| models.model(name));
            let sourced = sourced.ok_or_else(|| {
                ToolError::model(format!("{} was not started: unknown model {name}", definition.name))
            })?;
            builder = builder.budget(sourced.budget()).model(sourced.model, sourced.name);
        }
        if let Some(slug) = &definition.mode {
            builder = builder.work_mode(slug);
        }
        if definition.is_read_only {
            builder = builder.autonomy(Autonomy::ReadOnly);
        }
        let turns = match (definition.turns, self.registry.limits.turns) {
            (None | Some(0), most) => most,
            (Some(turns), 0) => turns,
            (Some(turns), most) => turns.min(most),
        };
        builder
            .system(format!("{}\n\n{ROLE}", definition.prompt))
            .limits(RunLimits { turns, ..self.run.limits() })
            .build()
            .map_err(|error| self.to_tool_error(&error))
    }

    fn to_tool_error(&self, error: &(dyn std::error::Error + 'static)) -> ToolError {
        let (name, cause) = (&self.definition.name, describe_error(error));
        ToolError::model(format!("the agent {name} could not work: {cause}"))
    }
}

/// Returns the report in a record, or `None` if the agent has not completed its task.
pub(crate) fn report_on(records: &[Record]) -> Option<String> {
    match records.last()?.read::<Entry>().ok()? {
        Entry::Finished { outcome: Outcome::Completed { text } } => Some(describe(&text)),
        _ => None,
    }
}

fn describe(text: &str) -> String {
    if text.trim().is_empty() { "the agent is done and reports nothing".to_owned() } else { text.to_owned() }
}
