//! HTTP requests to authorities: https or this machine only, with limits on size and time, and without access
//! to private addresses that the server chose (SECURITY, "`web_fetch`").

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Client;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use url::{Origin, Url};
use windlass_web_reach::{
    CheckedAddress, HostPort, Reach, ReachError, Scope, SystemResolver, check_addresses,
};

use crate::address::is_closed;
use crate::transport::tls;

/// Maximum length of an authority's response in bytes.
const MOST_BYTES: usize = 1024 * 1024;
const TIME: Duration = Duration::from_secs(30);

/// The engine's HTTP client for authorities.
///
/// A server names its authority, and the authority names all further URLs, so a hostile one can name services
/// of this machine and of its network. Hosts outside the origins that the user named must therefore have
/// public addresses.
pub(crate) struct Authority {
    follows: Client,
    stops: Client,
    connect: Duration,
    known: KnownOrigins,
}

/// The origins that the user chose: the server's own, and those of `SignIn::with_authority`. Clones share the
/// refused origin.
#[derive(Clone, Debug)]
pub(crate) struct KnownOrigins {
    origins: Vec<Origin>,
    is_any: bool,
    /// The first origin that was refused because its address is not public.
    refused: Arc<Mutex<Option<String>>>,
}

impl KnownOrigins {
    /// Creates the set of these origins, or of all origins if `is_any`.
    pub(crate) fn new(urls: impl IntoIterator<Item = Url>, is_any: bool) -> Self {
        Self { origins: urls.into_iter().map(|url| url.origin()).collect(), is_any, refused: Arc::default() }
    }

    /// Returns the refused origin, if there is one. The user has to name it before the sign-in can reach it;
    /// the engine's errors do not carry the reason.
    pub(crate) fn find_refused_origin(&self) -> Option<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records an origin whose address is not public.
    fn refuse(&self, url: &Url, why: ReachError) -> RefusedAuthority {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.get_or_insert_with(|| url.origin().ascii_serialization());
        RefusedAuthority::Private(why)
    }

    /// Checks the text of a URL for a request or a browser. The host of an unknown origin must be public.
    ///
    /// Returns the endpoint whose addresses must still be checked, or `None` for a known origin.
    pub(crate) fn check(&self, url: &Url) -> Result<Option<HostPort>, RefusedAuthority> {
        if !is_closed(url) {
            return Err(RefusedAuthority::Open);
        }
        if self.is_any || self.origins.contains(&url.origin()) {
            return Ok(None);
        }
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(443));
        let endpoint = HostPort::from_host(host, port).map_err(|_| RefusedAuthority::Open)?;
        // Authorities also use ports other than those of the web.
        let reach =
            Reach::default().with_host(host, port, Scope::Public).map_err(|_| RefusedAuthority::Open)?;
        reach.scope(&endpoint, Some(Scope::Public)).map_err(|why| self.refuse(url, why))?;
        Ok(Some(endpoint))
    }
}

/// Error of a request to an authority that this client refused to send.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RefusedAuthority {
    #[error("an authority's address must use https, or http on this machine")]
    Open,
    #[error(
        "the server named an authority's address that is not public, and the sign-in does not name it: {0}"
    )]
    Private(#[source] ReachError),
    #[error("the authority's answer is too long")]
    TooLong,
}

impl Authority {
    pub(crate) fn new(connect: Duration, known: KnownOrigins) -> Result<Self, reqwest::Error> {
        Ok(Self { follows: tls::client(connect)?, stops: tls::straight_client(connect)?, connect, known })
    }

    /// Returns the client for a URL. For an unknown origin, resolves the host once, checks the addresses, and
    /// returns a client that connects to these addresses only.
    async fn client(&self, url: &Url, follows: bool) -> Result<Client, OAuthHttpClientError> {
        let Some(endpoint) = self.known.check(url)? else {
            return Ok(if follows { self.follows.clone() } else { self.stops.clone() });
        };
        let addresses = check_addresses(&endpoint, Scope::Public, &SystemResolver).await;
        let addresses = addresses.map_err(|why| self.known.refuse(url, why))?;
        let addresses: Vec<_> = addresses.into_iter().map(CheckedAddress::address).collect();
        let host = url.host_str().unwrap_or_default();
        Ok(tls::build_pinned_client(self.connect, (host, &addresses), follows)?)
    }

    /// Sends a request, and does not follow a redirect.
    pub(crate) async fn send(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        tokio::time::timeout(TIME, self.ask(request, false)).await?
    }

    async fn ask(
        &self,
        request: http::Request<Vec<u8>>,
        follows: bool,
    ) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let sent = reqwest::Request::try_from(request)?;
        let url = Url::parse(sent.url().as_str()).map_err(|_| RefusedAuthority::Open)?;
        let client = self.client(&url, follows).await?;
        let response = client.execute(sent).await.map_err(reqwest::Error::without_url)?;
        let mut built = http::Response::builder().status(response.status());
        for (name, value) in response.headers() {
            built = built.header(name, value);
        }
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(reqwest::Error::without_url)?;
            if body.len().saturating_add(chunk.len()) > MOST_BYTES {
                return Err(RefusedAuthority::TooLong.into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(built.body(body)?)
    }
}

impl OAuthHttpClient for Authority {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let time = request.timeout.map_or(TIME, |time| time.min(TIME));
            let follows = matches!(request.redirect_policy, OAuthHttpRedirectPolicy::Follow);
            tokio::time::timeout(time, self.ask(request.request, follows)).await?
        })
    }
}
