//! `HttpClient`: sends the requests of all operations to one origin.

use std::fmt;
use std::sync::Arc;

use hyper::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use rustls::ClientConfig;
use tokio::time::{Instant, timeout, timeout_at};
use windlass_web_reach::{Reach, Scope, checked};

use crate::credentials::Authorization;
use crate::exchange::{self, Outgoing, Response, SendError};
use crate::plan::PlannedRequest;
use crate::{Dialer, Limits, Resolver, WebUrl};

/// Client for one origin. It dials checked addresses only.
#[derive(Clone)]
pub(crate) struct HttpClient {
    pub(crate) reach: Reach,
    pub(crate) limits: Limits,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) dialer: Arc<dyn Dialer>,
    pub(crate) tls: Arc<ClientConfig>,
}

/// A response with the part of its body that fits the limit.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) media: String,
    pub(crate) encoding: Option<String>,
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: Vec<u8>,
    pub(crate) ending: Ending,
    /// The target of a redirect that was not followed, without its query.
    pub(crate) redirect: Option<String>,
}

/// Reason for the end of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Whole,
    Limit,
    OutOfTime,
    Broken,
}

impl HttpClient {
    /// Sends a request with its credentials, and reads the response.
    ///
    /// A redirect of a request that only reads is followed on the same origin. Any other redirect is returned, so
    /// credentials never reach another origin. Cancel-safe: dropping the future closes the connection.
    pub(crate) async fn send(
        &self,
        planned: PlannedRequest,
        authorization: &Authorization,
    ) -> Result<Answer, SendError> {
        let deadline = Instant::now() + self.limits.total;
        let mut url = planned.url.clone();
        let mut redirects = 0_usize;
        loop {
            let response =
                self.one(&planned, with_fields(&url, &authorization.fields), authorization, deadline);
            let mut response = response.await?;
            let location = location(&response).map(|location| url.join(&location));
            let is_allowed = planned.method.is_safe() && redirects < self.limits.redirects;
            match location {
                Some(Ok(to)) if is_allowed && is_same_origin(&url, &to) => {
                    url = to;
                    redirects = redirects.saturating_add(1);
                }
                location => {
                    let redirect = location
                        .map(|to| to.map_or_else(|_| "an invalid URL".to_owned(), |to| strip_query(&to)));
                    let (body, ending) = self.read_body(&mut response, deadline).await;
                    return Ok(Answer::new(&response, body, ending, redirect));
                }
            }
        }
    }

    async fn one(
        &self,
        planned: &PlannedRequest,
        url: WebUrl,
        authorization: &Authorization,
        deadline: Instant,
    ) -> Result<Response, SendError> {
        let limits = &self.limits;
        let host = url.host().to_owned();
        let sent = async {
            let scope = self.reach.scope(url.endpoint(), Some(Scope::Any))?;
            let found = checked(url.endpoint(), scope, &*self.resolver);
            let timed_out = |_| SendError::ConnectTimedOut { host: host.clone(), limit: limits.connect };
            let addresses = timeout(limits.connect, found).await.map_err(timed_out)??;
            let outgoing = Outgoing {
                method: planned.method.to_http(),
                headers: planned.headers.iter().chain(&authorization.headers).cloned().collect(),
                media: planned.media.as_deref().and_then(|media| HeaderValue::from_str(media).ok()),
                body: planned.body.clone(),
                url,
            };
            exchange::send(&*self.dialer, &self.tls, limits.connect, &addresses, outgoing).await
        };
        let timed_out = |_| SendError::TimedOut { host: host.clone(), limit: limits.total };
        timeout_at(deadline, sent).await.map_err(timed_out)?
    }

    async fn read_body(&self, response: &mut Response, deadline: Instant) -> (Vec<u8>, Ending) {
        let mut body = Vec::new();
        loop {
            let bytes = match timeout_at(deadline, response.next()).await {
                Err(_) => return (body, Ending::OutOfTime),
                Ok(None) => return (body, Ending::Whole),
                Ok(Some(Err(_))) => return (body, Ending::Broken),
                Ok(Some(Ok(bytes))) => bytes,
            };
            let room = self.limits.response_bytes.saturating_sub(body.len());
            body.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
            if bytes.len() > room {
                return (body, Ending::Limit);
            }
        }
    }
}

impl Answer {
    fn new(response: &Response, body: Vec<u8>, ending: Ending, redirect: Option<String>) -> Self {
        let headers = &response.headers;
        let encoding = text(headers, &CONTENT_ENCODING).filter(|encoding| {
            !encoding.trim().is_empty() && !encoding.trim().eq_ignore_ascii_case("identity")
        });
        Self {
            status: response.status,
            media: text(headers, &CONTENT_TYPE).unwrap_or_default(),
            encoding,
            retry_after: text(headers, &RETRY_AFTER).and_then(|wait| wait.trim().parse().ok()),
            body,
            ending,
            redirect,
        }
    }
}

/// Returns whether two URLs have the same scheme, host and port.
fn is_same_origin(from: &WebUrl, to: &WebUrl) -> bool {
    from.endpoint() == to.endpoint() && from.is_encrypted() == to.is_encrypted()
}

/// Adds the credentials that are fields of the query. The URL was checked, and the fields are encoded.
fn with_fields(url: &WebUrl, fields: &[String]) -> WebUrl {
    if fields.is_empty() {
        return url.clone();
    }
    let separator = if url.target().contains('?') { '&' } else { '?' };
    let whole = format!("{}{separator}{}", url.as_str(), fields.join("&"));
    // The URL stays the same if it becomes too long: the server then refuses the request without the key.
    WebUrl::parse(&whole).unwrap_or_else(|_| url.clone())
}

/// Returns a URL without its query: a server may have repeated credentials there.
fn strip_query(url: &WebUrl) -> String {
    let text = url.as_str();
    text.split_once('?').map_or(text, |(text, _)| text).to_owned()
}

fn location(response: &Response) -> Option<String> {
    let is_redirect = matches!(response.status, 301 | 302 | 303 | 307 | 308);
    if is_redirect { text(&response.headers, &LOCATION) } else { None }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("limits", &self.limits).finish_non_exhaustive()
    }
}
