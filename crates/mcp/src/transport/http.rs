//! The engine's HTTP client for one server: adds token and headers, limits responses and checks messages.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_core::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::{Client, RequestBuilder, Response};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::discovery;
use super::events;
use super::http_error::{HttpError, JSON, classify_error, is_error_message, kind_of, refusal, words_of};
use super::intake::{Intake, PassedMessage};
use super::ledger::{Ticket, number};
use super::message;
use super::session_stream::SessionStream;
use super::tls;
use crate::address::RequestCredentials;
use crate::failure::Failure;

const EVENTS: &str = "text/event-stream";
const BOTH: &str = "application/json, text/event-stream";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
/// Number of bytes read from the body of a refusal.
const REFUSAL_BYTES: usize = 64 * 1024;
/// Time limit of the check for the old transport after a refused handshake.
const OLD_KIND_TIME: Duration = Duration::from_secs(5);

/// The engine's HTTP client for one URL.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client,
    intake: Intake,
    carried: Arc<RequestCredentials>,
    frame_bytes: usize,
    probe: Option<Duration>,
    stream: SessionStream,
}

type Outcome<T> = Result<T, StreamableHttpError<HttpError>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

impl Http {
    pub(crate) fn new(
        intake: Intake,
        carried: RequestCredentials,
        (frame_bytes, probe): (usize, Option<Duration>),
        connect: Duration,
    ) -> Result<Self, HttpError> {
        let client = tls::client(connect).map_err(|error| HttpError::Unreached(words_of(error)))?;
        Ok(Self {
            client,
            intake,
            carried: Arc::new(carried),
            frame_bytes,
            probe,
            stream: SessionStream::default(),
        })
    }

    /// Returns the state of the session's own stream.
    pub(crate) fn stream(&self) -> SessionStream {
        self.stream.clone()
    }

    fn prepare(
        &self,
        request: RequestBuilder,
        session: Option<&str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> RequestBuilder {
        let mut request = request;
        for (name, value) in &self.carried.headers {
            request = request.header(name, value);
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        match (token, self.carried.bearer()) {
            (Some(token), _) => request.bearer_auth(token),
            (None, Some(token)) => request.bearer_auth(token),
            (None, None) => request,
        }
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<StreamableHttpPostResponse> {
        let body = message::line(message)?;
        let mut request = self.client.post(uri).header(ACCEPT, BOTH).header(CONTENT_TYPE, JSON).body(body);
        for (name, value) in Ticket::find(message).map(Ticket::headers).unwrap_or_default() {
            request = request.header(name, value);
        }
        let response = self.prepare(request, session, token, headers).send().await.map_err(classify_error)?;
        if self.intake.0.is_stateless() && is_error_message(&response) {
            return self.error_message(response, message).await;
        }
        let response = self.check_response(response, session).await?;
        let is_asked = matches!(message, ClientJsonRpcMessage::Request(_));
        let new_session =
            response.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if new_session.is_some() {
            self.stream.expect();
        }
        let kind = kind_of(&response);
        if kind == EVENTS {
            let id = request_id(message);
            let events = events::read(response, self.intake.clone(), self.frame_bytes, id);
            return Ok(StreamableHttpPostResponse::Sse(events, new_session));
        }
        if !is_asked {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if matches!(response.status(), StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            // The server may answer an accepted request on the session's own stream. The request has a
            // timeout.
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if kind != JSON {
            return Err(StreamableHttpError::UnexpectedContentType(Some(kind)));
        }
        let body = self.body(response, self.frame_bytes).await.map_err(StreamableHttpError::Client)?;
        match self.intake.check(body.trim_ascii()) {
            Some(PassedMessage::Engine(message)) => {
                Ok(StreamableHttpPostResponse::Json(*message, new_session))
            }
            Some(PassedMessage::Refuse(_)) | None => Err(StreamableHttpError::Client(HttpError::NoMessage)),
        }
    }

    /// Converts HTTP error responses. A status of 404 within a session means that the session expired.
    async fn check_response(&self, response: Response, session: Option<&str>) -> Outcome<Response> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        match (status, challenge) {
            (StatusCode::UNAUTHORIZED, challenge) => {
                let challenge = challenge.unwrap_or("Bearer").to_owned();
                Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)))
            }
            (StatusCode::FORBIDDEN, Some(challenge)) => {
                let error = InsufficientScopeError::new(challenge.to_owned(), None);
                Err(StreamableHttpError::InsufficientScope(error))
            }
            (StatusCode::NOT_FOUND, _) if session.is_some() => Err(StreamableHttpError::SessionExpired),
            _ => {
                let body = self.body(response, REFUSAL_BYTES).await.unwrap_or_default();
                Err(StreamableHttpError::Client(refusal(status, &body)))
            }
        }
    }

    /// Reads the JSON-RPC error in the body of an HTTP error. Since 2026-07-28 servers answer unknown methods and
    /// unsupported versions so. The error answers this request, whatever id it has, because the server has possibly
    /// not read the request's own id.
    async fn error_message(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
    ) -> Outcome<StreamableHttpPostResponse> {
        let status = response.status();
        let body = self.body(response, REFUSAL_BYTES).await.unwrap_or_default();
        let text = request_id(message).and_then(|id| message::with_id(&body, id));
        let Some(text) = text else { return Err(StreamableHttpError::Client(refusal(status, &body))) };
        match self.intake.check(text.as_bytes()) {
            Some(PassedMessage::Engine(message)) => Ok(StreamableHttpPostResponse::Json(*message, None)),
            Some(PassedMessage::Refuse(_)) | None => Err(StreamableHttpError::Client(HttpError::NoMessage)),
        }
    }

    /// Sends a message. Over a connection with a fallback, a `server/discover` that is refused or not
    /// answered in time is declined.
    async fn post_or_decline(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<StreamableHttpPostResponse> {
        let sending = self.post(uri, message, session, token, headers);
        let (Some(after), Some(id)) = (self.probe, discovery::discovery_id(message)) else {
            return sending.await;
        };
        let is_declined = |sent: &Outcome<StreamableHttpPostResponse>| match sent {
            Ok(StreamableHttpPostResponse::Accepted) | Err(StreamableHttpError::UnexpectedContentType(_)) => {
                true
            }
            Err(StreamableHttpError::Client(error)) => discovery::is_refusal(error),
            _ => false,
        };
        let sent = tokio::time::timeout(after, sending).await.ok();
        match sent {
            Some(sent) if !is_declined(&sent) => sent,
            sent => match discovery::decline(&self.intake.0, id) {
                Some(declined) => Ok(StreamableHttpPostResponse::Json(declined, None)),
                None => sent.unwrap_or(Err(StreamableHttpError::Client(HttpError::NoMessage))),
            },
        }
    }

    async fn body(&self, mut response: Response, most: usize) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| HttpError::Broken(words_of(error)))? {
            if body.len().saturating_add(chunk.len()) > most {
                return Err(HttpError::TooLong(most));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Returns whether a server that refused the handshake offers the transport of 2024-11-05, which starts
    /// with a GET.
    async fn is_of_the_old_kind(&self, uri: &str, token: Option<String>) -> bool {
        let request = self.client.get(uri).header(ACCEPT, EVENTS);
        let asking = self.prepare(request, None, token, HashMap::new()).send();
        let looking = async {
            let response = asking.await.ok().filter(|response| response.status().is_success())?;
            if kind_of(&response) != EVENTS {
                return None;
            }
            events::first_name(response).await
        };
        tokio::time::timeout(OLD_KIND_TIME, looking).await.ok().flatten().as_deref() == Some("endpoint")
    }

    async fn get(
        &self,
        uri: &str,
        session: Option<&str>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<Events> {
        let mut request = self.client.get(uri).header(ACCEPT, EVENTS);
        if let Some(last_event) = last_event {
            request = request.header(LAST_EVENT, last_event);
        }
        let response = self.prepare(request, session, token, headers).send().await.map_err(classify_error)?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        let response = self.check_response(response, session).await?;
        let kind = kind_of(&response);
        if kind != EVENTS {
            return Err(StreamableHttpError::UnexpectedContentType(Some(kind)));
        }
        Ok(events::read(response, self.intake.clone(), self.frame_bytes, None))
    }
}

impl StreamableHttpClient for Http {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<StreamableHttpPostResponse> {
        self.intake.0.note(&message);
        let sent = self
            .post_or_decline(&uri, &message, session_id.as_deref(), auth_header.clone(), custom_headers)
            .await;
        let Err(error) = sent else { return sent };
        let is_introduction = matches!(&message, ClientJsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::InitializeRequest(_)));
        if is_introduction {
            let may_be_old =
                matches!(&error, StreamableHttpError::Client(HttpError::Status { status: 400..=499, .. }));
            if may_be_old && self.is_of_the_old_kind(&uri, auth_header).await {
                return Err(StreamableHttpError::Client(HttpError::OldTransport));
            }
            return Err(error);
        }
        let ledger = &self.intake.0;
        ledger.fail(request_id(&message), Failure::from_http(&error));
        if matches!(error, StreamableHttpError::SessionExpired) {
            // The session has expired, so close the connection; the next use opens another (fault F68).
            ledger.close();
        }
        Err(error)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<()> {
        let request = self.client.delete(uri.as_ref());
        let request = self.prepare(request, Some(&session_id), auth_header, custom_headers);
        // A server may refuse to delete sessions; the engine ignores the error.
        request.send().await.map(drop).map_err(classify_error)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<Events> {
        let opened = self.get(&uri, session_id.as_deref(), last_event_id, auth_header, custom_headers).await;
        self.stream.settle();
        opened
    }
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<u64> {
    match message {
        ClientJsonRpcMessage::Request(request) => number(&request.id),
        _ => None,
    }
}
