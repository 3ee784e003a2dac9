//! The key by which push services recognize a server (VAPID, RFC 8292).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::error::Unspecified;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

/// Life of a signed token in seconds. Push services accept at most 24 hours.
const TOKEN_SECONDS: u64 = 12 * 3_600;

/// The contact in each token, which Apple's push service demands.
const CONTACT: &str = env!("CARGO_PKG_REPOSITORY");

/// Key that signs the requests to push services.
pub(crate) struct SigningKey(EcdsaKeyPair);

impl SigningKey {
    /// Generates a key, and returns it in the form of PKCS #8.
    pub(super) fn generate() -> Result<Vec<u8>, Unspecified> {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())?;
        Ok(document.as_ref().to_vec())
    }

    pub(super) fn from_pkcs8(document: &[u8]) -> Result<Self, Unspecified> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document, &SystemRandom::new());
        pair.map(Self).map_err(|_| Unspecified)
    }

    /// Returns the public key in base64url, which a browser needs for its subscription.
    pub(super) fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key().as_ref())
    }

    /// Returns the header `Authorization` for a push service with this origin.
    pub(super) fn authorization(&self, origin: &str, now_seconds: u64) -> Result<String, Unspecified> {
        let head = URL_SAFE_NO_PAD.encode(json!({"typ": "JWT", "alg": "ES256"}).to_string());
        let expires = now_seconds.saturating_add(TOKEN_SECONDS);
        let claims = json!({"aud": origin, "exp": expires, "sub": CONTACT});
        let signed = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes())?;
        let signature = URL_SAFE_NO_PAD.encode(signature.as_ref());
        Ok(format!("vapid t={signed}.{signature}, k={}", self.public()))
    }
}
