//! An HTTP server on a local port that follows a script.

mod body;
mod files;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use self::body::PacedBody;
pub use self::files::StoredFile;
use self::files::{FileReply, FileRequest, StoredFiles};
use crate::provider::{Provider, Reply};
use crate::render::Format;
use crate::script::Script;

const BODY_BYTES: usize = 64 << 20;
/// Headers whose values are secrets and are not recorded.
const SECRET_HEADERS: [&str; 6] =
    ["authorization", "proxy-authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"];

/// An HTTP/1.1 server on 127.0.0.1 that answers like OpenAI Chat Completions, OpenAI Responses, Anthropic
/// Messages and Gemini, and refuses the requests that they refuse. Dropping it stops it.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use windlass_mock::{Script, ScriptedProvider};
/// let script = Script::parse(r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#)?;
/// let provider = ScriptedProvider::start(script, 0).await?;
/// let chat = format!("{}/v1/chat/completions", provider.base_url());
/// # let _ = chat;
/// provider.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct ScriptedProvider {
    address: SocketAddr,
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
}

/// A received request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The path, for example `/v1/messages`.
    pub path: String,
    /// The headers in order, with names in lower case and secret values replaced.
    pub headers: Vec<(String, String)>,
    /// The body, or null if it was not JSON.
    pub body: Value,
    /// The status of the response.
    pub status: u16,
    /// The turn of the script that the request asks for.
    pub turn: usize,
}

#[derive(Debug)]
struct Shared {
    provider: Provider,
    requests: Mutex<Vec<RecordedRequest>>,
    files: StoredFiles,
    root: String,
}

impl ScriptedProvider {
    /// Starts a server on this port; 0 selects a free port.
    ///
    /// # Errors
    /// The port cannot be bound.
    #[expect(clippy::unused_async, reason = "callers await it, and a later server may resolve a name")]
    pub async fn start(script: Script, port: u16) -> io::Result<Self> {
        let listener = windlass_web_reach::listen((Ipv4Addr::LOCALHOST, port).into())?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            provider: Provider::new(script),
            requests: Mutex::default(),
            files: StoredFiles::default(),
            root: format!("http://{address}"),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, tasks })
    }

    /// Returns the base URL without a path, for example `http://127.0.0.1:4000`. The paths of the formats
    /// exist with and without the prefix `/v1`, so the base URL with `/v1` works too.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests for an answer so far, including refused ones.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the files that clients uploaded and did not delete.
    pub fn list_files(&self) -> Vec<StoredFile> {
        self.shared.files.list()
    }

    /// Stops the server and waits until every connection is closed. Cancel-safe: dropping the future stops
    /// the server as well.
    pub async fn shutdown(mut self) {
        self.tasks.shutdown().await;
    }

    /// Waits until the server ends, which happens only if its socket fails. Cancel-safe.
    pub async fn wait(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Accepts connections. Their tasks belong to this task and end with it.
async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = windlass_web_reach::accept(&listener) => {
                let Ok((stream, _)) = accepted else { return };
                // Send small pieces immediately, or the kernel would determine their timing.
                let _ = stream.set_nodelay(true);
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    let service = service_fn(|request| respond(Arc::clone(&shared), request));
                    // Ignore connection errors: the client or the script closed the connection.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn respond(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<PacedBody>, hyper::http::Error> {
    let path = request.uri().path().to_owned();
    if let Some(asked) = FileRequest::parse(request.method(), &path, request.uri().query()) {
        return shared.answer_about_file(&asked, request).await;
    }
    let reply = match (request.method(), Format::from_path(&path)) {
        (&Method::POST, None) if count_field(&path).is_some() => shared.count(&path, request).await,
        (&Method::POST, Some(format)) => shared.answer(format, path, request).await,
        (&Method::GET, None) if matches!(path.as_str(), "/v1/models" | "/models") => {
            Reply::json(200, &models())
        }
        (&Method::GET, None) if path == "/v1beta/models" => Reply::json(200, &gemini_models()),
        (method, None) if response_id(&path).is_some() => {
            shared.answer_about_response(method, response_id(&path).unwrap_or_default())
        }
        (_, Some(_)) => Reply::json(405, &no_such_place("this path accepts POST only")),
        (method, None) => Reply::json(404, &no_such_place(&format!("{method} {path} does not exist"))),
    };
    let mut response = Response::builder()
        .status(StatusCode::from_u16(reply.status)?)
        .header(CONTENT_TYPE, reply.content_type)
        .header("x-request-id", "req_scripted");
    if let Some(seconds) = reply.retry_after {
        response = response.header(RETRY_AFTER, seconds);
    }
    response.body(PacedBody::new(reply.frames, reply.ending, reply.delay_ms))
}

/// Returns the id in the path of a stored response.
fn response_id(path: &str) -> Option<&str> {
    let id = path.strip_prefix("/v1").unwrap_or(path).strip_prefix("/responses/")?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// Returns the field of a token count, if the path is one that counts.
fn count_field(path: &str) -> Option<&'static str> {
    match path.strip_prefix("/v1").unwrap_or(path) {
        "/messages/count_tokens" | "/responses/input_tokens" => Some("input_tokens"),
        _ if path.contains("/models/") && path.ends_with(":countTokens") => Some("totalTokens"),
        _ => None,
    }
}

impl Shared {
    /// Counts one token for four bytes of the body.
    async fn count(&self, path: &str, request: Request<Incoming>) -> Reply {
        let Ok(body) = Limited::new(request.into_body(), BODY_BYTES).collect().await else {
            return Reply::json(413, &no_such_place("the body is missing or too large"));
        };
        let tokens = body.to_bytes().len().div_ceil(4);
        let mut count = json!({ (count_field(path).unwrap_or_default()): tokens });
        if path.ends_with("/input_tokens") {
            count["object"] = "response.input_tokens".into();
        }
        Reply::json(200, &count)
    }

    fn answer_about_response(&self, method: &Method, id: &str) -> Reply {
        let found = match *method {
            Method::GET => self.provider.find_response(id),
            Method::DELETE if self.provider.remove_response(id) => {
                Some(json!({ "id": id, "object": "response", "deleted": true }))
            }
            Method::DELETE => None,
            _ => return Reply::json(405, &no_such_place("this path accepts GET and DELETE only")),
        };
        match found {
            Some(body) => Reply::json(200, &body),
            None => Reply::json(404, &no_such_place(&format!("Response with id '{id}' not found."))),
        }
    }

    async fn answer(&self, format: Format, path: String, request: Request<Incoming>) -> Reply {
        let (parts, body) = request.into_parts();
        let Ok(body) = Limited::new(body, BODY_BYTES).collect().await else {
            return Reply::json(413, &no_such_place("the body is missing or too large"));
        };
        let body = body.to_bytes();
        let reply = self.provider.answer(format, &path, key(&parts.headers), &body);
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (headers, status, turn) = (header_pairs(&parts.headers), reply.status, reply.turn);
        let recorded = RecordedRequest { path, headers, body, status, turn };
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
        reply
    }
}

impl Shared {
    async fn answer_about_file(
        &self,
        asked: &FileRequest,
        request: Request<Incoming>,
    ) -> Result<Response<PacedBody>, hyper::http::Error> {
        let (parts, body) = request.into_parts();
        let FileReply { status, body, upload_url } = match Limited::new(body, BODY_BYTES).collect().await {
            Ok(body) => self.files.answer(&self.root, asked, &parts.headers, &body.to_bytes()),
            Err(_) => FileReply {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                body: no_such_place("the body is missing or too large"),
                upload_url: None,
            },
        };
        let mut response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
        if let Some(url) = upload_url {
            response = response.header("x-goog-upload-url", url);
        }
        let Reply { frames, ending, delay_ms, .. } = Reply::json(status.as_u16(), &body);
        response.body(PacedBody::new(frames, ending, delay_ms))
    }
}

fn key(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let named =
        || ["x-api-key", "x-goog-api-key"].into_iter().find_map(|name| headers.get(name)?.to_str().ok());
    bearer.or_else(named)
}

fn header_pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    let value = |name: &str, value: &HeaderValue| {
        if SECRET_HEADERS.contains(&name) {
            return "(hidden)".to_owned();
        }
        String::from_utf8_lossy(value.as_bytes()).into_owned()
    };
    headers.iter().map(|(name, held)| (name.as_str().to_owned(), value(name.as_str(), held))).collect()
}

fn models() -> Value {
    json!({"object": "list", "data": [{
        "id": "scripted-1", "object": "model", "type": "model", "created": 0, "owned_by": "windlass",
        "display_name": "Scripted 1",
    }]})
}

/// Returns the list of models as Gemini writes it.
fn gemini_models() -> Value {
    json!({"models": [{
        "name": "models/scripted-1", "displayName": "Scripted 1",
        "supportedGenerationMethods": ["generateContent", "streamGenerateContent"],
    }]})
}

fn no_such_place(message: &str) -> Value {
    let error = json!({"message": message, "type": "invalid_request_error", "param": null, "code": null});
    json!({"type": "error", "error": error})
}
