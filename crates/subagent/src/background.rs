//! The start of background agents, which work concurrently with the run that started them. The caller knows
//! such an agent by its id, and can send it messages, wait for its report and close it.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::watch;
use windlass_agent::{CallingRun, MessageReceiver, RunOptions};
use windlass_protocol::ResultStatus;
use windlass_tool::{CancellationToken, Context, Output, ToolError};

use crate::AgentDefinition;
use crate::background_agent::{BackgroundAgent, BackgroundReport};
use crate::child::{Child, report_on};
use crate::owner::{Owner, SPAWN_AGENT};
use crate::registry::AgentRegistry;

/// The time that an agent has to end in order after its caller has ended or has closed it.
const GRACE: Duration = Duration::from_secs(5);

/// The report of an agent whose task panicked.
const PANICKED: &str = "the agent ended with an internal error (it panicked); its changes so far remain";

/// Returns the id of an agent: its name and the id of the call that started it. It is the same in every
/// process.
pub(crate) fn id_of(definition: &AgentDefinition, ctx: &Context) -> String {
    format!("{}:{}", definition.name(), ctx.call())
}

impl AgentRegistry {
    /// Starts a background agent, or resumes it from its record.
    pub(crate) fn start_background(
        self: &Arc<Self>,
        run: &CallingRun,
        ctx: &Context,
        definition: &Arc<AgentDefinition>,
        (key, task): (&str, &str),
    ) -> Result<Arc<BackgroundAgent>, ToolError> {
        if let Some(known) = self.find(key) {
            return Ok(known);
        }
        let place = self.place_now(run)?;
        let (input, messages) = MessageReceiver::channel();
        let (sender, report) = watch::channel(None);
        let stop = run.end_token().child_token();
        let caller_ended = run.end_token().clone();
        let (name, input) = (definition.name().to_owned(), Some(input));
        let agent = Arc::new(BackgroundAgent { name, input, report, stop: stop.clone(), caller_ended });
        self.keep(key, &agent);
        let (registry, run, ctx) = (Arc::clone(self), run.clone(), ctx.clone());
        let (definition, task, key) = (Arc::clone(definition), task.to_owned(), key.to_owned());
        tokio::spawn(async move {
            let _place = place;
            let (definition, tool) = (&*definition, SPAWN_AGENT);
            let child = Child { registry: &registry, run: &run, definition, tool, key };
            let options = RunOptions::default()
                .with_shared_budget(run.shared_budget().clone())
                .with_cancellation(stop.clone());
            let ended = tokio::select! {
                biased;
                ended = AssertUnwindSafe(child.perform(&ctx, &task, options, Some(messages))).catch_unwind() => {
                    ended.map_or_else(|_| BackgroundReport { state: "failed", text: PANICKED.to_owned() }, to_report)
                }
                () = overdue(&stop) => BackgroundReport { state: "stopped", text: String::new() },
            };
            sender.send_replace(Some(ended));
        });
        Ok(agent)
    }

    /// Returns the agent with this id, and resumes it if another process started it.
    pub(crate) fn find_background(
        self: &Arc<Self>,
        run: &CallingRun,
        ctx: &Context,
        id: &str,
    ) -> Result<Arc<BackgroundAgent>, ToolError> {
        let unknown =
            || ToolError::model(format!("unknown agent {id}")).with_advice("spawn_agent returns the ids.");
        let (name, call) = id.split_once(':').ok_or_else(unknown)?;
        let key = format!("{}/{call}", run.id());
        if let Some(known) = self.find(&key) {
            return if known.name == name { Ok(known) } else { Err(unknown()) };
        }
        let definition = self.definition(name)?;
        let unreadable =
            |error| ToolError::model(format!("the record of the agent {id} cannot be read: {error}"));
        // The model may have invented the id, so this lookup must not create a journal.
        let journal = self.journals.find(&key).map_err(unreadable)?.ok_or_else(unknown)?;
        let records = journal.records().map_err(unreadable)?;
        drop(journal);
        if records.is_empty() {
            return Err(unknown());
        }
        // With an invented id the model could also continue the record of one agent with the rights of
        // another.
        Owner { key: &key, definition: &definition, tool: SPAWN_AGENT }.check(&records)?;
        if let Some(text) = report_on(&records) {
            let ended = Arc::new(BackgroundAgent::from_record(name, text, run));
            self.keep(&key, &ended);
            return Ok(ended);
        }
        // The record already contains the task.
        self.start_background(run, ctx, &definition, (&key, ""))
    }

    fn find(&self, key: &str) -> Option<Arc<BackgroundAgent>> {
        self.lock().get(key).filter(|known| !known.caller_ended.is_cancelled()).cloned()
    }

    /// Stores an agent, and removes the agents whose callers have ended.
    fn keep(&self, key: &str, agent: &Arc<BackgroundAgent>) {
        let mut all = self.lock();
        all.retain(|_, known| !known.caller_ended.is_cancelled());
        all.insert(key.to_owned(), Arc::clone(agent));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, std::collections::BTreeMap<String, Arc<BackgroundAgent>>> {
        self.background.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn overdue(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

fn to_report(ended: Result<Output, ToolError>) -> BackgroundReport {
    match ended {
        Ok(output) => {
            let state = if output.status == ResultStatus::Ok { "done" } else { "stopped" };
            BackgroundReport { state, text: output.words() }
        }
        Err(ToolError::Deferred) => {
            let text = "it waits for an answer that cannot be given here".to_owned();
            BackgroundReport { state: "waits for an answer", text }
        }
        Err(error) => BackgroundReport { state: "failed", text: error.to_string() },
    }
}
