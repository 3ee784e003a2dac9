//! Grants that the engine does not perform itself: a signed assertion of the program, and the sign-in of an enterprise.

use std::time::{SystemTime, UNIX_EPOCH};

use oauth2::ClientSecret;
use rmcp::transport::auth::enterprise::{
    EmaAuthorizationServer, EmaClientAuthentication, EmaExchangeRequest,
};
use rmcp::transport::auth::{
    AuthorizationMetadata, CredentialStore as _, OAuthTokenResponse, StoredCredentials,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::client_key::ClientKey;
use super::enterprise::Enterprise;
use super::exchange::{Authority, KnownOrigins};
use super::login::{CONNECT, LoginError};
use super::store::Credentials;
use super::{Grant, SignIn};
use crate::address::Address;
use crate::transport::http_error::words_of;

/// The type of an assertion that authenticates a client.
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Performs the grant of a sign-in with a key or with an enterprise, and stores the tokens.
pub(super) async fn perform(
    (address, sign_in): (&Address, &SignIn),
    server: &str,
    known: &KnownOrigins,
    metadata: &AuthorizationMetadata,
    store_key: String,
) -> Result<(), LoginError> {
    let not_possible = |missing| LoginError::NotPossible { server: server.to_owned(), missing };
    let (client, secret) = sign_in.client.as_ref().ok_or_else(|| not_possible("no client id"))?;
    let authority = Authority::new(CONNECT, known.clone()).map_err(|error| refuse(words_of(error)))?;
    let scopes = sign_in.scopes.as_slice();
    let request = GrantRequest { authority, metadata, client, scopes, resource: address.as_str() };
    let credentials = match (&sign_in.enterprise, &sign_in.key) {
        (Some(enterprise), _) if sign_in.grant == Grant::Enterprise => {
            request.request_with_enterprise(enterprise, secret.as_ref()).await?
        }
        (_, Some(key)) => request.request_with_key(key).await?,
        (_, None) => return Err(not_possible("no identity provider of an enterprise")),
    };
    let store = Credentials { store: sign_in.store.clone(), key: store_key };
    store.save(credentials).await.map_err(|error| refuse(error.to_string()))
}

/// The parts of a sign-in that all grants need.
struct GrantRequest<'a> {
    authority: Authority,
    metadata: &'a AuthorizationMetadata,
    client: &'a str,
    scopes: &'a [String],
    /// The address of the server, which the tokens are for.
    resource: &'a str,
}

impl GrantRequest<'_> {
    /// Requests a token with the client credentials grant, authenticated by a signed assertion.
    async fn request_with_key(&self, key: &ClientKey) -> Result<StoredCredentials, LoginError> {
        if self.supports("private_key_jwt") == Some(false) {
            return Err(refuse("the authority does not accept clients that authenticate with a key"));
        }
        let issuer = self.issuer()?;
        let assertion =
            key.assert(self.client, issuer, now_s()).map_err(|_| refuse("the key cannot sign"))?;
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        form.append_pair("client_assertion_type", ASSERTION_TYPE);
        form.append_pair("client_assertion", &assertion);
        form.append_pair("resource", self.resource);
        if !self.scopes.is_empty() {
            form.append_pair("scope", &self.scopes.join(" "));
        }
        let request = http::Request::post(&self.metadata.token_endpoint)
            .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(http::header::ACCEPT, "application/json")
            .body(form.finish().into_bytes())
            .map_err(|_| refuse("the authority's token endpoint is not an address"))?;
        let response = self.authority.send(request).await.map_err(|error| refuse(error.to_string()))?;
        let (status, body) = (response.status(), response.body());
        if !status.is_success() {
            let error: Value = serde_json::from_slice(body).unwrap_or_default();
            let code = error.get("error").and_then(Value::as_str).unwrap_or("no reason");
            return Err(refuse(format!("the authority answered with the status {status}: {code}")));
        }
        let tokens =
            serde_json::from_slice(body).map_err(|_| refuse("the authority's answer has no token"))?;
        Ok(self.to_credentials(tokens))
    }

    /// Exchanges the user's identity token for an assertion, and the assertion for a token.
    async fn request_with_enterprise(
        &self,
        enterprise: &Enterprise,
        secret: Option<&SecretString>,
    ) -> Result<StoredCredentials, LoginError> {
        let provider = EmaAuthorizationServer::new(
            enterprise.issuer.as_str(),
            enterprise.token_endpoint.as_str(),
            enterprise.client.as_str(),
        )
        .with_client_authentication(basic(enterprise.secret.as_ref()));
        let own = match secret {
            Some(secret) if self.supports("client_secret_basic") == Some(false) => {
                EmaClientAuthentication::ClientSecretPost(ClientSecret::new(
                    secret.expose_secret().to_owned(),
                ))
            }
            secret => basic(secret),
        };
        let server = EmaAuthorizationServer::new(self.issuer()?, &*self.metadata.token_endpoint, self.client)
            .with_client_authentication(own);
        let id_token = enterprise.id_token.expose_secret();
        let request = EmaExchangeRequest::new_with_id_token(provider, server, self.resource, id_token)
            .with_scopes(self.scopes.iter().cloned());
        let token = request.exchange(&self.authority, &self.authority).await;
        let token = token.map_err(|error| refuse(error.to_string()))?;
        let tokens = json!({
            "access_token": token.access_token.secret(),
            "token_type": "Bearer",
            "expires_in": token.expires_in.map(|time| time.as_secs()),
        });
        let tokens =
            serde_json::from_value(tokens).map_err(|_| refuse("the authority's answer has no token"))?;
        Ok(self.to_credentials(tokens))
    }

    fn issuer(&self) -> Result<&str, LoginError> {
        self.metadata.issuer.as_deref().ok_or_else(|| refuse("the authority does not name its issuer"))
    }

    /// Returns whether the authority accepts a method of authentication; `None` if it does not state it.
    fn supports(&self, method: &str) -> Option<bool> {
        let methods = self.metadata.additional_fields.get("token_endpoint_auth_methods_supported")?;
        Some(methods.as_array()?.iter().any(|name| name == method))
    }

    fn to_credentials(&self, tokens: OAuthTokenResponse) -> StoredCredentials {
        let scopes = self.scopes.to_vec();
        let mut credentials =
            StoredCredentials::new(self.client.to_owned(), Some(tokens), scopes, Some(now_s()));
        credentials.issuer.clone_from(&self.metadata.issuer);
        credentials
    }
}

fn basic(secret: Option<&SecretString>) -> EmaClientAuthentication {
    secret.map_or(EmaClientAuthentication::None, |secret| {
        EmaClientAuthentication::ClientSecretBasic(ClientSecret::new(secret.expose_secret().to_owned()))
    })
}

/// Creates the error of a refused sign-in. The text is safe to display, and at most 500 bytes long.
pub(super) fn refuse(why: impl AsRef<str>) -> LoginError {
    let mut why = windlass_hitl::display_safe(why.as_ref());
    why.truncate(why.floor_char_boundary(500));
    LoginError::Refused { why }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
