//! The state of the server and of all sessions.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use windlass_app::feed::FEED_VERSION;
use windlass_app::sessions::{OpenQuestion, PageRequest, SessionRecord, Sessions};

use super::error::ApiError;
use super::sessions::on_sessions;
use super::values::answers::QuestionValue;
use super::values::{DefaultsValue, Health, ModelValue};
use crate::metrics::Gauges;
use crate::state::Shared;

/// Returns that the server works. Needs no token.
pub(super) async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), feed: FEED_VERSION })
}

/// Returns the open questions of all sessions, the oldest session first.
pub(super) async fn questions(
    State(shared): State<Arc<Shared>>,
) -> Result<Json<Vec<QuestionValue>>, ApiError> {
    let value = |(record, open): (SessionRecord, OpenQuestion)| QuestionValue {
        session: record.id,
        session_name: record.name,
        question: open.id,
        card: open.card,
    };
    Ok(Json(open_questions(&shared).await?.into_iter().map(value).collect()))
}

/// Returns the open questions of all sessions, each with its session.
pub(crate) async fn open_questions(
    shared: &Arc<Shared>,
) -> Result<Vec<(SessionRecord, OpenQuestion)>, ApiError> {
    let records = on_sessions(shared, Sessions::open_sessions).await?;
    let mut questions = Vec::new();
    for record in records {
        let open = shared.host.questions(&record.id).await?;
        questions.extend(open.into_iter().map(|open| (record.clone(), open)));
    }
    Ok(questions)
}

/// Returns the settings of new sessions.
pub(super) async fn defaults(State(shared): State<Arc<Shared>>) -> Json<DefaultsValue> {
    let (template, provider) = (&shared.template, &shared.template.provider);
    Json(DefaultsValue {
        provider: provider.name.clone().or_else(|| provider.base_url.clone()).unwrap_or_default(),
        model: provider.model.clone(),
        mode: template.offering.mode.clone(),
        autonomy: template.autonomy,
    })
}

/// Number of sessions whose models are offered.
const RECENT: usize = 200;

/// Returns the models that the client can choose: those of recent sessions, and the one of new sessions.
pub(super) async fn models(State(shared): State<Arc<Shared>>) -> Result<Json<Vec<ModelValue>>, ApiError> {
    let provider = &shared.template.provider;
    let name = provider.name.clone().or_else(|| provider.base_url.clone()).unwrap_or_default();
    let mut known = vec![(name, provider.model.clone())];
    let page = on_sessions(&shared, |sessions| sessions.page(&PageRequest::new(RECENT))).await?;
    for record in page.records {
        let pair = (record.provider, record.model);
        // A session with an address instead of a provider's name cannot be chosen by name.
        if !pair.0.contains("://") && !known.contains(&pair) && known.len() < 50 {
            known.push(pair);
        }
    }
    let value = |(at, (provider, model))| ModelValue { provider, model, is_default: at == 0 };
    Ok(Json(known.into_iter().enumerate().map(value).collect()))
}

/// Returns the metrics in the text format of Prometheus.
pub(super) async fn metrics(State(shared): State<Arc<Shared>>) -> Result<Response, ApiError> {
    let counts = on_sessions(&shared, Sessions::counts).await?;
    let gauges = Gauges {
        readers: shared.readers(),
        working: shared.host.handles().len(),
        questions: counts.open_questions,
        sessions: counts.states.into_iter().map(|(state, count)| (state.as_str(), count)).collect(),
    };
    let text = shared.metrics.render(&gauges);
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}
