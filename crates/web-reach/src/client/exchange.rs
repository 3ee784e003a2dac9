//! One HTTP request and its response on an open connection.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Request, StatusCode};

use super::connection::Carrier;
use super::{OutgoingRequest, SendError};
use crate::WebUrl;

const AGENT: HeaderValue = HeaderValue::from_static(concat!("windlass/", env!("CARGO_PKG_VERSION")));
/// Maximum size of a response head, in bytes: room for a few large headers.
const MAX_HEAD: usize = 64 * 1024;

type Connection = Pin<Box<dyn Future<Output = Result<(), hyper::Error>> + Send>>;

/// A response whose body is still arriving. It owns its connection, so dropping it closes the connection.
pub struct CheckedResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    connection: Option<Connection>,
}

/// Sends the request and waits for the head of the response.
pub(super) async fn exchange(
    carrier: Box<dyn Carrier>,
    url: &WebUrl,
    request: OutgoingRequest,
) -> Result<CheckedResponse, SendError> {
    let protocol = |source| SendError::Protocol { host: url.host().to_owned(), source };
    let request = to_request(url, request).map_err(|error| protocol(Box::new(error)))?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .max_header_size(MAX_HEAD)
        .handshake(carrier)
        .await
        .map_err(|error| protocol(Box::new(error)))?;
    let mut connection: Option<Connection> = Some(Box::pin(connection));
    let mut sending = pin!(sender.send_request(request));
    let answer = poll_fn(|cx| {
        drive(&mut connection, cx);
        sending.as_mut().poll(cx)
    });
    let (head, body) = answer.await.map_err(|error| protocol(Box::new(error)))?.into_parts();
    Ok(CheckedResponse { status: head.status, headers: head.headers, body, connection })
}

fn to_request(url: &WebUrl, outgoing: OutgoingRequest) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
    let mut request = Request::builder()
        .method(outgoing.method)
        .uri(url.target())
        // `Host` comes first, as the HTTP specification recommends.
        .header(HOST, url.authority())
        .body(Full::new(outgoing.body))?;
    let headers = request.headers_mut();
    headers.extend(outgoing.headers);
    // These belong to the connection, whatever the caller gave.
    headers.insert(HOST, HeaderValue::from_str(url.authority())?);
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    headers.entry(USER_AGENT).or_insert(AGENT);
    Ok(request)
}

impl CheckedResponse {
    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the next bytes of the body, or `None` at its end. Ignores trailers. Cancel-safe: no byte is lost.
    ///
    /// # Errors
    /// If the connection breaks.
    pub async fn next(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        loop {
            let frame = poll_fn(|cx| {
                drive(&mut self.connection, cx);
                Pin::new(&mut self.body).poll_frame(cx)
            });
            match frame.await? {
                Ok(frame) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Some(Ok(bytes));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl std::fmt::Debug for CheckedResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("CheckedResponse");
        shown.field("status", &self.status).field("headers", &self.headers).finish_non_exhaustive()
    }
}

/// Polls the connection, which moves its bytes. Its errors also reach the future of the response or the body.
fn drive(connection: &mut Option<Connection>, cx: &mut Context<'_>) {
    if let Some(running) = connection
        && let Poll::Ready(_) = running.as_mut().poll(cx)
    {
        *connection = None;
    }
}
