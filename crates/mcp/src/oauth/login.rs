//! One sign-in, from the server's word that it wants one to tokens that are kept.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, ClientCredentialsConfig,
    OAuthClientConfig,
};
use secrecy::ExposeSecret as _;
use url::Url;

use super::exchange::{Authority, KnownOrigins};
use super::listener::Listener;
use super::store::Credentials;
use super::{Grant, SignIn};
use crate::address::Address;
use crate::server::Reach;
use crate::transport::http_error::words_of;
use crate::{McpServer, OpenUrl, UrlRefusal};

/// How long a human may take.
const TIME: Duration = Duration::from_mins(5);
const CONNECT: Duration = Duration::from_secs(10);

/// Why nobody is signed in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The server has no address, or nowhere to keep tokens.
    #[error("the server {server} cannot be signed in to: it has {missing}")]
    NotPossible {
        /// The server.
        server: String,
        /// What it lacks.
        missing: &'static str,
    },
    /// No port of this machine could be waited at.
    #[error("no port of this machine could be had for the browser to come back to")]
    Listen(#[source] io::Error),
    /// The authority wants an address opened that nobody should open.
    #[error("the authority's address is not opened")]
    Url(#[from] UrlRefusal),
    /// The human did not come back.
    #[error("nobody came back from the browser in {} seconds", after.as_secs())]
    TimedOut {
        /// How long it was waited.
        after: Duration,
    },
    /// The sign-in leads to an origin that is not public, and nobody named it ([`SignIn::with_authority`]).
    #[error(
        "the server {server} sends the sign-in to {origin}, which is not a public address; if you know it, name it in the \
         server's configuration: oauth_authorities = [\"{origin}\"]"
    )]
    AuthorityNotNamed {
        /// The server.
        server: String,
        /// The origin, as a configuration names it.
        origin: String,
    },
    /// The server or its authority would not.
    #[error("{why}")]
    Refused {
        /// What was met, safe to show.
        why: String,
    },
}

/// What a sign-in is begun with.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoginOptions {
    /// What the server said when it wanted a sign-in ([`StartError::SignIn`](crate::StartError::SignIn)).
    pub challenge: Option<String>,
    /// How long the human may take; five minutes if nothing is said.
    pub time: Option<Duration>,
}

impl LoginOptions {
    /// The same with what the server said.
    pub fn with_challenge(mut self, challenge: impl Into<String>) -> Self {
        self.challenge = Some(challenge.into());
        self
    }

    /// The same with another time for the human.
    pub fn with_time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }
}

impl McpServer {
    /// Signs in: finds the server's authority, introduces this program, gives the address that the human has to open to
    /// `open`, waits until the browser comes back, and keeps the tokens. Nothing is opened here. Cancel-safe: nothing is
    /// kept before the end.
    ///
    /// # Errors
    /// If the server has no sign-in, its authority refuses, or nobody comes back.
    pub async fn login(
        &self,
        options: LoginOptions,
        open: impl FnOnce(&OpenUrl) + Send,
    ) -> Result<(), LoginError> {
        let (address, sign_in) = self.sign_in()?;
        let known = known_origins(address, sign_in);
        let signed_in = self.sign_in_at((address, sign_in), &known, options, open).await;
        signed_in.map_err(|error| match (error, known.refused()) {
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
        let mut manager = manager.map_err(refused)?;
        let found = match &options.challenge {
            Some(challenge) => manager.resolve_metadata_from_challenge(Some(challenge)).await,
            None => manager.resolve_metadata().await,
        };
        manager.set_metadata(found.map_err(refused)?.metadata);
        match sign_in.grant {
            Grant::Human => browse(manager, (sign_in, known), options.time.unwrap_or(TIME), open).await,
            Grant::Program => {
                let missing = "no client with a secret of its own";
                let config = program(address, sign_in)
                    .ok_or_else(|| LoginError::NotPossible { server: self.id().to_owned(), missing })?;
                manager.validate_client_credentials_metadata(&config).map_err(refused)?;
                manager.configure_client_credentials(&config).map_err(refused)?;
                manager.exchange_client_credentials(&config).await.map(drop).map_err(refused)
            }
        }
    }

    /// Forgets the tokens of this server. Its authority is not told.
    ///
    /// # Errors
    /// If it has no sign-in, or they are still there.
    pub fn logout(&self) -> Result<(), LoginError> {
        let (address, sign_in) = self.sign_in()?;
        let key = key(address, self.id());
        sign_in.store.clear(&key).map_err(|error| LoginError::Refused { why: error.to_string() })
    }

    /// Whether tokens of this server are kept.
    pub fn is_signed_in(&self) -> bool {
        self.sign_in().is_ok_and(|(address, sign_in)| {
            sign_in.store.load(&key(address, self.id())).is_ok_and(|tokens| tokens.is_some())
        })
    }

    fn sign_in(&self) -> Result<(&Address, &SignIn), LoginError> {
        let not_possible = |missing| LoginError::NotPossible { server: self.id().to_owned(), missing };
        let Reach::Address(address) = self.reach() else { return Err(not_possible("no address")) };
        let sign_in = address.sign_in.as_deref().ok_or_else(|| not_possible("nowhere to keep tokens"))?;
        Ok((address, sign_in))
    }
}

/// A human's sign-in, in her browser.
async fn browse(
    manager: AuthorizationManager,
    (sign_in, known): (&SignIn, &KnownOrigins),
    time: Duration,
    open: impl FnOnce(&OpenUrl) + Send,
) -> Result<(), LoginError> {
    let listener = Listener::bind(sign_in.port).await.map_err(LoginError::Listen)?;
    let request = request(sign_in, &listener.address());
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| refused(error))?;
    let url = OpenUrl::parse(session.get_authorization_url())?;
    let parsed = Url::parse(url.as_argument()).ok().filter(|url| known.judge(url).is_ok());
    let state = parsed.and_then(|url| {
        url.query_pairs().find(|(key, _)| key == "state").map(|(_, value)| value.into_owned())
    });
    let Some(state) = state.filter(|state| !state.is_empty()) else {
        let why = "the authority's page is not https, not public, or its address has no mark of this sign-in"
            .to_owned();
        return Err(LoginError::Refused { why });
    };
    open(&url);
    let answer = tokio::time::timeout(time, listener.answer(&state)).await;
    let answer = answer.map_err(|_| LoginError::TimedOut { after: time })?.map_err(LoginError::Listen)?;
    if let Some(why) = error_of(&answer) {
        return Err(LoginError::Refused { why });
    }
    session.handle_callback_url(&answer).await.map(drop).map_err(refused)
}

/// This program as a client of its own.
fn program(address: &Address, sign_in: &SignIn) -> Option<ClientCredentialsConfig> {
    let (client_id, secret) = sign_in.client.clone()?;
    Some(ClientCredentialsConfig::ClientSecret {
        client_id,
        client_secret: secret?.expose_secret().to_owned(),
        scopes: sign_in.scopes.clone(),
        resource: Some(address.as_str().to_owned()),
    })
}

/// The tokens of a server are those of its address: under the same name another address has none.
fn key(address: &Address, server: &str) -> String {
    format!("{server} {}", address.digest())
}

/// The engine's part of signing in to one server.
pub(crate) async fn manager(
    address: &Address,
    sign_in: &SignIn,
    server: &str,
) -> Result<AuthorizationManager, AuthError> {
    manager_for((address, sign_in), server, known_origins(address, sign_in)).await
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

/// The same with the tokens that are kept, if there are some.
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

/// The origins that the user chose for a sign-in.
fn known_origins(address: &Address, sign_in: &SignIn) -> KnownOrigins {
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

/// What the authority says against it in the browser's address.
fn error_of(answer: &str) -> Option<String> {
    let url = Url::parse(answer).ok()?;
    let word = |name: &str| {
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| windlass_hitl::display_safe(&value))
    };
    let error = word("error")?;
    let more = word("error_description").map(|more| format!(": {more}")).unwrap_or_default();
    Some(format!("the authority refused: {error}{more}"))
}

/// In words without bodies and tokens, whatever the engine says.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn refused(error: AuthError) -> LoginError {
    let mut why = windlass_hitl::display_safe(&error.to_string());
    why.truncate(why.floor_char_boundary(500));
    LoginError::Refused { why }
}
