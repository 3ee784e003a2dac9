//! A server for `useChat` with `resume: true`, on a configured provider. Usage: axum [ADDRESS].
#![expect(clippy::print_stdout, reason = "an example shows its address")]

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::SessionHost;
use windlass_app::{App, RunSettings};
use windlass_ui_stream::{AI_SDK_DONE, AI_SDK_HEADER, ChatRequest, ChatRun, DecodeLimits};

type Failure = (StatusCode, String);
type Shared = State<(App, SessionHost)>;

fn refuse(error: impl std::fmt::Display) -> Failure {
    (StatusCode::BAD_REQUEST, error.to_string())
}

/// Starts or continues a session, or answers its questions, and sends the new part of the run.
async fn chat(State((app, host)): Shared, body: Bytes) -> Result<Response, Failure> {
    let request = ChatRequest::decode(&body, &DecodeLimits::default()).map_err(refuse)?;
    let settings = |task: &str| {
        let provider = Provider::select(&app, &ProviderChoice::default(), &ProviderOptions::default())?;
        RunSettings::new(task, provider, ".".as_ref())
    };
    let run = request.submit(&host, settings, "browser").await.map_err(refuse)?;
    send(&host, &run).await
}

/// Sends a run from its beginning to a page that was reloaded.
async fn reload(State((_, host)): Shared, Path(run): Path<String>) -> Result<Response, Failure> {
    send(&host, &ChatRun::reload(&host, &run).await.map_err(refuse)?).await
}

async fn send(host: &SessionHost, run: &ChatRun) -> Result<Response, Failure> {
    let feed = host.watch(&run.session, None).await.map_err(refuse)?;
    let parts = stream::unfold(Some((feed, run.encoder())), |open| async {
        let (mut feed, mut encoder) = open?;
        let part = encoder.push_sse(&feed.next().await.ok()?);
        let next = (!part.ends_with(AI_SDK_DONE)).then_some((feed, encoder));
        Some((Ok::<_, std::convert::Infallible>(part), next))
    });
    Ok(([AI_SDK_HEADER, ("content-type", "text/event-stream")], Body::from_stream(parts)).into_response())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = App::from_environment();
    let host = SessionHost::new(&app)?;
    let routes = axum::Router::new().route("/chat", post(chat)).route("/chat/{run}/stream", get(reload));
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, routes.with_state((app, host))).await?)
}
