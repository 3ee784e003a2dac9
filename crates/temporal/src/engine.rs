//! The client's side: starting runs, answering them and watching them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use temporalio_client::{
    Client, WorkflowGetResultOptions, WorkflowHandle, WorkflowListOptions, WorkflowQueryOptions,
    WorkflowSignalOptions, WorkflowStartOptions,
};
use windlass_hitl::ApprovalDecision;
use windlass_loop::{BudgetUsage, DeliverAt, Entry, Event, InterruptId};
use windlass_protocol::{Message, ToolResult};

use crate::codec::RunCodec;
use crate::data::RunInput;
use crate::worker::connect;
use crate::workflow::{AgentRun, WORKFLOW};
use crate::{
    Cipher, ContentStore, EngineAddress, EngineError, EventPage, OpenRequests, RunReport, RunSettings, search,
};

/// The interval at which [`RunHandle::watch`] asks for new events.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// A connection to an engine, which starts runs and returns handles of runs.
///
/// ```no_run
/// use std::sync::Arc;
/// use windlass_temporal::{Engine, EngineError, FolderContentStore, RunSettings};
///
/// async fn start() -> Result<(), EngineError> {
///     let content = Arc::new(FolderContentStore::new("/var/lib/windlass/content"));
///     let engine = Engine::connect(&"temporal://127.0.0.1:7233/default".parse()?, content, None).await?;
///     let run = engine.start("run-1", "Fix the failing test.", RunSettings::new("checkout-7")).await?;
///     let report = run.report().await?;
/// #   drop(report);
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct Engine {
    client: Client,
}

/// A handle of a run. Dropping it does not stop the run.
#[derive(Clone)]
pub struct RunHandle {
    id: String,
    client: Client,
}

impl Engine {
    /// Connects to the engine. The content store and the key must be those of the workers.
    ///
    /// # Errors
    /// Returns an error if the engine cannot be reached.
    pub async fn connect(
        address: &EngineAddress,
        content: Arc<dyn ContentStore>,
        cipher: Option<Cipher>,
    ) -> Result<Self, EngineError> {
        Ok(Self { client: connect(address, RunCodec::new(content, cipher)).await? })
    }

    /// Adds the search attributes of runs to the namespace: `WindlassSession`, `WindlassState` and
    /// `WindlassWaitingFor`. Adding them again has no effect.
    ///
    /// # Errors
    /// Returns an error if the server refuses the attributes.
    pub async fn register_search_attributes(&self) -> Result<(), EngineError> {
        search::register(&self.client).await
    }

    /// Starts a run with this id. An id is used once: while the run works, a second start is refused.
    ///
    /// # Errors
    /// Returns an error if the engine refuses the start.
    pub async fn start(
        &self,
        id: &str,
        task: impl Into<String>,
        settings: RunSettings,
    ) -> Result<RunHandle, EngineError> {
        let options = WorkflowStartOptions::new(settings.queue.clone(), id)
            .task_timeout(settings.timeouts.workflow_task)
            .build();
        let input = RunInput { task: task.into(), settings, carried: None };
        let started = self.client.start_workflow(AgentRun::run, input, options).await;
        started.map_err(|error| EngineError::from_refusal("start the run", &error))?;
        Ok(self.run(id))
    }

    /// Returns the ids of the runs that have not ended, newest first, at most `limit`. The engine's list can be
    /// seconds behind.
    ///
    /// # Errors
    /// Returns an error if the engine refuses the list.
    pub async fn list_active(&self, limit: usize) -> Result<Vec<String>, EngineError> {
        let query = format!("WorkflowType = '{WORKFLOW}' AND ExecutionStatus = 'Running'");
        let options = WorkflowListOptions::builder().limit(limit).build();
        let listed = self.client.list_workflows(query, options);
        let ids = listed.map_ok(|workflow| workflow.id().to_owned()).try_collect();
        ids.await.map_err(|error| EngineError::from_refusal("list the runs", &error))
    }

    /// Returns a handle of the run with this id.
    pub fn run(&self, id: &str) -> RunHandle {
        RunHandle { id: id.to_owned(), client: self.client.clone() }
    }
}

impl RunHandle {
    /// Returns the id of the run.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn workflow(&self) -> WorkflowHandle<Client, AgentRun> {
        self.client.get_workflow_handle(&self.id)
    }

    /// Answers an approval request.
    ///
    /// # Errors
    /// Returns an error if the engine does not accept the answer. An answer to a request that is not open is
    /// accepted and reported as `Event::AnswerRefused`.
    pub async fn answer(&self, decision: ApprovalDecision) -> Result<(), EngineError> {
        let sent =
            self.workflow().signal(AgentRun::approval, decision, WorkflowSignalOptions::default()).await;
        sent.map_err(|error| EngineError::from_refusal("deliver the answer", &error))
    }

    /// Sends a message for the model. The run accepts each id once.
    ///
    /// # Errors
    /// Returns an error if the engine does not accept the message.
    pub async fn say(
        &self,
        id: Option<String>,
        text: impl Into<String>,
        when: DeliverAt,
    ) -> Result<(), EngineError> {
        let message = (id, text.into(), when);
        let sent = self.workflow().signal(AgentRun::say, message, WorkflowSignalOptions::default()).await;
        sent.map_err(|error| EngineError::from_refusal("deliver the message", &error))
    }

    /// Answers a question about how the run continues. `None` means no answer.
    ///
    /// # Errors
    /// Returns an error if the engine does not accept the answer.
    pub async fn reply(&self, id: InterruptId, words: Option<String>) -> Result<(), EngineError> {
        let sent =
            self.workflow().signal(AgentRun::reply, (id, words), WorkflowSignalOptions::default()).await;
        sent.map_err(|error| EngineError::from_refusal("deliver the answer", &error))
    }

    /// Delivers the result of a deferred call.
    ///
    /// # Errors
    /// Returns an error if the engine does not accept the result.
    pub async fn deliver(&self, result: ToolResult) -> Result<(), EngineError> {
        let sent = self.workflow().signal(AgentRun::deliver, result, WorkflowSignalOptions::default()).await;
        sent.map_err(|error| EngineError::from_refusal("deliver the result", &error))
    }

    /// Stops the run in order: every call still gets a result.
    ///
    /// # Errors
    /// Returns an error if the engine does not accept the request.
    pub async fn stop(&self) -> Result<(), EngineError> {
        let sent = self.workflow().signal(AgentRun::stop, (), WorkflowSignalOptions::default()).await;
        sent.map_err(|error| EngineError::from_refusal("stop the run", &error))
    }

    /// Returns the answers that the run waits for. Queries need a worker.
    ///
    /// # Errors
    /// Returns an error if the engine or a worker does not answer.
    pub async fn waits(&self) -> Result<OpenRequests, EngineError> {
        let answer = self.workflow().query(AgentRun::waits, (), WorkflowQueryOptions::default()).await;
        answer.map_err(|error| EngineError::from_refusal("query the run", &error))
    }

    /// Returns the usage of the run.
    ///
    /// # Errors
    /// Returns an error if the engine or a worker does not answer.
    pub async fn used(&self) -> Result<BudgetUsage, EngineError> {
        let answer = self.workflow().query(AgentRun::used, (), WorkflowQueryOptions::default()).await;
        answer.map_err(|error| EngineError::from_refusal("query the run", &error))
    }

    /// Returns the newest messages of the conversation.
    ///
    /// # Errors
    /// Returns an error if the engine or a worker does not answer.
    pub async fn transcript_tail(&self, count: usize) -> Result<Vec<Message>, EngineError> {
        let answer =
            self.workflow().query(AgentRun::transcript, count, WorkflowQueryOptions::default()).await;
        answer.map_err(|error| EngineError::from_refusal("query the run", &error))
    }

    /// Returns the events from this number on. A run keeps its newest 1,000 events.
    ///
    /// # Errors
    /// Returns an error if the engine or a worker does not answer.
    pub async fn events(&self, first: u64) -> Result<EventPage, EngineError> {
        let answer = self.workflow().query(AgentRun::events, first, WorkflowQueryOptions::default()).await;
        answer.map_err(|error| EngineError::from_refusal("query the run", &error))
    }

    /// Returns the entries of the record from this position on.
    ///
    /// # Errors
    /// Returns an error if the engine or a worker does not answer.
    pub async fn record(&self, first: usize) -> Result<Vec<Entry>, EngineError> {
        let answer = self.workflow().query(AgentRun::record, first, WorkflowQueryOptions::default()).await;
        answer.map_err(|error| EngineError::from_refusal("query the run", &error))
    }

    /// Passes the events of the run to `show`, from this number on, until the run ends. Without a worker it
    /// waits for one.
    ///
    /// # Errors
    /// Returns an error if the run ends without a report.
    pub async fn watch(&self, mut first: u64, mut show: impl FnMut(Event)) -> Result<RunReport, EngineError> {
        let mut report = std::pin::pin!(self.report());
        loop {
            let ended = tokio::select! {
                biased;
                report = &mut report => Some(report?),
                () = tokio::time::sleep(WATCH_INTERVAL) => None,
            };
            match (self.events(first).await, ended) {
                (Ok(page), ended) => {
                    first = page.first.saturating_add(page.events.len() as u64);
                    page.events.into_iter().for_each(&mut show);
                    if let Some(report) = ended {
                        return Ok(report);
                    }
                }
                (Err(error), Some(_)) => return Err(error),
                // No worker answers at the moment.
                (Err(_), None) => {}
            }
        }
    }

    /// Waits for the end of the run.
    ///
    /// # Errors
    /// Returns an error if the run ends without a report, because it was terminated or its record contradicts
    /// itself.
    pub async fn report(&self) -> Result<RunReport, EngineError> {
        let result = self.workflow().get_result(WorkflowGetResultOptions::default()).await;
        result.map_err(|error| EngineError::NoReport(crate::error::describe(&error)))
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunHandle").field("id", &self.id).finish_non_exhaustive()
    }
}
