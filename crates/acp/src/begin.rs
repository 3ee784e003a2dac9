//! The run of a prompt: one that starts, continues or resumes, or the one that works and receives the prompt as a message.

use windlass_agent::DeliverAt;
use windlass_app::sessions::{OpenQuestion, RunChanges, RunHandle, SessionState};
use windlass_app::{RunSettings, Task};

use crate::answers::{answer, answer_stored, check_words_only, is_call, words};
use crate::connection::Connection;
use crate::followed_run::FollowedRun;
use crate::rpc::RpcError;
use crate::sessions::{EditorSession, PromptSlot};
use crate::stored::{on_sessions, read_settings, remove_draft};

/// The command that compacts the conversation of a session.
const COMPACT: &str = "/compact";

/// The run that works on a prompt.
pub(crate) struct PromptRun {
    pub(crate) run: FollowedRun,
    /// The number of the last event that the client has.
    pub(crate) after: u64,
    /// The questions about calls that were asked before the prompt.
    pub(crate) questions: Vec<OpenQuestion>,
}

impl PromptRun {
    fn new(run: RunHandle, after: u64) -> Self {
        Self { run: FollowedRun::Here(run), after, questions: Vec::new() }
    }
}

/// Starts, continues or resumes the session with the task, or sends it to the run that works on the session. Returns
/// `None` if the prompt was cancelled while the client was asked.
pub(crate) async fn begin(
    connection: &Connection,
    slot: &PromptSlot,
    task: &Task,
) -> Result<Option<PromptRun>, RpcError> {
    let text = task.text.as_str();
    let (host, id) = (&connection.shared.host, slot.id.as_str());
    let session = connection.sessions.get(id)?;
    if !session.is_started {
        return start(connection, id, session, task).await.map(Some);
    }
    let after = match session.last_seq {
        Some(seq) => seq,
        None => host.read(id, None).await?.last().map_or(0, |event| event.seq),
    };
    let (name, handle) = (slot.id.clone(), host.handle(id));
    let record = on_sessions(connection, move |sessions| sessions.find(&name)).await?;
    let working = match handle {
        Some(run) => Some(FollowedRun::Here(run)),
        None if record.state.is_active() => {
            record.newest_run().map(|run| FollowedRun::Elsewhere(run.id.clone()))
        }
        None => None,
    };
    if let Some(run) = working {
        let (questions, others): (Vec<_>, Vec<_>) =
            host.questions(id).await?.into_iter().partition(|question| is_call(&question.card));
        match others.first() {
            Some(question) => {
                check_words_only(task)?;
                answer(host, id, &question.id, words(text)).await?;
            }
            None => send(connection, id, task).await?,
        }
        return Ok(Some(PromptRun { run, after, questions }));
    }
    if record.state != SessionState::Suspended {
        if is_compaction(task)
            && let Some(run) = host.compact(id).await?
        {
            return Ok(Some(PromptRun::new(run, after)));
        }
        let mut changes = RunChanges::default();
        changes.autonomy = (record.autonomy != session.autonomy).then_some(session.autonomy);
        let RunSettings { mut provider, request, .. } = read_settings(connection, record).await?;
        if provider.model != session.model {
            provider.model = session.model;
            changes.provider = Some(provider);
        }
        changes.effort = session.effort.filter(|effort| request.reasoning != Some(*effort));
        let run = host.continue_session(id, task.clone(), &changes).await?;
        return Ok(Some(PromptRun::new(run, after)));
    }
    if !answer_stored(connection, slot, task).await? {
        return Ok(None);
    }
    Ok(Some(PromptRun::new(host.resume(id).await?, after)))
}

/// Starts the first run of a session with the task.
async fn start(
    connection: &Connection,
    id: &str,
    session: EditorSession,
    task: &Task,
) -> Result<PromptRun, RpcError> {
    let mut settings = connection.shared.template.clone().with_task(task.clone());
    (settings.root, settings.autonomy) = (session.root, session.autonomy);
    settings.provider.model = session.model;
    settings.request.reasoning = session.effort;
    let run = connection.shared.host.start_as(id, settings).await?;
    connection.sessions.update(id, |session| session.is_started = true)?;
    remove_draft(connection, id).await?;
    Ok(PromptRun::new(run, 0))
}

/// Sends the content of a prompt to the run of a session, or requests a compaction.
async fn send(connection: &Connection, session: &str, task: &Task) -> Result<(), RpcError> {
    let host = &connection.shared.host;
    if is_compaction(task) {
        return host.compact(session).await.map(drop).map_err(RpcError::from);
    }
    Ok(host.send(session, task.clone(), DeliverAt::NextTurn).await?)
}

/// Returns true if a prompt is the command that compacts the conversation.
fn is_compaction(task: &Task) -> bool {
    task.parts.is_empty() && task.text.trim() == COMPACT
}
