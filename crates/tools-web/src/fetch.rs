//! `Fetch`: gets a page, and dials nothing but addresses that were checked.

use std::fmt;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::{Instant, timeout_at};
use windlass_web_reach::{Reach, Scope, checked};

use crate::body::{self, Taken};
use crate::exchange::{Answer, Ask, Way};
use crate::media::Declared;
use crate::tls;
use crate::{
    Dialer, FetchError, Fetched, Limits, Page, Redirect, Resolver, SystemResolver, TcpDialer, UrlRefusal,
    WebUrl,
};

type MayFollow = Arc<dyn Fn(&WebUrl) -> bool + Send + Sync>;

/// Gets pages of the public web, and of the places that the program names.
///
/// Each request, redirects included, goes the same way: the URL's port and host are judged, the name is resolved
/// once, all of its addresses are checked, and just these are dialled. There is no proxy, no cookie and no
/// credential. A clone shares all settings.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use windlass_tools_web::{Fetch, FetchError, WebUrl};
/// let fetch = Fetch::new();
/// let url = WebUrl::parse("http://169.254.169.254/latest/meta-data/")?;
/// assert!(matches!(fetch.get(&url).await, Err(FetchError::NotPublic { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Fetch {
    reach: Reach,
    limits: Limits,
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    may_follow: MayFollow,
    roots: RootCertStore,
    tls: Arc<ClientConfig>,
}

/// What a service answered.
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) taken: Taken,
}

/// What one answer means for the fetch.
enum Hop {
    Follow(WebUrl, Scope),
    Stop(Fetched),
}

impl Fetch {
    /// The public web through the system's resolver and plain TCP, with the default limits. Redirects to other
    /// hosts are told and not followed.
    pub fn new() -> Self {
        let roots = tls::roots();
        Self {
            reach: Reach::default(),
            limits: Limits::default(),
            resolver: Arc::new(SystemResolver),
            dialer: Arc::new(TcpDialer),
            may_follow: Arc::new(|_| false),
            tls: tls::config(roots.clone()),
            roots,
        }
    }

    /// The same with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with another resolver.
    pub fn with_resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// The same with another way out.
    pub fn with_dialer(mut self, dialer: impl Dialer + 'static) -> Self {
        self.dialer = Arc::new(dialer);
        self
    }

    /// The same with one more host and port that may be reached wherever they lead, private addresses included:
    /// for what the program itself owns. A redirect from elsewhere to there is refused all the same.
    ///
    /// # Errors
    /// If the host is none.
    pub fn with_reachable(mut self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.reach = self.reach.with(host, port, Scope::Any)?;
        Ok(self)
    }

    /// The same with one more port of a host, at public addresses.
    ///
    /// # Errors
    /// If the host is none.
    pub fn with_port(mut self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.reach = self.reach.with(host, port, Scope::Public)?;
        Ok(self)
    }

    /// The same with somebody who judges redirects to another host or port before they are followed. The checks
    /// of addresses come all the same.
    pub fn with_may_follow(mut self, judge: impl Fn(&WebUrl) -> bool + Send + Sync + 'static) -> Self {
        self.may_follow = Arc::new(judge);
        self
    }

    /// The same with the certificates of one more authority, in PEM.
    ///
    /// # Errors
    /// If there is no usable certificate in it.
    pub fn with_root(mut self, pem: &[u8]) -> Result<Self, FetchError> {
        tls::add(&mut self.roots, pem)?;
        self.tls = tls::config(self.roots.clone());
        Ok(self)
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Gets a page. Cancel-safe: a dropped future closes its connection.
    ///
    /// # Errors
    /// If nothing was to be fetched or nothing came; what a server answered is no error.
    pub async fn get(&self, url: &WebUrl) -> Result<Fetched, FetchError> {
        let deadline = Instant::now() + self.limits.total;
        let mut scope = self.reach.scope(url.endpoint(), Some(Scope::Any))?;
        let mut url = url.clone();
        let mut redirects = 0_usize;
        loop {
            let answer = self.answer((&url, scope), Ask::Page, &self.limits, deadline).await?;
            (url, scope) = match self.hop(&url, redirects, answer, deadline).await? {
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

    /// Asks a service, through the same checks as a page. A redirect is an answer like any other: what goes out with
    /// a key goes nowhere else.
    pub(crate) async fn ask(&self, url: &WebUrl, ask: Ask<'_>, limits: &Limits) -> Result<Told, FetchError> {
        let deadline = Instant::now() + limits.total;
        let scope = self.reach.scope(url.endpoint(), Some(Scope::Any))?;
        let has_key = matches!(ask, Ask::Json { authorization: Some(_), .. });
        if has_key && !url.is_encrypted() && scope == Scope::Public {
            return Err(FetchError::KeyInTheOpen { host: url.host().to_owned() });
        }
        let mut answer = self.answer((url, scope), ask, limits, deadline).await?;
        let taken = body::take(&mut answer, limits, deadline).await?;
        Ok(Told { status: answer.status.as_u16(), headers: answer.headers, taken })
    }

    /// One request, until the head of its answer is there.
    async fn answer(
        &self,
        (url, scope): (&WebUrl, Scope),
        ask: Ask<'_>,
        limits: &Limits,
        deadline: Instant,
    ) -> Result<Answer, FetchError> {
        let host = || url.host().to_owned();
        let way = Way { dialer: &*self.dialer, tls: Arc::clone(&self.tls), connect: limits.connect };
        let asked = async {
            let found = checked(url.endpoint(), scope, &*self.resolver);
            let limit = limits.connect;
            let timed_out = |_| FetchError::ConnectTimedOut { host: host(), limit };
            let addresses = tokio::time::timeout(limit, found).await.map_err(timed_out)??;
            way.ask(url, &addresses, ask).await
        };
        let timed_out = |_| FetchError::TimedOut { host: host(), limit: limits.total };
        timeout_at(deadline, asked).await.map_err(timed_out)?
    }

    async fn hop(
        &self,
        url: &WebUrl,
        redirects: usize,
        mut answer: Answer,
        deadline: Instant,
    ) -> Result<Hop, FetchError> {
        if let Some(location) = location(&answer) {
            let to = url.join(&location).map_err(|refusal| redirected(url, refusal.into()))?;
            // Judged before anybody is told of it, so that the model is not sent to where it will be refused.
            // A redirect profits from what the program named only if it stays where it is.
            let named = (url.endpoint() == to.endpoint()).then_some(Scope::Any);
            let scope =
                self.reach.scope(to.endpoint(), named).map_err(|refused| redirected(url, refused.into()))?;
            if url.is_same_site(&to) || (self.may_follow)(&to) {
                return Ok(Hop::Follow(to, scope));
            }
            let status = answer.status.as_u16();
            return Ok(Hop::Stop(Fetched::Redirect(Redirect { from: url.clone(), to, status })));
        }
        let declared = Declared::parse(&text(&answer.headers, &CONTENT_TYPE).unwrap_or_default());
        let refused = |media: &str| FetchError::Media {
            status: answer.status.as_u16(),
            media: if media.is_empty() { "bytes of no type".to_owned() } else { media.to_owned() },
        };
        // By the type first: a film is not loaded to find out that it is one.
        if declared.media(&[]).is_none() {
            return Err(refused(&declared.essence));
        }
        let status = answer.status.as_u16();
        let taken = body::take(&mut answer, &self.limits, deadline).await?;
        if declared.is_binary(&taken.bytes) {
            return Err(FetchError::Media { status, media: format!("{} (binary)", declared.essence) });
        }
        let media = declared.media(&taken.bytes).unwrap_or(crate::Media::Text);
        Ok(Hop::Stop(Fetched::Page(Page {
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
            .field("reach", &self.reach)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn redirected(from: &WebUrl, refused: FetchError) -> FetchError {
    FetchError::Redirect { from: from.host().to_owned(), source: Box::new(refused) }
}

/// Where an answer points to, if it is a redirect that a GET follows.
fn location(answer: &Answer) -> Option<String> {
    let is_redirect = matches!(
        answer.status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    if is_redirect { text(&answer.headers, &LOCATION) } else { None }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
