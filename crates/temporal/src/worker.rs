//! Workers: processes that execute workflows and steps of a task queue.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use temporalio_client::{Client, ClientOptions, Connection, ConnectionOptions, TlsOptions};
use temporalio_common::data_converters::{DataConverter, DefaultFailureConverter, PayloadConverter};
use temporalio_sdk::{Runtime, Worker as EngineWorker, WorkerOptions};
use windlass_agent::Agent;
use windlass_tool::CancellationToken;

use crate::activities::{SendActivity, StepActivities};
use crate::codec::RunCodec;
use crate::error::describe;
use crate::feed::FeedSink;
use crate::observer::StepObserver;
use crate::workflow::AgentRun;
use crate::{Cipher, ContentStore, EngineAddress, EngineError, FeedItem, StepReport};

/// The kinds of work that a worker takes from its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerRole {
    /// Workflows and all steps.
    #[default]
    All,
    /// Requests to the model only, for a queue of its own.
    ModelCalls,
}

/// A worker: it executes the workflows and steps of one task queue with an agent's model, tools and policy.
///
/// Several workers can poll one queue. A run continues on any of them; after the crash of a worker, the steps
/// that may be repeated are repeated on another one.
///
/// ```no_run
/// use std::sync::Arc;
/// use windlass_agent::Agent;
/// use windlass_temporal::{EngineError, FolderContentStore, Worker};
/// use windlass_tool::CancellationToken;
///
/// async fn work(agent: Agent) -> Result<(), EngineError> {
///     let content = Arc::new(FolderContentStore::new("/var/lib/windlass/content"));
///     let worker = Worker::new("temporal://127.0.0.1:7233/default".parse()?, "checkout-7", agent, content);
///     worker.run(CancellationToken::new()).await
/// }
/// ```
pub struct Worker {
    address: EngineAddress,
    queue: String,
    agent: Agent,
    content: Arc<dyn ContentStore>,
    cipher: Option<Cipher>,
    role: WorkerRole,
    outputs: Option<PathBuf>,
    feed: Option<FeedSink>,
    observer: Option<StepObserver>,
    takeover: Duration,
    cached_runs: usize,
}

impl Worker {
    /// Creates a worker for a task queue of the engine at this address. `content` stores large values; all
    /// workers and clients of a run share it.
    pub fn new(
        address: EngineAddress,
        queue: impl Into<String>,
        agent: Agent,
        content: Arc<dyn ContentStore>,
    ) -> Self {
        Self {
            address,
            queue: queue.into(),
            agent,
            content,
            cipher: None,
            role: WorkerRole::default(),
            outputs: None,
            feed: None,
            observer: None,
            takeover: Duration::from_secs(10),
            cached_runs: 250,
        }
    }

    /// Encrypts all payloads, so that the server and the content store hold no readable text of a run.
    pub fn with_cipher(mut self, cipher: Cipher) -> Self {
        self.cipher = Some(cipher);
        self
    }

    /// Sets the kinds of work that the worker takes.
    pub fn with_role(mut self, role: WorkerRole) -> Self {
        self.role = role;
        self
    }

    /// Sets the folder for outputs that are too long for the model; each run gets a folder in it.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// Sets a receiver of the text of answers and calls while they arrive. It must not block.
    pub fn with_feed(mut self, feed: impl Fn(FeedItem) + Send + Sync + 'static) -> Self {
        self.feed = Some(Arc::new(feed));
        self
    }

    /// Sets a receiver of reports about the steps that the worker has executed. It must not block.
    pub fn with_observer(mut self, observer: impl Fn(&StepReport) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Sets the time after which another worker takes over the runs that this worker holds in memory, if it
    /// does not answer. The default is 10 seconds.
    pub fn with_takeover(mut self, after: Duration) -> Self {
        self.takeover = after;
        self
    }

    /// Sets the number of runs that the worker holds in memory. Others are replayed from their history when
    /// something happens to them. The default is 250, of which each takes about 120 KiB.
    pub fn with_cached_runs(mut self, runs: usize) -> Self {
        self.cached_runs = runs;
        self
    }

    /// Executes work until `stop` is cancelled. Steps that run then get 30 seconds to end. The future is not
    /// `Send`.
    ///
    /// # Errors
    /// Returns an error if the engine cannot be reached or the worker fails.
    pub async fn run(self, stop: CancellationToken) -> Result<(), EngineError> {
        let codec = RunCodec::new(Arc::clone(&self.content), self.cipher.clone());
        let client = connect(&self.address, codec.clone()).await?;
        let activities = StepActivities {
            agent: self.agent,
            content: self.content,
            codec,
            outputs: self.outputs,
            feed: self.feed,
            observer: self.observer,
        };
        let options = WorkerOptions::new(self.queue)
            .sticky_queue_schedule_to_start_timeout(self.takeover)
            .max_cached_workflows(self.cached_runs)
            .graceful_shutdown_period(Duration::from_secs(30));
        let options = match self.role {
            WorkerRole::All => options
                .register_activities(activities)
                .register_workflow::<AgentRun>()
                .map_err(|error| to_worker_error(&error))?
                .build(),
            WorkerRole::ModelCalls => options.register_activity::<SendActivity>(Arc::new(activities)).build(),
        };
        let runtime = Runtime::from_current_tokio(temporalio_sdk::runtime::RuntimeOptions::default())
            .map_err(|error| to_worker_error(&error))?;
        let mut worker =
            EngineWorker::new(&runtime, client, options).map_err(|error| to_worker_error(&error))?;
        let shut_down = worker.shutdown_handle();
        let stopping = async {
            stop.cancelled().await;
            shut_down();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            end = worker.run() => end.map_err(|error| to_worker_error(&error)),
            () = stopping => Ok(()),
        }
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("address", &self.address)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

/// Connects to the engine, with the codec of the run's payloads.
pub(crate) async fn connect(address: &EngineAddress, codec: RunCodec) -> Result<Client, EngineError> {
    let refused = |error: &dyn std::error::Error| EngineError::Connect {
        address: address.to_string(),
        message: describe(error),
    };
    let tls = address.is_encrypted().then(|| TlsOptions::builder().build());
    let options = ConnectionOptions::new(address.to_server_url()?)
        .identity(format!("windlass-{}", std::process::id()))
        .maybe_tls_options(tls)
        .build();
    let connection = Connection::connect(options).await.map_err(|error| refused(&error))?;
    let converter =
        DataConverter::new(PayloadConverter::default(), DefaultFailureConverter::default(), codec);
    let options = ClientOptions::new(address.namespace()).data_converter(converter).build();
    Client::new(connection, options).map_err(|error| refused(&error))
}

fn to_worker_error(error: &dyn std::error::Error) -> EngineError {
    EngineError::Worker(describe(error))
}
