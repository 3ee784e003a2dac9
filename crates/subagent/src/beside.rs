//! Agents that work beside the run that began them: known by an id, spoken to, waited for, closed.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use windlass_agent::{CallingRun, Messages, RunOptions, Speaker};
use windlass_protocol::ResultStatus;
use windlass_tool::{Context, Output, ToolError};

use crate::AgentDefinition;
use crate::child::{Child, report_on};
use crate::owner::{Owner, SPAWN_AGENT};
use crate::sub_agents::Shared;

/// How long an agent may take to end in good order when its caller has ended or it was closed.
const GRACE: Duration = Duration::from_secs(5);

/// The report of an agent whose work panicked.
const PANICKED: &str = "the agent ended with an internal error (it panicked); what it had done stays";

/// An agent beside its caller.
pub(crate) struct Beside {
    /// The name of its definition.
    name: String,
    pub(crate) speaker: Option<Speaker>,
    pub(crate) report: watch::Receiver<Option<BesideReport>>,
    pub(crate) stop: CancellationToken,
    /// The end of the run that began it: nobody asks for it after that.
    caller_ended: CancellationToken,
}

/// How its work ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BesideReport {
    /// `done`, `failed`, `stopped` or `waits for an answer`.
    pub(crate) state: &'static str,
    pub(crate) text: String,
}

impl Beside {
    /// One that has ended before this process began.
    fn ended(name: &str, text: String, run: &CallingRun) -> Self {
        let report = Some(BesideReport { state: "done", text });
        Self {
            name: name.to_owned(),
            speaker: None,
            report: watch::channel(report).1,
            stop: CancellationToken::new(),
            caller_ended: run.ended().clone(),
        }
    }
}

/// The id of an agent: what it is, and the call that began it, so that it means the same in every process.
pub(crate) fn id_of(definition: &AgentDefinition, ctx: &Context) -> String {
    format!("{}:{}", definition.name(), ctx.call())
}

impl Shared {
    /// Begins an agent beside its caller, or takes it up from its record.
    pub(crate) fn begin_beside(
        self: &Arc<Self>,
        run: &CallingRun,
        ctx: &Context,
        definition: &Arc<AgentDefinition>,
        (key, task): (&str, &str),
    ) -> Result<Arc<Beside>, ToolError> {
        if let Some(known) = self.known(key) {
            return Ok(known);
        }
        let place = self.place_now(run)?;
        let (speaker, messages) = Messages::channel();
        let (sender, report) = watch::channel(None);
        let stop = run.ended().child_token();
        let caller_ended = run.ended().clone();
        let (name, speaker) = (definition.name().to_owned(), Some(speaker));
        let beside = Arc::new(Beside { name, speaker, report, stop: stop.clone(), caller_ended });
        self.keep(key, &beside);
        let (shared, run, ctx) = (Arc::clone(self), run.clone(), ctx.clone());
        let (definition, task, key) = (Arc::clone(definition), task.to_owned(), key.to_owned());
        tokio::spawn(async move {
            let _place = place;
            let (definition, tool) = (&*definition, SPAWN_AGENT);
            let child = Child { shared: &shared, run: &run, definition, tool, key };
            let options =
                RunOptions::default().with_allowance(run.allowance().clone()).with_cancellation(stop.clone());
            let ended = tokio::select! {
                biased;
                ended = AssertUnwindSafe(child.perform(&ctx, &task, options, Some(messages))).catch_unwind() => {
                    ended.map_or_else(|_| BesideReport { state: "failed", text: PANICKED.to_owned() }, said)
                }
                () = overdue(&stop) => BesideReport { state: "stopped", text: String::new() },
            };
            sender.send_replace(Some(ended));
        });
        Ok(beside)
    }

    /// The agent of an id, which another process may have begun.
    pub(crate) fn find_beside(
        self: &Arc<Self>,
        run: &CallingRun,
        ctx: &Context,
        id: &str,
    ) -> Result<Arc<Beside>, ToolError> {
        let unknown =
            || ToolError::model(format!("there is no agent {id} beside this one; spawn_agent gives ids"));
        let (name, call) = id.split_once(':').ok_or_else(unknown)?;
        let key = format!("{}/{call}", run.id());
        if let Some(known) = self.known(&key) {
            return if known.name == name { Ok(known) } else { Err(unknown()) };
        }
        let definition = self.definition(name)?;
        let unreadable =
            |error| ToolError::model(format!("the record of the agent {id} cannot be read: {error}"));
        // The id comes from the model: one that it invented must make no journal.
        let journal = self.journals.find(&key).map_err(unreadable)?.ok_or_else(unknown)?;
        let records = journal.records().map_err(unreadable)?;
        drop(journal);
        if records.is_empty() {
            return Err(unknown());
        }
        // The id comes from the model, too: it could give the record of one agent the rights of another.
        Owner { key: &key, definition: &definition, tool: SPAWN_AGENT }.check(&records)?;
        if let Some(text) = report_on(&records) {
            let ended = Arc::new(Beside::ended(name, text, run));
            self.keep(&key, &ended);
            return Ok(ended);
        }
        // Its task is on record.
        self.begin_beside(run, ctx, &definition, (&key, ""))
    }

    fn known(&self, key: &str) -> Option<Arc<Beside>> {
        self.lock().get(key).filter(|known| !known.caller_ended.is_cancelled()).cloned()
    }

    /// Keeps one, and forgets those whose callers have ended.
    fn keep(&self, key: &str, beside: &Arc<Beside>) {
        let mut all = self.lock();
        all.retain(|_, known| !known.caller_ended.is_cancelled());
        all.insert(key.to_owned(), Arc::clone(beside));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, std::collections::BTreeMap<String, Arc<Beside>>> {
        self.beside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn overdue(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

fn said(ended: Result<Output, ToolError>) -> BesideReport {
    match ended {
        Ok(output) => {
            let state = if output.status == ResultStatus::Ok { "done" } else { "stopped" };
            BesideReport { state, text: output.words() }
        }
        Err(ToolError::Deferred) => {
            let text = "a question of it waits for an answer that nobody gives here".to_owned();
            BesideReport { state: "waits for an answer", text }
        }
        Err(error) => BesideReport { state: "failed", text: error.to_string() },
    }
}
