//! The private key of a program, and the assertions with which it authenticates at an authority (RFC 7523,
//! `private_key_jwt`).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;

/// The time for which an assertion is valid, in seconds.
const LIFETIME_S: u64 = 300;

/// The error of a private key that cannot sign.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientKeyError {
    /// The text is not a PEM file with one PKCS #8 key.
    #[error("the private key is not a PEM file in the form PKCS #8 (\"BEGIN PRIVATE KEY\")")]
    Pem,
    /// The key is of a kind that cannot sign assertions.
    #[error("the private key is neither a P-256, a P-384 nor an RSA key")]
    Kind,
}

/// A private key. Its `Debug` output shows the algorithm only.
pub(crate) enum ClientKey {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

/// The assertion could not be signed.
#[derive(Debug)]
pub(crate) struct SigningError;

impl ClientKey {
    pub(crate) fn parse(pem: &str) -> Result<Self, ClientKeyError> {
        let key = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| ClientKeyError::Pem)?;
        let (der, random) = (key.secret_pkcs8_der(), SystemRandom::new());
        let elliptic = |algorithm| EcdsaKeyPair::from_pkcs8(algorithm, der, &random);
        if let Ok(key) = elliptic(&ECDSA_P256_SHA256_FIXED_SIGNING) {
            return Ok(Self::P256(key));
        }
        if let Ok(key) = elliptic(&ECDSA_P384_SHA384_FIXED_SIGNING) {
            return Ok(Self::P384(key));
        }
        RsaKeyPair::from_pkcs8(der).map(Self::Rsa).map_err(|_| ClientKeyError::Kind)
    }

    /// Returns the name of the algorithm in a JWT.
    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::P256(_) => "ES256",
            Self::P384(_) => "ES384",
            Self::Rsa(_) => "RS256",
        }
    }

    /// Signs an assertion of this client for an authority, at this time in seconds since 1970.
    pub(crate) fn assert(&self, client: &str, audience: &str, now_s: u64) -> Result<String, SigningError> {
        let random = SystemRandom::new();
        let mut id = [0; 16];
        random.fill(&mut id).map_err(|_| SigningError)?;
        let header = json!({"alg": self.algorithm(), "typ": "client-authentication+jwt"});
        let claims = json!({
            "iss": client,
            "sub": client,
            "aud": audience,
            "iat": now_s,
            "exp": now_s.saturating_add(LIFETIME_S),
            "jti": URL_SAFE_NO_PAD.encode(id),
        });
        let encode = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", encode(header), encode(claims));
        let signature = self.sign(text.as_bytes(), &random)?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    fn sign(&self, text: &[u8], random: &SystemRandom) -> Result<Vec<u8>, SigningError> {
        match self {
            Self::P256(key) | Self::P384(key) => {
                key.sign(random, text).map(|signature| signature.as_ref().to_vec()).map_err(|_| SigningError)
            }
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, random, text, &mut signature).map_err(|_| SigningError)?;
                Ok(signature)
            }
        }
    }
}

impl fmt::Debug for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientKey({})", self.algorithm())
    }
}

#[cfg(test)]
mod tests;
