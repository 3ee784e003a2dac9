//! One sign-in, from the server's challenge to stored tokens.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, ClientCredentialsConfig,
    OAuthClientConfig,
};
use secrecy::ExposeSecret as _;
use url::Url;
use windlass_web_reach::RedirectListener;

use super::exchange::{Authority, KnownOrigins};
use super::grants;
use super::scopes::select_scopes;
use super::store::Credentials;
use super::{Grant, SignIn};
use crate::address::Address;
use crate::server::Reach;
use crate::transport::http_error::words_of;
use crate::{McpServer, OpenUrl, UrlRefusal};

/// Default time for the human.
const TIME: Duration = Duration::from_mins(5);
pub(super) const CONNECT: Duration = Duration::from_secs(10);

/// Error of a sign-in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The server has no URL or no store of tokens, or its grant requires a client secret that is missing.
    #[error("the server {server} cannot be signed in to: it has {missing}")]
    NotPossible {
        /// The server's id.
        server: String,
        /// The missing part.
        missing: &'static str,
    },
    /// The local listener to which the browser returns failed.
    #[error("no local port could be opened for the browser's redirect")]
    Listen(#[source] io::Error),
    /// The authorization URL is not safe to open.
    #[error("the authority's address is not opened")]
    Url(#[from] UrlRefusal),
    /// The browser did not return in time.
    #[error("the browser did not return within {} seconds", after.as_secs())]
    TimedOut {
        /// The time limit.
        after: Duration,
    },
    /// The sign-in leads to an origin that is not public and that [`SignIn::with_authority`] does not name.
    #[error(
        "the server {server} sends the sign-in to {origin}, which is not a public address; if you know it, name it in the \
         server's configuration: oauth_authorities = [\"{origin}\"]"
    )]
    AuthorityNotNamed {
        /// The server's id.
        server: String,
        /// The origin, in the form for the configuration.
        origin: String,
    },
    /// The server or its authority refused the sign-in.
    #[error("{why}")]
    Refused {
        /// The reason, safe to display.
        why: String,
    },
}

/// Options of a sign-in.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoginOptions {
    /// The server's challenge ([`StartError::SignIn`](crate::StartError::SignIn)), or `None` to use its
    /// metadata.
    pub challenge: Option<String>,
    /// Time limit for the human. The default is five minutes.
    pub time: Option<Duration>,
}

impl LoginOptions {
    /// Sets the server's challenge.
    pub fn with_challenge(mut self, challenge: impl Into<String>) -> Self {
        self.challenge = Some(challenge.into());
        self
    }

    /// Sets the time limit for the human.
    pub fn with_time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }
}

impl McpServer {
    /// Signs in: discovers the server's authority, registers this program, passes the authorization URL to
    /// `open`, waits until the browser returns, and stores the tokens. The crate does not open a browser.
    /// [`Grant::Program`] needs no human, so `open` is not called. Cancel-safe: tokens are stored at the end
    /// only.
    ///
    /// # Errors
    /// If the server has no sign-in, its authority refuses, or the browser does not return in time.
    pub async fn login(
        &self,
        options: LoginOptions,
        open: impl FnOnce(&OpenUrl) + Send,
    ) -> Result<(), LoginError> {
        let (address, sign_in) = self.sign_in()?;
        let known = collect_origins(address, sign_in);
        let signed_in = self.sign_in_at((address, sign_in), &known, options, open).await;
        signed_in.map_err(|error| match (error, known.find_refused_origin()) {
            (LoginError::Refused { .. }, Some(origin)) => {
                LoginError::AuthorityNotNamed { server: self.id().to_owned(), origin }
            }
            (error, _) => error,
        })
    }

    async fn sign_in_at(
        &self,
        (address, sign_in): (&Address, &SignIn),
        known: &KnownOrigins,
        options: LoginOptions,
        open: impl FnOnce(&OpenUrl) + Send,
    ) -> Result<(), LoginError> {
        let manager = manager_for((address, sign_in), self.id(), known.clone()).await;
        let mut manager = manager.map_err(to_login_error)?;
        let found = match &options.challenge {
            Some(challenge) => manager.resolve_metadata_from_challenge(Some(challenge)).await,
            None => manager.resolve_metadata().await,
        };
        let metadata = found.map_err(to_login_error)?.metadata;
        if sign_in.key.is_some() || sign_in.grant == Grant::Enterprise {
            let key = key(address, self.id());
            return grants::perform((address, sign_in), self.id(), known, &metadata, key).await;
        }
        manager.set_metadata(metadata);
        match sign_in.grant {
            Grant::Human => {
                let scopes = match &options.challenge {
                    Some(_) => select_scopes(&manager, sign_in, key(address, self.id())).await,
                    None => sign_in.scopes.clone(),
                };
                let sign_in = SignIn { scopes, ..sign_in.clone() };
                browse(manager, (&sign_in, known), options.time.unwrap_or(TIME), open).await
            }
            Grant::Program | Grant::Enterprise => {
                let missing = "no client id with a client secret";
                let config = program(address, sign_in)
                    .ok_or_else(|| LoginError::NotPossible { server: self.id().to_owned(), missing })?;
                manager.validate_client_credentials_metadata(&config).map_err(to_login_error)?;
                manager.configure_client_credentials(&config).map_err(to_login_error)?;
                manager.exchange_client_credentials(&config).await.map(drop).map_err(to_login_error)
            }
        }
    }

    /// Deletes the server's stored tokens. They are not revoked at the authority.
    ///
    /// # Errors
    /// If the server has no sign-in, or if the tokens could not be deleted.
    pub fn logout(&self) -> Result<(), LoginError> {
        let (address, sign_in) = self.sign_in()?;
        let key = key(address, self.id());
        sign_in.store.clear(&key).map_err(|error| LoginError::Refused { why: error.to_string() })
    }

    /// Returns whether tokens of this server are stored.
    pub fn is_signed_in(&self) -> bool {
        self.sign_in().is_ok_and(|(address, sign_in)| {
            sign_in.store.load(&key(address, self.id())).is_ok_and(|tokens| tokens.is_some())
        })
    }

    fn sign_in(&self) -> Result<(&Address, &SignIn), LoginError> {
        let not_possible = |missing| LoginError::NotPossible { server: self.id().to_owned(), missing };
        let Reach::Address(address) = self.reach() else { return Err(not_possible("no address")) };
        let sign_in = address.sign_in.as_deref().ok_or_else(|| not_possible("no storage for tokens"))?;
        Ok((address, sign_in))
    }
}

/// Signs in with the authorization code grant in a human's browser.
async fn browse(
    manager: AuthorizationManager,
    (sign_in, known): (&SignIn, &KnownOrigins),
    time: Duration,
    open: impl FnOnce(&OpenUrl) + Send,
) -> Result<(), LoginError> {
    let listener = RedirectListener::bind(sign_in.port).await.map_err(LoginError::Listen)?;
    let request = request(sign_in, &listener.redirect_uri("127.0.0.1"));
    let session =
        AuthorizationSession::new(manager, request).await.map_err(|(_, error)| to_login_error(error))?;
    let url = OpenUrl::parse(session.get_authorization_url())?;
    let parsed = Url::parse(url.as_argument()).ok().filter(|url| known.check(url).is_ok());
    let state = parsed.and_then(|url| {
        url.query_pairs().find(|(key, _)| key == "state").map(|(_, value)| value.into_owned())
    });
    let Some(state) = state.filter(|state| !state.is_empty()) else {
        let why = "the authority's page is not https, not public, or its address lacks the state of this \
                   sign-in"
            .to_owned();
        return Err(LoginError::Refused { why });
    };
    open(&url);
    let is_ours = move |url: &Url| url.query_pairs().any(|(key, value)| key == "state" && value == state);
    let answer = tokio::time::timeout(time, listener.wait(is_ours)).await;
    let answer = answer.map_err(|_| LoginError::TimedOut { after: time })?.map_err(LoginError::Listen)?;
    if let Some(why) = error_of(&answer) {
        return Err(LoginError::Refused { why });
    }
    session.handle_callback_url(answer.as_str()).await.map(drop).map_err(to_login_error)
}

/// Returns the configuration of the client credentials grant, or `None` without a client secret.
fn program(address: &Address, sign_in: &SignIn) -> Option<ClientCredentialsConfig> {
    let (client_id, secret) = sign_in.client.clone()?;
    Some(ClientCredentialsConfig::ClientSecret {
        client_id,
        client_secret: secret?.expose_secret().to_owned(),
        scopes: sign_in.scopes.clone(),
        resource: Some(address.as_str().to_owned()),
    })
}

/// Returns the key of a server's tokens. It includes the URL, so that another URL under the same id has no
/// tokens.
fn key(address: &Address, server: &str) -> String {
    format!("{server} {}", address.digest())
}

/// Creates the engine's authorization manager of a server.
pub(crate) async fn manager(
    address: &Address,
    sign_in: &SignIn,
    server: &str,
) -> Result<AuthorizationManager, AuthError> {
    manager_for((address, sign_in), server, collect_origins(address, sign_in)).await
}

async fn manager_for(
    (address, sign_in): (&Address, &SignIn),
    server: &str,
    known: KnownOrigins,
) -> Result<AuthorizationManager, AuthError> {
    let authority =
        Authority::new(CONNECT, known).map_err(|error| AuthError::InternalError(words_of(error)))?;
    let mut manager =
        AuthorizationManager::new_with_oauth_http_client(address.as_str(), Arc::new(authority)).await?;
    let store = sign_in.store.clone();
    manager.set_credential_store(Credentials { store, key: key(address, server) });
    Ok(manager)
}

/// Creates the authorization manager with the stored tokens, or returns `None` without tokens.
pub(crate) async fn signed_in(
    address: &Address,
    sign_in: &SignIn,
    server: &str,
) -> Result<Option<AuthorizationManager>, AuthError> {
    if !sign_in.store.load(&key(address, server)).is_ok_and(|tokens| tokens.is_some()) {
        return Ok(None);
    }
    let mut manager = manager(address, sign_in, server).await?;
    if !manager.initialize_from_store().await? {
        return Ok(None);
    }
    if let Some((id, Some(secret))) = &sign_in.client {
        let config = OAuthClientConfig::new(id, "http://127.0.0.1/callback");
        manager.configure_client(config.with_client_secret(secret.expose_secret()))?;
    }
    Ok(Some(manager))
}

/// Returns the origins that the user chose for a sign-in.
fn collect_origins(address: &Address, sign_in: &SignIn) -> KnownOrigins {
    let own = Url::parse(address.as_str()).ok();
    KnownOrigins::new(own.into_iter().chain(sign_in.authorities.iter().cloned()), sign_in.any_authority)
}

fn request(sign_in: &SignIn, redirect: &str) -> AuthorizationRequest {
    let mut request = AuthorizationRequest::new(redirect)
        .with_client_name("windlass")
        .with_initial_scope_selection()
        .with_scopes(sign_in.scopes.iter().cloned());
    if let Some((id, secret)) = &sign_in.client {
        request = request.with_preregistered_client(id);
        if let Some(secret) = secret {
            request = request.with_client_secret(secret.expose_secret());
        }
    }
    if let Some(url) = &sign_in.metadata_url {
        request = request.with_client_metadata_url(url);
    }
    request
}

/// Returns the error in the authority's redirect, if there is one.
fn error_of(answer: &Url) -> Option<String> {
    let word = |name: &str| {
        answer
            .query_pairs()
            .find(|(key, _)| key == name)
            .map(|(_, value)| windlass_hitl::display_safe(&value))
    };
    let error = word("error")?;
    let more = word("error_description").map(|more| format!(": {more}")).unwrap_or_default();
    Some(format!("the authority refused: {error}{more}"))
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn to_login_error(error: AuthError) -> LoginError {
    grants::refuse(error.to_string())
}
