//! Sessions: list, show, rename, delete, export.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use windlass_app::AppError;
use windlass_app::sessions::{ExportFormat, PageRequest, SessionPage, SessionRecord, Sessions, export};

use super::error::ApiError;
use super::extract::{Body, Parameters};
use super::values::{NewName, SessionValue};
use crate::state::Shared;

/// Runs work on the sessions outside of the async threads.
pub(super) async fn on_sessions<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Sessions) -> Result<T, AppError> + Send + 'static,
) -> Result<T, ApiError> {
    let shared = Arc::clone(shared);
    match tokio::task::spawn_blocking(move || work(shared.host.sessions())).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "unavailable", "the request failed")),
    }
}

/// Header of a page of sessions with the parameter `after` of the next page.
const NEXT: &str = "x-windlass-next";

/// The parameters of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListParameters {
    limit: Option<usize>,
    after: Option<String>,
}

/// Returns the sessions, the one that changed last first: all of them, or a page.
pub(super) async fn list(
    State(shared): State<Arc<Shared>>,
    Parameters(parameters): Parameters<ListParameters>,
) -> Result<Response, ApiError> {
    let page = on_sessions(&shared, move |sessions| {
        let Some(limit) = parameters.limit else {
            let mut all = SessionPage::default();
            all.records = sessions.list()?;
            return Ok(all);
        };
        let request = PageRequest::new(limit);
        match parameters.after {
            Some(place) => sessions.page(&request.starting_after(place.parse()?)),
            None => sessions.page(&request),
        }
    });
    let SessionPage { records, next, .. } = page.await?;
    let here: BTreeSet<String> = shared.host.handles().iter().map(|run| run.session().to_owned()).collect();
    let value = |record: SessionRecord| {
        let is_here = here.contains(&record.id);
        SessionValue::new(record, is_here)
    };
    let values: Vec<SessionValue> = records.into_iter().map(value).collect();
    let mut response = Json(values).into_response();
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next.to_string()).ok()) {
        response.headers_mut().insert(NEXT, next);
    }
    Ok(response)
}

/// Returns one session.
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<SessionValue>, ApiError> {
    let record = on_sessions(&shared, move |sessions| sessions.find(&id)).await?;
    let is_here = shared.host.handle(&record.id).is_some();
    Ok(Json(SessionValue::new(record, is_here)))
}

/// Renames a session.
pub(super) async fn rename(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Body(name): Body<NewName>,
) -> Result<Json<SessionValue>, ApiError> {
    let record = on_sessions(&shared, move |sessions| sessions.rename(&id, &name.name)).await?;
    let is_here = shared.host.handle(&record.id).is_some();
    Ok(Json(SessionValue::new(record, is_here)))
}

/// Deletes a session.
pub(super) async fn delete(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    on_sessions(&shared, move |sessions| sessions.delete(&id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The format of an export.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Markdown,
    Json,
}

/// The parameters of an export.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ExportParameters {
    format: Format,
}

/// Returns the transcript of a session.
pub(super) async fn transcript(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Parameters(parameters): Parameters<ExportParameters>,
) -> Result<Response, ApiError> {
    let (format, media_type) = match parameters.format {
        Format::Markdown => (ExportFormat::Markdown, "text/markdown; charset=utf-8"),
        Format::Json => (ExportFormat::Json, "application/json"),
    };
    let text = on_sessions(&shared, move |sessions| {
        let record = sessions.find(&id)?;
        export(sessions, &record, format)
    });
    Ok(([(CONTENT_TYPE, media_type)], text.await?).into_response())
}
