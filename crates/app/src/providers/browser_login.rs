//! Sign-in at a provider in a browser, which returns a key of the user.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::StreamExt as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use url::Url;
use windlass_client::{Header, HttpTransport, Transport as _, TransportRequest, TransportResponse, Vendor};
use windlass_vendors::BrowserSignIn;
use windlass_web_reach::RedirectListener;

use super::access::ProviderOptions;
use crate::error::{Context as _, Result, bail, ensure};
use crate::runs::no_random_bytes;

/// Time for the person in the browser, and for the exchange of the code.
const PERSON_TIME: Duration = Duration::from_mins(10);
const EXCHANGE_TIME: Duration = Duration::from_mins(1);

/// Maximum length in bytes of the response with the key.
const MAX_BODY: usize = 64 * 1024;

/// Only method of a code challenge that is used.
const METHOD: &str = "S256";

/// Sign-in at a provider in the user's browser: an authorization code with PKCE. The provider creates a key, which the
/// user can revoke there.
///
/// ```
/// use windlass_app::providers::{BrowserLogin, ProviderOptions};
/// use windlass_client::Vendors;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let vendors = Vendors::builtin();
/// let vendor = vendors.get("openrouter").ok_or("unknown")?;
/// let login = BrowserLogin::begin(vendor, &ProviderOptions::default()).await?;
/// assert!(login.page().starts_with("https://openrouter.ai/auth?"));
/// // The user opens the page; then `login.wait_for_code()` and `login.exchange(code)` return the key.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BrowserLogin {
    sign_in: BrowserSignIn,
    listener: RedirectListener,
    transport: HttpTransport,
    page: String,
    verifier: SecretString,
}

/// Code that a browser returned from the page of a provider. It creates a key, once.
#[derive(Debug)]
pub struct LoginCode(SecretString);

impl BrowserLogin {
    /// Opens the local port to which the browser returns.
    ///
    /// # Errors
    ///
    /// Fails if the vendor lacks such a sign-in, if the HTTP settings are invalid, or if a local port cannot be opened.
    pub async fn begin(vendor: &Vendor, options: &ProviderOptions) -> Result<Self> {
        let Some(sign_in) = vendor.endpoint.sign_in.clone() else {
            bail!(Invalid, "{} has no sign-in in a browser", vendor.name());
        };
        let transport = HttpTransport::new(&options.http()?)?;
        let listener = RedirectListener::bind(0).await.context("no local port could be opened")?;
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(no_random_bytes)?;
        let verifier = URL_SAFE_NO_PAD.encode(random);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        let parameters = [
            ("callback_url", listener.redirect_uri("localhost")),
            ("code_challenge", challenge),
            ("code_challenge_method", METHOD.to_owned()),
        ];
        let page = Url::parse_with_params(&sign_in.page, parameters);
        let page = page.ok().context("the address of the provider's sign-in is invalid")?.to_string();
        Ok(Self { sign_in, listener, transport, page, verifier: SecretString::from(verifier) })
    }

    /// Returns the address of the page that the user opens.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// Waits until the browser returns. Cancel-safe.
    ///
    /// # Errors
    ///
    /// Fails if the user refuses on the page, if the browser does not return within ten minutes, or if the port fails.
    pub async fn wait_for_code(&self) -> Result<LoginCode> {
        let is_answer = |url: &Url| url.query_pairs().any(|(key, _)| key == "code" || key == "error");
        let returned = tokio::time::timeout(PERSON_TIME, self.listener.wait(is_answer)).await;
        let seconds = PERSON_TIME.as_secs();
        let returned =
            returned.ok().with_context(|| format!("the browser did not return within {seconds} seconds"))?;
        LoginCode::parse(returned.context("the local port failed")?.as_str())
    }

    /// Exchanges the code for the key.
    ///
    /// # Errors
    ///
    /// Fails if the provider cannot be reached, or refuses the code.
    pub async fn exchange(&self, code: &LoginCode) -> Result<String> {
        let body = json!({
            "code": code.0.expose_secret(),
            "code_verifier": self.verifier.expose_secret(),
            "code_challenge_method": METHOD,
        });
        let request = TransportRequest::post(&self.sign_in.exchange, body.to_string())
            .with_header(Header::new("content-type", "application/json"));
        let key = async {
            let response = self.transport.send(request).await;
            read_key(response.context("the provider cannot be reached")?).await
        };
        let key = tokio::time::timeout(EXCHANGE_TIME, key).await.ok();
        key.context("the provider did not answer")?
    }
}

impl LoginCode {
    /// Parses the address to which the browser returned, or the code alone. A browser on another machine cannot reach the
    /// local port, but its address line has the code.
    ///
    /// # Errors
    ///
    /// Fails if the text lacks a code, or reports a refusal.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let Ok(url) = Url::parse(text) else {
            ensure!(!text.is_empty(), Invalid, "the code is empty");
            return Ok(Self(SecretString::from(text)));
        };
        let code = url.query_pairs().find(|(key, _)| key == "code").map(|(_, value)| value.into_owned());
        Ok(Self(SecretString::from(code.context("the sign-in was refused in the browser")?)))
    }
}

async fn read_key(response: TransportResponse) -> Result<String> {
    #[derive(Deserialize)]
    struct KeyResponse {
        key: String,
    }
    // The body could quote the code.
    ensure!(response.status == 200, Unavailable, "the provider refused the code: status {}", response.status);
    let (mut chunks, mut body) = (response.body, Vec::new());
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.context("the provider's answer broke off")?);
        ensure!(body.len() <= MAX_BODY, Unavailable, "the provider's answer is too long");
    }
    let created: Option<KeyResponse> = serde_json::from_slice(&body).ok();
    Ok(created.context("the provider's answer has no key")?.key)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::LoginCode;

    #[test]
    fn a_login_code_is_parsed_from_a_url_or_alone() {
        for text in ["http://localhost:51423/callback?code=a%2Bb", " a+b\n"] {
            assert_eq!(LoginCode::parse(text).unwrap().0.expose_secret(), "a+b");
        }
        for text in ["", "http://localhost:51423/callback?error=access_denied"] {
            assert!(LoginCode::parse(text).is_err(), "{text}");
        }
    }
}
