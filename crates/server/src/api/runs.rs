//! Runs: start, continue, fork, resume, answer, message, stop.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use windlass_agent::DeliverAt;
use windlass_app::RunSettings;
use windlass_app::providers::Provider;
use windlass_app::sessions::{AnswerPlace, RunChanges, RunHandle};

use super::error::ApiError;
use super::extract::Body;
use super::sessions::on_sessions;
use super::values::{AnswerEffect, Changes, NewAnswer, NewFork, NewMessage, NewTask, StartedRun};
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

fn check_task(task: &str) -> Result<(), ApiError> {
    if task.trim().is_empty() { Err(ApiError::invalid("the task is empty")) } else { Ok(()) }
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
    check_task(&task.task)?;
    let mut settings = shared.template.clone();
    settings.task = task.task;
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
    check_task(&task.task)?;
    let changes = task.settings.changes(&shared.template.provider);
    let run = shared.host.continue_session(&id, &task.task, &changes).await?;
    Ok(report_start(&shared, &run))
}

/// Starts a session with the beginning of another one.
pub(super) async fn fork(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Body(fork): Body<NewFork>,
) -> Result<(StatusCode, Json<StartedRun>), ApiError> {
    check_task(&fork.task)?;
    let changes = fork.settings.changes(&shared.template.provider);
    let run = shared.host.fork(&id, &fork.at.point(), &fork.task, &changes).await?;
    Ok(report_start(&shared, &run))
}

/// Resumes the newest run of a session.
pub(super) async fn resume(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<StartedRun>), ApiError> {
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
    let (question, answer) = answer.split();
    let by = format!("page on {}", device.name);
    let place = shared.host.answer(&id, &question, answer, &by).await?;
    shared.metrics.answers.fetch_add(1, Ordering::Relaxed);
    Ok(Json(match place {
        AnswerPlace::Stored { unanswered } => AnswerEffect { received: false, unanswered },
        _ => AnswerEffect { received: true, unanswered: 0 },
    }))
}

/// Sends a message to the newest run of a session.
pub(super) async fn send(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Body(message): Body<NewMessage>,
) -> Result<StatusCode, ApiError> {
    let when = if message.after_task { DeliverAt::AfterTask } else { DeliverAt::NextTurn };
    shared.host.send(&id, &message.text, when).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Stops the run of a session in order: every call gets a result.
pub(super) async fn stop(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let record = on_sessions(&shared, move |sessions| sessions.find(&id)).await?;
    let Some(run) = shared.host.handle(&record.id) else {
        let message = format!("session {} does not work in this process", record.id);
        return Err(ApiError::new(StatusCode::CONFLICT, "conflict", message));
    };
    run.stop();
    Ok(StatusCode::ACCEPTED)
}
