//! The table of routes: the router and the OpenAPI document are made of it.

use std::sync::Arc;

use axum::Router;
#[cfg(feature = "web-push")]
use axum::routing::put;
use axum::routing::{delete, get, patch, post};
use windlass_app::feed::FeedEvent;

#[cfg(feature = "web-push")]
use super::push;
use super::route::Route;
use super::values::answers::{AnswerEffect, NewAnswer, QuestionValue, RuleValue};
use super::values::files::{CheckpointsValue, DiffValue, NewRestore, RestoreValue};
use super::values::{
    Compaction, DefaultsValue, DeviceValue, Health, Identity, Login, ModelValue, NewFork, NewMessage,
    NewName, NewTask, SessionValue, StartedRun,
};
use super::{feed, files, login, openapi, overview, runs, sessions};
use crate::state::Shared;

/// Returns all routes of the API.
pub(super) fn routes() -> Vec<Route> {
    let mut routes = session_routes();
    routes.extend(run_routes());
    routes.extend(call_routes());
    routes.extend(file_routes());
    routes.extend(server_routes());
    #[cfg(feature = "web-push")]
    routes.extend(push_routes());
    routes
}

#[cfg(feature = "web-push")]
fn push_routes() -> Vec<Route> {
    vec![
        Route::new(
            ("get", "/api/push"),
            "Returns the key with which a browser subscribes to announcements of questions.",
            get(push::show),
        )
        .returns::<push::PushValue>(200),
        Route::new(
            ("put", "/api/push"),
            "Stores the subscription of the client's device to announcements of questions.",
            put(push::subscribe),
        )
        .takes::<push::NewSubscription>()
        .returns_nothing(204),
        Route::new(
            ("delete", "/api/push"),
            "Removes the subscription of the client's device.",
            delete(push::unsubscribe),
        )
        .returns_nothing(204),
    ]
}

fn session_routes() -> Vec<Route> {
    vec![
        Route::new(
            ("get", "/api/sessions"),
            "Lists the sessions, the one that changed last first.",
            get(sessions::list),
        )
        .with_parameters(&[
            ("limit", "largest number of sessions, up to 1000; without it all sessions are returned"),
            ("after", "value of the header x-windlass-next of the page before"),
        ])
        .returns::<Vec<SessionValue>>(200),
        Route::new(("post", "/api/sessions"), "Starts a session with a task.", post(runs::start))
            .takes::<NewTask>()
            .takes_files()
            .returns::<StartedRun>(201),
        Route::new(("get", "/api/sessions/{id}"), "Returns a session.", get(sessions::show))
            .returns::<SessionValue>(200),
        Route::new(("patch", "/api/sessions/{id}"), "Renames a session.", patch(sessions::rename))
            .takes::<NewName>()
            .returns::<SessionValue>(200),
        Route::new(
            ("delete", "/api/sessions/{id}"),
            "Deletes a session that does not work, with its records.",
            delete(sessions::delete),
        )
        .returns_nothing(204),
    ]
}

fn run_routes() -> Vec<Route> {
    vec![
        Route::new(
            ("post", "/api/sessions/{id}/continue"),
            "Continues a session with its next task.",
            post(runs::proceed),
        )
        .takes::<NewTask>()
        .takes_files()
        .returns::<StartedRun>(201),
        Route::new(
            ("post", "/api/sessions/{id}/fork"),
            "Starts a session with the beginning of this one.",
            post(runs::fork),
        )
        .takes::<NewFork>()
        .takes_files()
        .returns::<StartedRun>(201),
        Route::new(
            ("post", "/api/sessions/{id}/resume"),
            "Resumes a suspended, stopped or killed run with the stored answers.",
            post(runs::resume),
        )
        .returns::<StartedRun>(201),
        Route::new(("post", "/api/sessions/{id}/messages"), "Sends a message to the run.", post(runs::send))
            .takes::<NewMessage>()
            .takes_files()
            .returns_nothing(202),
        Route::new(
            ("post", "/api/sessions/{id}/stop"),
            "Stops the run in order. Its calls get results.",
            post(runs::stop),
        )
        .returns_nothing(202),
        Route::new(
            ("get", "/api/sessions/{id}/feed"),
            "Returns the events after a number, and continues with what happens.",
            get(feed::feed),
        )
        .with_parameters(&[("after", "Number of the last event that the reader has.")])
        .returns_events::<FeedEvent>(),
        Route::new(
            ("get", "/api/sessions/{id}/export"),
            "Returns the transcript of a session.",
            get(sessions::transcript),
        )
        .with_parameters(&[("format", "`markdown` or `json`.")])
        .returns_text("text/markdown"),
    ]
}

fn call_routes() -> Vec<Route> {
    vec![
        Route::new(
            ("post", "/api/sessions/{id}/answer"),
            "Answers a question. The first answer counts; a later one gets 409 with the first window.",
            post(runs::answer),
        )
        .takes::<NewAnswer>()
        .returns::<AnswerEffect>(200),
        Route::new(
            ("get", "/api/sessions/{id}/rule"),
            "Proposes the narrowest rule that allows the call of a question and similar calls.",
            get(runs::propose_rule),
        )
        .with_parameters(&[("question", "Id of the question.")])
        .returns::<RuleValue>(200),
        Route::new(
            ("post", "/api/sessions/{id}/calls/{call}/stop"),
            "Stops one call of the run or of a sub-agent, which continue; 409 if the call does not work.",
            post(runs::stop_call),
        )
        .with_parameters(&[
            ("agent_call", "Id of the root's call that started the sub-agent, from the events of the call."),
            ("agents", "Names of the agents from the events of the call, with `/` between them."),
        ])
        .returns_nothing(202),
        Route::new(
            ("post", "/api/sessions/{id}/compact"),
            "Compacts the conversation: by a run of its own, or with 202 before the next request of a working run.",
            post(runs::compact),
        )
        .returns::<Compaction>(201),
    ]
}

const RUN_PARAMETER: (&str, &str) = ("run", "Id of a run of the session. Default: the newest run.");

fn file_routes() -> Vec<Route> {
    vec![
        Route::new(
            ("get", "/api/sessions/{id}/checkpoints"),
            "Lists the checkpoints of a run.",
            get(files::checkpoints),
        )
        .with_parameters(&[RUN_PARAMETER])
        .returns::<CheckpointsValue>(200),
        Route::new(
            ("get", "/api/sessions/{id}/diff"),
            "Returns the changes of files of a turn, or of a run.",
            get(files::diff),
        )
        .with_parameters(&[
            RUN_PARAMETER,
            ("turn", "Number of the turn. Default: all turns."),
            ("now", "`true` includes the changes since the end of the turn."),
        ])
        .returns::<DiffValue>(200),
        Route::new(
            ("post", "/api/sessions/{id}/restore"),
            "Returns the preview of a restore, or restores files if the request names the digest of the preview.",
            post(files::restore),
        )
        .takes::<NewRestore>()
        .returns::<RestoreValue>(200),
    ]
}

fn server_routes() -> Vec<Route> {
    vec![
        Route::new(
            ("get", "/api/questions"),
            "Returns the open questions of all sessions.",
            get(overview::questions),
        )
        .returns::<Vec<QuestionValue>>(200),
        Route::new(("get", "/api/models"), "Returns the models that a task can name.", get(overview::models))
            .returns::<Vec<ModelValue>>(200),
        Route::new(
            ("get", "/api/defaults"),
            "Returns the settings of new sessions.",
            get(overview::defaults),
        )
        .returns::<DefaultsValue>(200),
        Route::new(("get", "/api/me"), "Returns the device of the client.", get(login::identity))
            .returns::<Identity>(200),
        Route::new(
            ("post", "/api/login"),
            "Exchanges the token of a device for a cookie.",
            post(login::login),
        )
        .open()
        .takes::<Login>()
        .returns::<Identity>(200),
        Route::new(("post", "/api/logout"), "Removes the cookie.", post(login::logout)).returns_nothing(204),
        Route::new(("get", "/api/devices"), "Returns the registered devices.", get(login::devices))
            .returns::<Vec<DeviceValue>>(200),
        Route::new(("delete", "/api/devices/{id}"), "Revokes a device.", delete(login::revoke))
            .returns_nothing(204),
        Route::new(("get", "/api/openapi.json"), "Returns this document.", get(openapi::document))
            .open()
            .returns_text("application/json"),
        Route::new(("get", "/health"), "Returns that the server works.", get(overview::health))
            .open()
            .returns::<Health>(200),
        Route::new(
            ("get", "/metrics"),
            "Returns metrics in the text format of Prometheus.",
            get(overview::metrics),
        )
        .returns_text("text/plain"),
    ]
}

fn router_of(routes: impl Iterator<Item = Route>) -> Router<Arc<Shared>> {
    routes.fold(Router::new(), |router, route| router.route(route.path, route.handler))
}

/// Returns the routes that need no token.
pub(crate) fn open_router() -> Router<Arc<Shared>> {
    router_of(routes().into_iter().filter(|route| route.is_open))
}

/// Returns the routes that need the token of a device and whose bodies are small.
pub(crate) fn device_router() -> Router<Arc<Shared>> {
    router_of(routes().into_iter().filter(|route| !route.is_open && !route.takes_files))
}

/// Returns the routes that need the token of a device and take files.
pub(crate) fn upload_router() -> Router<Arc<Shared>> {
    router_of(routes().into_iter().filter(|route| !route.is_open && route.takes_files))
}
