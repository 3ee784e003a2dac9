//! Signatures of assertions, verified with the public key.

use ring::signature::{ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, KeyPair as _, UnparsedPublicKey};

use super::*;

fn pem(der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
}

fn decode(text: &str) -> serde_json::Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
}

#[test]
fn an_assertion_names_the_client_and_the_authority_and_is_signed() {
    let random = SystemRandom::new();
    for (algorithm, verification, name) in [
        (&ECDSA_P256_SHA256_FIXED_SIGNING, &ECDSA_P256_SHA256_FIXED, "ES256"),
        (&ECDSA_P384_SHA384_FIXED_SIGNING, &ECDSA_P384_SHA384_FIXED, "ES384"),
    ] {
        let der = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let key = ClientKey::parse(&pem(der.as_ref())).unwrap();
        let public = EcdsaKeyPair::from_pkcs8(algorithm, der.as_ref(), &random).unwrap();
        let assertion = key.assert("client-1", "https://as.example", 1_000).unwrap();
        let (signed, signature) = assertion.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let public = UnparsedPublicKey::new(verification, public.public_key().as_ref().to_vec());
        public.verify(signed.as_bytes(), &signature).unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        assert_eq!(decode(header)["alg"], name);
        let claims = decode(claims);
        assert_eq!((&claims["iss"], &claims["sub"]), (&json!("client-1"), &json!("client-1")));
        assert_eq!((&claims["aud"], &claims["exp"]), (&json!("https://as.example"), &json!(1_300)));
        let other = key.assert("client-1", "https://as.example", 1_000).unwrap();
        assert_ne!(decode(other.split('.').nth(1).unwrap())["jti"], claims["jti"]);
        assert_eq!(format!("{key:?}"), format!("ClientKey({name})"));
    }
}

#[test]
fn invalid_private_keys_are_refused() {
    assert!(matches!(ClientKey::parse("not a key"), Err(ClientKeyError::Pem)));
    assert!(matches!(ClientKey::parse(&pem(b"not a key")), Err(ClientKeyError::Kind)));
}
