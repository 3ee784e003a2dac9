//! Runs: start, continue, fork, resume, answer, message, stop.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use windlass_app::feed::AgentPath;
use windlass_app::providers::Provider;
use windlass_app::sessions::{AnswerPlace, RunChanges, RunHandle, SessionState};
use windlass_app::{RunSettings, Task};

use super::error::ApiError;
use super::extract::{Body, Parameters};
use super::sessions::on_sessions;
use super::values::answers::{AnswerContent, AnswerEffect, NewAnswer, RuleValue};
use super::values::{Changes, Compaction, NewFile, NewFork, NewMessage, NewTask, StartedRun};
use crate::Device;
use crate::state::Shared;

impl Changes {
    /// Returns the provider with the changes of the client.
    fn provider(&self, provider: &Provider) -> Option<Provider> {
        if self.model.is_none() && self.provider.is_none() {
            return None;
        }
        let mut changed = provider.clone();
        if let Some(name) = &self.provider {
            // The address and the format of the server's provider do not belong to another provider.
            (changed.name, changed.base_url, changed.wire) = (Some(name.clone()), None, None);
        }
        if let Some(model) = &self.model {
            changed.model.clone_from(model);
        }
        Some(changed)
    }

    fn changes(self, provider: &Provider) -> RunChanges {
        let mut changes = RunChanges::default();
        changes.provider = self.provider(provider);
        changes.mode = self.mode;
        changes.autonomy = self.autonomy;
        changes
    }

    fn apply(self, settings: &mut RunSettings) {
        if let Some(provider) = self.provider(&settings.provider) {
            settings.provider = provider;
        }
        if let Some(mode) = self.mode {
            settings.offering.mode = Some(mode);
        }
        if let Some(autonomy) = self.autonomy {
            settings.autonomy = autonomy;
        }
    }
}

/// Reads a task with its files, outside of the async threads: pictures are decoded.
async fn read_task(text: String, files: Vec<NewFile>) -> Result<Task, ApiError> {
    if text.trim().is_empty() {
        return Err(ApiError::invalid("the task is empty"));
    }
    if files.is_empty() {
        return Ok(Task::new(text));
    }
    let read = move || {
        files.into_iter().try_fold(Task::new(text), |task, NewFile { name, data }| {
            let bytes = STANDARD.decode(data);
            let bytes = bytes.map_err(|error| ApiError::invalid(format!("{name} is not base64: {error}")))?;
            Ok(task.attach_bytes(bytes, &name)?)
        })
    };
    let failed = |_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "unavailable", "the request failed");
    tokio::task::spawn_blocking(read).await.map_err(failed)?
}

fn report_start(shared: &Shared, run: &RunHandle) -> (StatusCode, Json<StartedRun>) {
    shared.metrics.runs.fetch_add(1, Ordering::Relaxed);
    let value = StartedRun { session: run.session().to_owned(), run: run.run().to_owned() };
    (StatusCode::CREATED, Json(value))
}

/// Starts a session.
pub(super) async fn start(
    State(shared): State<Arc<Shared>>,
    Body(task): Body<NewTask>,
) -> Result<(StatusCode, Json<StartedRun>), ApiError> {
    let content = read_task(task.task, task.files).await?;
    let mut settings = shared.template.clone().with_task(content);
    task.settings.apply(&mut settings);
    let run = shared.host.start(settings).await?;
    Ok(report_start(&shared, &run))
}

/// Continues a session with a task.
pub(super) async fn proceed(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Body(task): Body<NewTask>,
) -> Result<(StatusCode, Json<StartedRun>), ApiError> {
    let content = read_task(task.task, task.files).await?;
    let changes = task.settings.changes(&shared.template.provider);
    let run = shared.host.continue_session(&id, content, &changes).await?;
    Ok(report_start(&shared, &run))
}

/// Starts a session with the beginning of another one.
pub(super) async fn fork(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Body(fork): Body<NewFork>,
) -> Result<(StatusCode, Json<StartedRun>), ApiError> {
    let content = read_task(fork.task, fork.files).await?;
    let changes = fork.settings.changes(&shared.template.provider);
    let run = shared.host.fork(&id, &fork.at.point(), content, &changes).await?;
    Ok(report_start(&shared, &run))
}

/// Resumes the newest run of a session.
pub(super) async fn resume(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<StartedRun>), ApiError> {
    let name = id.clone();
    let record = on_sessions(&shared, move |sessions| sessions.find(&name)).await?;
    if record.state == SessionState::Ended {
        let message = format!("the run of session {} has ended; continue the session with a task", record.id);
        return Err(ApiError::new(StatusCode::CONFLICT, "conflict", message));
    }
    let run = shared.host.resume(&id).await?;
    Ok(report_start(&shared, &run))
}

/// Answers a question. The window is the name of the device.
pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    Extension(device): Extension<Device>,
    Path(id): Path<String>,
    Body(answer): Body<NewAnswer>,
) -> Result<Json<AnswerEffect>, ApiError> {
    let (question, content) = answer.split()?;
    let by = format!("page on {}", device.name);
    let (place, rule) = match content {
        AnswerContent::Answer(answer) => (shared.host.answer(&id, &question, answer, &by).await?, None),
        AnswerContent::Rule { digest, comment } => {
            let answer = (digest.as_str(), comment);
            let (place, rule) = shared.host.answer_with_rule(&id, &question, answer, &by).await?;
            (place, Some(RuleValue::from(rule)))
        }
    };
    shared.metrics.answers.fetch_add(1, Ordering::Relaxed);
    let (received, unanswered) = match place {
        AnswerPlace::Stored { unanswered } => (false, unanswered),
        _ => (true, 0),
    };
    Ok(Json(AnswerEffect { received, unanswered, rule }))
}

/// The parameter of a proposal.
#[derive(Debug, Deserialize)]
pub(super) struct RuleParameters {
    question: String,
}

/// Proposes a rule for the call of a question.
pub(super) async fn propose_rule(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Parameters(parameters): Parameters<RuleParameters>,
) -> Result<Json<RuleValue>, ApiError> {
    Ok(Json(shared.host.propose_rule(&id, &parameters.question).await?.into()))
}

/// Sends a message to the newest run of a session.
pub(super) async fn send(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Body(message): Body<NewMessage>,
) -> Result<StatusCode, ApiError> {
    let time = message.time();
    let content = if message.files.is_empty() {
        Task::new(message.text)
    } else {
        read_task(message.text, message.files).await?
    };
    shared.host.send(&id, content, time).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Compacts the conversation of a session: a working run before its next request, otherwise a run of its own.
pub(super) async fn compact(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Compaction>), ApiError> {
    let run = shared.host.compact(&id).await?;
    let status = if run.is_some() { StatusCode::CREATED } else { StatusCode::ACCEPTED };
    if run.is_some() {
        shared.metrics.runs.fetch_add(1, Ordering::Relaxed);
    }
    Ok((status, Json(Compaction { run: run.map(|run| run.run().to_owned()) })))
}

/// Stops the run of a session in order: every call gets a result.
pub(super) async fn stop(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    shared.host.stop(&id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// The parameters of a call of a sub-agent.
#[derive(Debug, Deserialize)]
pub(super) struct AgentParameters {
    #[serde(default)]
    agent_call: Option<String>,
    #[serde(default)]
    agents: Option<String>,
}

/// Stops one call of a run or of one of its sub-agents, which continue.
pub(super) async fn stop_call(
    State(shared): State<Arc<Shared>>,
    Path((id, call)): Path<(String, String)>,
    Parameters(parameters): Parameters<AgentParameters>,
) -> Result<StatusCode, ApiError> {
    let agent = match (parameters.agent_call, parameters.agents) {
        (Some(root), Some(names)) => {
            Some(AgentPath::new(root, names.split('/').map(str::to_owned).collect()))
        }
        (None, None) => None,
        _ => return Err(ApiError::invalid("`agent_call` and `agents` belong together")),
    };
    if shared.host.stop_call(&id, agent.as_ref(), &call).await? {
        return Ok(StatusCode::ACCEPTED);
    }
    Err(ApiError::new(StatusCode::CONFLICT, "not_running", format!("the call {call} does not work")))
}
