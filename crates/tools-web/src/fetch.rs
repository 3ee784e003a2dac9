//! `Fetch`: fetches pages and connects only to checked addresses.

use std::fmt;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
};
use windlass_web_reach::{CheckedClient, CheckedResponse, OutgoingRequest, Scope, TimeLimits};

use crate::body::{self, ReadBody};
use crate::media::DeclaredMedia;
use crate::{
    Dialer, FetchError, FetchResult, Page, Redirect, Resolver, RootError, UrlRefusal, WebLimits, WebUrl,
};

const ACCEPTED: &str = "text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5";

type MayFollow = Arc<dyn Fn(&WebUrl) -> bool + Send + Sync>;

/// Fetches pages of the public web, and of other places that the program allows.
///
/// Each request, redirects included, passes the same steps: check the URL's host and port, resolve the name
/// once, check all of its addresses, and connect only to these. It uses no proxies, cookies or credentials.
/// Clones share all settings.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use windlass_tools_web::{Fetch, FetchError, ReachError, SendError, WebUrl};
/// let fetch = Fetch::new();
/// let url = WebUrl::parse("http://169.254.169.254/latest/meta-data/")?;
/// let refused = fetch.get(&url).await;
/// assert!(matches!(refused, Err(FetchError::Send(SendError::Refused(ReachError::NotPublic { .. })))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Fetch {
    client: CheckedClient,
    limits: WebLimits,
    may_follow: MayFollow,
}

/// Response of a service.
pub(crate) struct ServiceResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) taken: ReadBody,
}

/// Consequence of a response for the fetch.
enum Hop {
    Follow(WebUrl, Scope),
    Stop(FetchResult),
}

impl Fetch {
    /// Creates a fetcher for the public web with the system's resolver, TCP and the default limits. Redirects
    /// to other hosts are returned and not followed.
    pub fn new() -> Self {
        Self {
            client: CheckedClient::default(),
            limits: WebLimits::default(),
            may_follow: Arc::new(|_| false),
        }
    }

    /// Sets the limits.
    pub fn with_limits(mut self, limits: WebLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the resolver.
    pub fn with_resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.client = self.client.with_resolver(Arc::new(resolver));
        self
    }

    /// Sets the dialer.
    pub fn with_dialer(mut self, dialer: impl Dialer + 'static) -> Self {
        self.client = self.client.with_dialer(Arc::new(dialer));
        self
    }

    /// Allows a host and port at any address, private addresses included, for services of the program itself.
    /// A redirect from another endpoint to it is still refused.
    ///
    /// # Errors
    /// If the host is not valid.
    pub fn with_reachable(self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.with_host(host, port, Scope::Any)
    }

    /// Allows a further port of a host, at public addresses only.
    ///
    /// # Errors
    /// If the host is not valid.
    pub fn with_port(self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.with_host(host, port, Scope::Public)
    }

    fn with_host(mut self, host: &str, port: u16, scope: Scope) -> Result<Self, UrlRefusal> {
        let reach = self.client.reach().clone().with_host(host, port, scope)?;
        self.client = self.client.with_reach(reach);
        Ok(self)
    }

    /// Sets a callback that decides if a redirect to another host or port is followed. The address checks
    /// still apply.
    pub fn with_may_follow(mut self, decide: impl Fn(&WebUrl) -> bool + Send + Sync + 'static) -> Self {
        self.may_follow = Arc::new(decide);
        self
    }

    /// Adds the PEM certificates of an authority.
    ///
    /// # Errors
    /// If the PEM contains no usable certificate.
    pub fn with_root(mut self, pem: &[u8]) -> Result<Self, RootError> {
        self.client = self.client.with_root(pem)?;
        Ok(self)
    }

    /// Returns the limits.
    pub fn limits(&self) -> &WebLimits {
        &self.limits
    }

    /// Fetches a page. Cancel-safe: dropping the future closes the connection.
    ///
    /// # Errors
    /// If the URL may not be fetched or no response arrived. A response is not an error, whatever its status.
    pub async fn get(&self, url: &WebUrl) -> Result<FetchResult, FetchError> {
        let times = TimeLimits::start(self.limits.connect, self.limits.total);
        let mut scope = self.client.reach().scope(url.endpoint(), Some(Scope::Any))?;
        let mut url = url.clone();
        let mut redirects = 0_usize;
        loop {
            let answer = self.client.send(&url, scope, page_request(), times).await?;
            (url, scope) = match self.hop(&url, redirects, answer, times).await? {
                Hop::Stop(fetched) => return Ok(fetched),
                Hop::Follow(next, scope) => (next, scope),
            };
            if redirects >= self.limits.redirects {
                let to = url.as_str().to_owned();
                return Err(FetchError::TooManyRedirects { limit: self.limits.redirects, to });
            }
            redirects = redirects.saturating_add(1);
        }
    }

    /// Sends a request to a service, with the same checks as for a page. Redirects are not followed, because
    /// a request with a key must not reach another host.
    pub(crate) async fn ask(
        &self,
        url: &WebUrl,
        request: OutgoingRequest,
        limits: &WebLimits,
    ) -> Result<ServiceResponse, FetchError> {
        let times = TimeLimits::start(limits.connect, limits.total);
        let scope = self.client.reach().scope(url.endpoint(), Some(Scope::Any))?;
        let has_key = request.headers.contains_key(AUTHORIZATION);
        if has_key && !url.is_encrypted() && scope == Scope::Public {
            return Err(FetchError::KeyInTheOpen { host: url.host().to_owned() });
        }
        let mut answer = self.client.send(url, scope, request, times).await?;
        let taken = body::take(&mut answer, limits, times.deadline()).await?;
        Ok(ServiceResponse { status: answer.status().as_u16(), headers: answer.headers().clone(), taken })
    }

    async fn hop(
        &self,
        url: &WebUrl,
        redirects: usize,
        mut answer: CheckedResponse,
        times: TimeLimits,
    ) -> Result<Hop, FetchError> {
        if let Some(location) = location(&answer) {
            let to = url.join(&location).map_err(|refusal| redirect_error(url, refusal.into()))?;
            // Check before the redirect is reported, so that the model is not directed to a URL that will be
            // refused. The program's permission for an endpoint applies to a redirect only if it stays at the
            // same endpoint.
            let named = (url.endpoint() == to.endpoint()).then_some(Scope::Any);
            let scope = self
                .client
                .reach()
                .scope(to.endpoint(), named)
                .map_err(|refused| redirect_error(url, refused.into()))?;
            if url.is_same_site(&to) || (self.may_follow)(&to) {
                return Ok(Hop::Follow(to, scope));
            }
            let status = answer.status().as_u16();
            return Ok(Hop::Stop(FetchResult::Redirect(Redirect { from: url.clone(), to, status })));
        }
        let declared = DeclaredMedia::parse(&text(answer.headers(), &CONTENT_TYPE).unwrap_or_default());
        let refused = |media: &str| FetchError::Media {
            status: answer.status().as_u16(),
            media: if media.is_empty() { "bytes without a media type".to_owned() } else { media.to_owned() },
        };
        // Check the declared type first, to avoid downloading a video only to refuse it.
        if declared.media(&[]).is_none() {
            return Err(refused(&declared.essence));
        }
        let status = answer.status().as_u16();
        let taken = body::take(&mut answer, &self.limits, times.deadline()).await?;
        if declared.is_binary(&taken.bytes) {
            return Err(FetchError::Media { status, media: format!("{} (binary)", declared.essence) });
        }
        let media = declared.media(&taken.bytes).unwrap_or(crate::Media::Text);
        Ok(Hop::Stop(FetchResult::Page(Page {
            url: url.clone(),
            redirects,
            status,
            media,
            text: declared.decode(&taken.bytes, media),
            content_type: declared.essence,
            wire_bytes: taken.wire_bytes,
            decoded_bytes: taken.bytes.len(),
            ending: taken.ending,
        })))
    }
}

impl Default for Fetch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetch")
            .field("client", &self.client)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Returns the request for a page: no cookies, credentials or referrer.
fn page_request() -> OutgoingRequest {
    let headers = [(ACCEPT, ACCEPTED), (ACCEPT_ENCODING, "gzip")];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    OutgoingRequest { headers: headers.into_iter().collect(), ..OutgoingRequest::default() }
}

fn redirect_error(from: &WebUrl, refused: FetchError) -> FetchError {
    FetchError::Redirect { from: from.host().to_owned(), source: Box::new(refused) }
}

/// Returns the target if the response is a redirect that a GET follows.
fn location(answer: &CheckedResponse) -> Option<String> {
    let is_redirect = matches!(
        answer.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    if is_redirect { text(answer.headers(), &LOCATION) } else { None }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
