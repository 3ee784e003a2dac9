//! A server for clients of AG-UI, on a configured provider. Usage: `ag_ui [ADDRESS]`.
#![expect(clippy::print_stdout, reason = "an example shows its address")]

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::stream;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::SessionHost;
use windlass_app::{App, RunSettings};
use windlass_ui_stream::{DecodeLimits, RunInput};

type Failure = (StatusCode, String);

fn refuse(error: impl std::fmt::Display) -> Failure {
    (StatusCode::BAD_REQUEST, error.to_string())
}

/// Starts or continues a session, answers its questions, or shows it again, and sends the new part of the run.
async fn agent(State((app, host)): State<(App, SessionHost)>, body: Bytes) -> Result<Response, Failure> {
    let input = RunInput::decode(&body, &DecodeLimits::default()).map_err(refuse)?;
    let settings = |task: &str| {
        let provider = Provider::select(&app, &ProviderChoice::default(), &ProviderOptions::default())?;
        RunSettings::new(task, provider, ".".as_ref())
    };
    let run = input.submit(&host, settings, "browser").await.map_err(refuse)?;
    let feed = host.watch(&run.session, None).await.map_err(refuse)?;
    let parts = stream::unfold(Some((feed, run.ag_ui_encoder(&input))), |open| async {
        let (mut feed, mut encoder) = open?;
        let (part, is_last) = encoder.push_sse(&feed.next().await.ok()?);
        Some((Ok::<_, std::convert::Infallible>(part), (!is_last).then_some((feed, encoder))))
    });
    Ok(([("content-type", "text/event-stream")], Body::from_stream(parts)).into_response())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = App::from_environment();
    let host = SessionHost::new(&app)?;
    let routes = axum::Router::new().route("/agent", post(agent));
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3001".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, routes.with_state((app, host))).await?)
}
