//! `HttpClient`: sends the requests of all operations to one origin.

use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
    RETRY_AFTER,
};
use tokio::time::{Instant, timeout_at};
use windlass_web_reach::{CheckedClient, CheckedResponse, OutgoingRequest, Scope, SendError, TimeLimits};

use crate::credentials::Authorization;
use crate::plan::PlannedRequest;
use crate::{OpenApiLimits, WebUrl};

const ACCEPTED: &str = "application/json, application/*+json;q=0.9, text/*;q=0.5, */*;q=0.1";

/// Client for one origin. It dials checked addresses only.
#[derive(Clone, Debug)]
pub(crate) struct HttpClient {
    pub(crate) http: CheckedClient,
    pub(crate) limits: OpenApiLimits,
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
        let times = TimeLimits::start(self.limits.connect, self.limits.total);
        let mut url = planned.url.clone();
        let mut redirects = 0_usize;
        loop {
            let to = with_fields(&url, &authorization.fields);
            let scope = self.http.reach().scope(to.endpoint(), Some(Scope::Any))?;
            let request = to_request(&planned, authorization);
            let mut response = self.http.send(&to, scope, request, times).await?;
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
                    let (body, ending) = self.read_body(&mut response, times.deadline()).await;
                    return Ok(Answer::new(&response, body, ending, redirect));
                }
            }
        }
    }

    async fn read_body(&self, response: &mut CheckedResponse, deadline: Instant) -> (Vec<u8>, Ending) {
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
    fn new(response: &CheckedResponse, body: Vec<u8>, ending: Ending, redirect: Option<String>) -> Self {
        let headers = response.headers();
        let encoding = text(headers, &CONTENT_ENCODING).filter(|encoding| {
            !encoding.trim().is_empty() && !encoding.trim().eq_ignore_ascii_case("identity")
        });
        Self {
            status: response.status().as_u16(),
            media: text(headers, &CONTENT_TYPE).unwrap_or_default(),
            encoding,
            retry_after: text(headers, &RETRY_AFTER).and_then(|wait| wait.trim().parse().ok()),
            body,
            ending,
            redirect,
        }
    }
}

fn to_request(planned: &PlannedRequest, authorization: &Authorization) -> OutgoingRequest {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for (name, value) in planned.headers.iter().chain(&authorization.headers) {
        headers.append(name, value.clone());
    }
    if let Some(media) = planned.media.as_deref().and_then(|media| HeaderValue::from_str(media).ok()) {
        headers.append(CONTENT_TYPE, media);
    }
    OutgoingRequest { method: planned.method.to_http(), headers, body: planned.body.clone() }
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
    // With the key the URL can exceed its limit. Send it without the key then: the server refuses the request.
    WebUrl::parse(&whole).unwrap_or_else(|_| url.clone())
}

/// Returns a URL without its query: a server may have repeated credentials there.
fn strip_query(url: &WebUrl) -> String {
    let text = url.as_str();
    text.split_once('?').map_or(text, |(text, _)| text).to_owned()
}

fn location(response: &CheckedResponse) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    if is_redirect { text(response.headers(), &LOCATION) } else { None }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
