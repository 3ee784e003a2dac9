//! A provider on this machine that answers from a script, over real HTTP, and misbehaves when told to.

mod answer;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::conversation;
use crate::render::Dialect;
use crate::script::Script;

use self::answer::{Body, answer, json};

/// The most bytes of a request.
const REQUEST_BYTES: usize = 64 << 20;

/// A provider on 127.0.0.1 that speaks both wire formats from a script. Dropping it stops it.
///
/// It refuses what the real providers refuse: calls without results, results without calls, empty messages,
/// the model `no-such-model`, the key `wrong-key`.
pub struct ScriptedProvider {
    address: SocketAddr,
    state: Arc<State>,
    serving: JoinHandle<()>,
}

/// One request as it came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// Its path.
    pub path: String,
    /// Its headers; a key is only said to be there.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: Value,
}

pub(crate) struct State {
    script: Script,
    requests: Mutex<Vec<Recorded>>,
    /// How many requests each turn has had, for switches that apply to the first ones only.
    seen: Mutex<HashMap<usize, u32>>,
}

impl ScriptedProvider {
    /// Starts on a port of 127.0.0.1; 0 takes a free one.
    ///
    /// # Errors
    /// If the port cannot be opened.
    pub async fn start(script: Script, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State { script, requests: Mutex::default(), seen: Mutex::default() });
        let serving = tokio::spawn(serve(listener, state.clone()));
        Ok(Self { address, state, serving })
    }

    /// The address for clients, with the version path. It serves both wire formats.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops, with all connections.
    pub async fn shutdown(mut self) {
        self.serving.abort();
        // The only way for the task to end now is the abort.
        drop((&mut self.serving).await);
    }
}

impl Drop for ScriptedProvider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, state: Arc<State>) {
    // Dropped with this task, and with it every connection.
    let mut connections = JoinSet::new();
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        let state = state.clone();
        connections.spawn(async move {
            let service = service_fn(move |request| {
                let state = state.clone();
                async move { Ok::<_, std::convert::Infallible>(respond(request, &state).await) }
            });
            // A client that goes away, or a cut that was asked for, ends the connection; nobody needs to know.
            drop(http1::Builder::new().serve_connection(TokioIo::new(socket), service).await);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn respond(request: Request<Incoming>, state: &State) -> Response<Body> {
    let path = request.uri().path().trim_start_matches("/v1").to_owned();
    let dialect = match (request.method(), path.as_str()) {
        (&Method::GET, "/models") => {
            return json(
                200,
                &serde_json::json!({ "object": "list", "data": [{ "id": "scripted-1", "object": "model" }] }),
            );
        }
        (&Method::POST, "/chat/completions") => Dialect::Chat,
        (&Method::POST, "/messages") => Dialect::Anthropic,
        _ => {
            return json(
                404,
                &serde_json::json!({ "error": { "message": "no such path", "type": "not_found_error" } }),
            );
        }
    };
    let (headers, has_wrong_key) = headers(&request);
    let recorded_path = request.uri().path().to_owned();
    let body = match Limited::new(request.into_body(), REQUEST_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => Bytes::new(),
    };
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return json(400, &dialect.refusal(400, "invalid_request_error", "the body is not JSON"));
    };
    let recorded = Recorded { path: recorded_path, headers, body: body.clone() };
    state.requests.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
    if has_wrong_key {
        return json(401, &dialect.refusal(401, "authentication_error", "the key is not valid"));
    }
    if let Err((status, kind, text)) = conversation::check(dialect, &body) {
        return json(status, &dialect.refusal(status, kind, &text));
    }
    let number = conversation::turn(&body);
    let time = state.count(number);
    answer(dialect, &state.script.turn(number), number, time, body["stream"] == true)
}

impl State {
    /// Counts a request of a turn, from 0.
    fn count(&self, turn: usize) -> u32 {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let count = seen.entry(turn).or_default();
        let before = *count;
        *count = before.saturating_add(1);
        before
    }
}

/// The headers without the key, and whether the key is the wrong one.
fn headers(request: &Request<Incoming>) -> (BTreeMap<String, String>, bool) {
    let mut has_wrong_key = false;
    let headers = request
        .headers()
        .iter()
        .map(|(name, value)| {
            let value = value.to_str().unwrap_or_default();
            let is_key = matches!(name.as_str(), "authorization" | "x-api-key");
            has_wrong_key |= is_key && value.ends_with("wrong-key");
            (name.to_string(), if is_key { "[key]".to_owned() } else { value.to_owned() })
        })
        .collect();
    (headers, has_wrong_key)
}
