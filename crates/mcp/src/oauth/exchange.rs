//! Requests to authorities: https or this machine itself, bounded, led nowhere with a secret.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Client;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use url::Url;

use crate::address::is_closed;
use crate::transport::tls;

/// The longest answer of an authority.
const MOST_BYTES: usize = 1024 * 1024;
const TIME: Duration = Duration::from_secs(30);

/// Carries the engine's requests to authorities.
pub(crate) struct Authority {
    follows: Client,
    stops: Client,
}

/// Why an authority was not asked.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("an authority's address is https, or http to this machine itself")]
    Open,
    #[error("the authority's answer is too long")]
    TooLong,
}

impl Authority {
    pub(crate) fn new(connect: Duration) -> Result<Self, reqwest::Error> {
        Ok(Self { follows: tls::client(connect)?, stops: tls::straight_client(connect)? })
    }

    async fn ask(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let client = match request.redirect_policy {
            OAuthHttpRedirectPolicy::Follow => &self.follows,
            _ => &self.stops,
        };
        let sent = reqwest::Request::try_from(request.request)?;
        if !Url::parse(sent.url().as_str()).is_ok_and(|url| is_closed(&url)) {
            return Err(Refused::Open.into());
        }
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
                return Err(Refused::TooLong.into());
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
            tokio::time::timeout(time, self.ask(request)).await?
        })
    }
}
