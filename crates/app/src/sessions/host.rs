//! The owner of the running sessions of a process.

mod client;
mod edits;
mod requests;
mod rules;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use windlass_agent::SharedGrants;
use windlass_sandbox::EditorFiles;
use windlass_tool::CancellationToken;

use super::answer::Answer;
use super::catalog::Sessions;
use super::continuation::{Continuation, RunChanges};
use super::desk::Desk;
use super::handle::{RunEnd, RunHandle, RunShared};
use super::link::{ForkPoint, SessionLink};
use super::pump;
use super::stream::FeedSource;
use crate::app::App;
use crate::assembly::People;
use crate::config::{RunSettings, Task};
use crate::error::{AppError, Result, ensure};
use crate::feed::{Feed, FeedEvent};
use crate::mcp::ConfiguredServer;
use crate::providers::ProviderOptions;
use crate::runs::{Session, SessionOptions, new_id};

/// Time until a run that is being suspended is looked at for further questions.
const NEXT_QUESTION: Duration = Duration::from_millis(50);

/// Owner of the running sessions of a process, through which every front end starts, continues, watches and answers
/// them. Clones are handles to the same host. Create one for each [`App`].
///
/// A run works in a task of its own and does not depend on readers. Its questions wait for the first answer of any
/// window; without one they time out, and the run is suspended. Dropping the last clone and the last handle stops
/// nothing: use [`stop_all`](Self::stop_all) before the process ends.
///
/// ```no_run
/// use windlass_app::feed::{FeedKind, Question};
/// use windlass_app::sessions::{Answer, RunChanges, SessionHost};
/// use windlass_app::{App, RunSettings};
///
/// # async fn serve(app: App, settings: RunSettings, show: fn(&str)) -> Result<(), windlass_app::AppError> {
/// let host = SessionHost::new(&app)?;
/// let run = host.start(settings).await?;
/// let session = run.session().to_owned();
///
/// // A window: everything from the first event on. Another one may read the same feed from another number on.
/// let mut feed = host.watch(&session, None).await?;
/// loop {
///     let event = feed.next().await?;
///     match event.kind {
///         FeedKind::TextDelta { text, .. } => show(&text),
///         FeedKind::QuestionOpened { question, card: Question::Call { card } } => {
///             show(&card.text);
///             host.answer(&session, &question, Answer::Once { comment: None }, "window 1").await?;
///         }
///         FeedKind::RunEnded { .. } => break,
///         _ => {}
///     }
/// }
///
/// // The conversation goes on in a new run.
/// host.continue_session(&session, "now write the changelog", &RunChanges::default()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SessionHost {
    shared: Arc<HostShared>,
}

pub(super) struct HostShared {
    sessions: Sessions,
    providers: ProviderOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    runs: BTreeMap<String, RunHandle>,
    /// The grants of people for the sessions of this process.
    grants: BTreeMap<String, SharedGrants>,
    /// MCP servers of single sessions, besides the configured ones.
    servers: BTreeMap<String, Vec<ConfiguredServer>>,
    /// Editors that have files of a session's folder open.
    editors: BTreeMap<String, Arc<dyn EditorFiles>>,
}

impl HostShared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FeedSource for HostShared {
    fn feed_of(&self, session: &str) -> Option<Feed> {
        self.lock().runs.get(session).map(|run| run.shared.feed.clone())
    }

    fn read(&self, session: &str, after: Option<u64>) -> Result<Vec<FeedEvent>> {
        let record = self.sessions.find(session)?;
        self.sessions.events(&record, after)
    }
}

impl SessionHost {
    /// Creates the host of a handle's sessions.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown.
    pub fn new(app: &App) -> Result<Self> {
        Ok(Self::with_sessions(Sessions::new(app)?, ProviderOptions::default()))
    }

    /// Creates the host of sessions in any store, with options for every provider.
    pub fn with_sessions(sessions: Sessions, providers: ProviderOptions) -> Self {
        Self { shared: Arc::new(HostShared { sessions, providers, state: Mutex::default() }) }
    }

    /// Returns the sessions: list, find, rename, export, delete and prune.
    pub fn sessions(&self) -> &Sessions {
        &self.shared.sessions
    }

    /// Returns the context window of the model of these settings in tokens: the configured one, or the one in the table of
    /// models. Returns `None` for an unknown window.
    pub fn context_tokens(&self, settings: &RunSettings) -> Option<u64> {
        let configured = Some(settings.context_window).filter(|window| *window > 0);
        let app = self.sessions().app();
        configured.or_else(|| settings.provider.context_tokens(app, &self.shared.providers).ok().flatten())
    }

    /// Returns the handle to the run of a session that works in this process.
    pub fn handle(&self, session: &str) -> Option<RunHandle> {
        self.shared.lock().runs.get(session).cloned()
    }

    /// Returns the handles to all runs that work in this process.
    pub fn handles(&self) -> Vec<RunHandle> {
        self.shared.lock().runs.values().cloned().collect()
    }

    /// Starts a run in a new session.
    ///
    /// # Errors
    ///
    /// Fails if a setting cannot be used, or if a record cannot be written.
    pub async fn start(&self, settings: RunSettings) -> Result<RunHandle> {
        self.start_linked(settings, SessionLink::default()).await
    }

    /// Returns the id of a session that [`start_as`](Self::start_as) starts later. Protocols that name a session before
    /// its first task need it.
    ///
    /// # Errors
    ///
    /// Fails if the system has no random bytes.
    pub fn reserve_id(&self) -> Result<String> {
        new_id()
    }

    /// Starts a run in a new session with an id of [`reserve_id`](Self::reserve_id).
    ///
    /// # Errors
    ///
    /// Fails if the id is malformed or has a run, or like [`start`](Self::start).
    pub async fn start_as(&self, id: &str, settings: RunSettings) -> Result<RunHandle> {
        let link = SessionLink { id: Some(id.to_owned()), ..SessionLink::default() };
        self.start_linked(settings, link).await
    }

    /// Continues a session with a task: an ended run by a new run on its history, a run whose process was killed by
    /// resuming it.
    ///
    /// # Errors
    ///
    /// Fails if the session is active or waits for an answer, or like [`start`](Self::start).
    pub async fn continue_session(
        &self,
        session: &str,
        task: impl Into<Task>,
        changes: &RunChanges,
    ) -> Result<RunHandle> {
        let (session, task, changes) = (session.to_owned(), task.into(), changes.clone());
        let next = self.on_sessions(move |sessions| sessions.continue_with(&session, task, &changes));
        self.proceed(next.await?).await
    }

    /// Starts a new session with the conversation of another one until a point of its newest run.
    ///
    /// # Errors
    ///
    /// Fails if the point does not exist, or like [`start`](Self::start).
    pub async fn fork(
        &self,
        session: &str,
        point: &ForkPoint,
        task: impl Into<Task>,
        changes: &RunChanges,
    ) -> Result<RunHandle> {
        let (session, point) = (session.to_owned(), point.clone());
        let (task, changes) = (task.into(), changes.clone());
        let next = self.on_sessions(move |sessions| sessions.fork_with(&session, &point, task, &changes));
        self.proceed(next.await?).await
    }

    async fn proceed(&self, next: Continuation) -> Result<RunHandle> {
        match next {
            Continuation::NewRun { settings, link } => self.start_linked(settings, link).await,
            Continuation::Resume { folder } => self.resume(&folder.id).await,
        }
    }

    /// Resumes the newest run of a session with the answers that were stored for it.
    ///
    /// # Errors
    ///
    /// Fails if the run is completed, if its records cannot be read, or if another process works on it.
    pub async fn resume(&self, session: &str) -> Result<RunHandle> {
        let name = session.to_owned();
        let find = move |sessions: &Sessions| {
            let record = sessions.find(&name)?;
            let folder = sessions.newest_folder(&record)?;
            Ok::<_, AppError>((record, folder))
        };
        let (record, folder) = self.on_sessions(find).await?;
        ensure!(self.handle(&record.id).is_none(), Conflict, "session {} works already", record.id);
        let (servers, editor) = (self.servers_of(&record.id), self.editor_of(&record.id));
        let (options, desk, notes) = self.options(SessionLink { servers, editor, ..SessionLink::default() });
        let app = self.sessions().app();
        let session = Session::resume(app, folder, &options, false).await?;
        Ok(self.run(session, desk, notes, options.cancellation))
    }

    async fn start_linked(&self, settings: RunSettings, mut link: SessionLink) -> Result<RunHandle> {
        let known = link.session.as_ref().map(|session| session.id.clone());
        let grants = known.as_ref().and_then(|session| self.shared.lock().grants.get(session).cloned());
        let grants = grants.unwrap_or_default();
        link.grants = Some(grants.clone());
        if let Some(session) = known.as_ref().or(link.id.as_ref()) {
            (link.servers, link.editor) = (self.servers_of(session), self.editor_of(session));
        }
        let (options, desk, notes) = self.options(link);
        let session = Session::start(self.sessions().app(), settings, &options).await?;
        self.shared.lock().grants.insert(session.feed.session().to_owned(), grants);
        Ok(self.run(session, desk, notes, options.cancellation))
    }

    fn options(&self, link: SessionLink) -> (SessionOptions, Desk, Notes) {
        let (desk, notes) = Desk::new();
        let mut options = SessionOptions::new(People::at_desk(desk.clone()));
        options.providers = self.shared.providers.clone();
        options.sessions = Some(self.sessions().store());
        options.link = link;
        (options, desk, notes)
    }

    /// Runs a session in a task of its own.
    fn run(&self, session: Session, desk: Desk, notes: Notes, cancellation: CancellationToken) -> RunHandle {
        let (end, _) = watch::channel(None);
        let id = session.feed.session().to_owned();
        let feed = Feed::new(session.feed.first_live_seq());
        let (folder, calls, toolbox) =
            (session.folder.clone(), session.calls.clone(), session.toolbox.clone());
        let run = RunShared { session: id.clone(), folder, desk, feed, cancellation, calls, toolbox, end };
        let handle = RunHandle { shared: Arc::new(run) };
        self.shared.lock().runs.insert(id, handle.clone());
        let (host, driven) = (Arc::clone(&self.shared), handle.clone());
        tokio::spawn(async move {
            let end = pump::drive(session, &driven.shared, notes).await;
            finish(&host, &driven, end);
        });
        handle
    }

    /// Stops all runs of this process in order, and waits for their ends.
    pub async fn stop_all(&self) {
        let runs = self.handles();
        for run in &runs {
            run.stop();
        }
        for run in &runs {
            run.wait().await;
        }
    }

    /// Ends all runs of this process, and leaves their open questions for a later answer: a run that waits for
    /// answers is suspended, and the others are stopped in order. Cancel-safe.
    pub async fn suspend_all(&self) {
        let runs = self.handles();
        futures_util::future::join_all(runs.into_iter().map(|run| async move { suspend(&run).await })).await;
    }
}

/// Suspends a run that waits for answers, and stops a run without open questions.
async fn suspend(run: &RunHandle) {
    if run.questions().is_empty() {
        run.stop();
    }
    loop {
        for question in run.questions() {
            // If this fails, an answer of another window came first.
            drop(run.answer(&question.id, Answer::Later, "program"));
        }
        // The run can ask its next question.
        if tokio::time::timeout(NEXT_QUESTION, run.wait()).await.is_ok() {
            return;
        }
    }
}

type Notes = tokio::sync::mpsc::UnboundedReceiver<crate::feed::FeedKind>;

/// Removes a run that has ended from its host.
fn finish(host: &HostShared, run: &RunHandle, end: RunEnd) {
    {
        let mut state = host.lock();
        let is_same =
            state.runs.get(run.session()).is_some_and(|known| Arc::ptr_eq(&known.shared, &run.shared));
        if is_same {
            state.runs.remove(run.session());
        }
    }
    run.shared.feed.end();
    run.shared.end.send_replace(Some(end));
}

impl fmt::Debug for SessionHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionHost").field("runs", &self.handles()).finish_non_exhaustive()
    }
}
