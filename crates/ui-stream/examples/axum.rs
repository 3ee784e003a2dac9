//! A server for `useChat` with `resume: true` and `sendAutomaticallyWhen:
//! lastAssistantMessageIsCompleteWithApprovalResponses`. It needs a configured provider.

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::{RunChanges, SessionHost};
use windlass_app::{App, RunSettings};
use windlass_ui_stream::{AI_SDK_DONE, AI_SDK_HEADER, AiSdkEncoder, ChatRequest, DecodeLimits, to_sse};

type Failure = (StatusCode, String);
type Shared = State<(App, SessionHost)>;

fn refuse(error: impl std::fmt::Display) -> Failure {
    (StatusCode::BAD_REQUEST, error.to_string())
}

/// Starts or continues a session, or answers its questions, and sends the new part of the run.
async fn chat(State((app, host)): Shared, body: Bytes) -> Result<Response, Failure> {
    let request = ChatRequest::decode(&body, &DecodeLimits::default()).map_err(refuse)?;
    let Some((run, seq)) = request.place else {
        let provider = Provider::select(&app, &ProviderChoice::default(), &ProviderOptions::default());
        let settings =
            RunSettings::new(&request.text, provider.map_err(refuse)?, ".".as_ref()).map_err(refuse)?;
        let handle = host.start(settings).await.map_err(refuse)?;
        return send(&host, handle.session(), handle.run(), 0).await;
    };
    let session = host.sessions().find(&run).map_err(refuse)?.id;
    for (question, answer) in request.answers {
        host.answer(&session, &question, answer, "browser").await.map_err(refuse)?;
    }
    if !request.text.is_empty() {
        let next = host.continue_session(&session, &request.text, &RunChanges::default()).await;
        return send(&host, &session, next.map_err(refuse)?.run(), 0).await;
    }
    if host.handle(&session).is_none() {
        host.resume(&session).await.map_err(refuse)?;
    }
    send(&host, &session, &run, seq).await
}

/// Sends a run from its beginning to a page that was reloaded.
async fn reload(State((_, host)): Shared, Path(run): Path<String>) -> Result<Response, Failure> {
    send(&host, &host.sessions().find(&run).map_err(refuse)?.id, &run, 0).await
}

async fn send(host: &SessionHost, session: &str, run: &str, client_at: u64) -> Result<Response, Failure> {
    let feed = host.watch(session, None).await.map_err(refuse)?;
    let encoder = AiSdkEncoder::new(run).with_client_at(client_at);
    let events = stream::unfold(Some((feed, encoder)), |open| async {
        let (mut feed, mut encoder) = open?;
        let mut text: String = encoder.push(&feed.next().await.ok()?).iter().map(to_sse).collect();
        if encoder.is_waiting() {
            text.extend(encoder.pause().iter().map(to_sse));
        } else if !encoder.has_ended() {
            return Some((Ok::<_, std::convert::Infallible>(text), Some((feed, encoder))));
        }
        Some((Ok(text + AI_SDK_DONE), None))
    });
    Ok(([AI_SDK_HEADER, ("content-type", "text/event-stream")], Body::from_stream(events)).into_response())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = App::from_environment();
    let host = SessionHost::new(&app)?;
    let routes = axum::Router::new().route("/chat", post(chat)).route("/chat/{run}/stream", get(reload));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    Ok(axum::serve(listener, routes.with_state((app, host))).await?)
}
