//! Signing in with the key of the program: the authority receives a signed assertion, and no human is asked.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, UnparsedPublicKey,
};
use serde_json::Value;
use windlass_mcp::{ClientOptions, FileTokens, LoginError, LoginOptions, McpClient, McpServer, SignIn};

use crate::calls::{call, text};
use crate::oauth::{Authority, asked, guarded};

#[tokio::test]
async fn a_program_signs_in_with_a_signed_assertion() {
    let random = SystemRandom::new();
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pem = format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(der.as_ref())
    );
    let (web, folder) = (guarded(Authority::default()).await, tempfile::tempdir().unwrap());
    let sign_in = SignIn::new(Arc::new(FileTokens::new(folder.path().join("tokens"))));
    let sign_in = sign_in.with_client_key("client-7", &pem).unwrap();
    let server = McpServer::http("guarded", &web.url).unwrap().with_sign_in(sign_in);
    server.login(LoginOptions::default(), |url| panic!("no browser is needed for {url}")).await.unwrap();
    let client = McpClient::start(server, ClientOptions::default()).await.unwrap();
    assert!(text(&call(&client).await.unwrap()).contains("called"));

    let exchange = asked(&web, "/token")[0].text.clone();
    let form: Vec<(String, String)> = url::form_urlencoded::parse(exchange.as_bytes()).into_owned().collect();
    let word = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value);
    assert_eq!((word("grant_type"), word("resource")), ("client_credentials", web.url.as_str()));
    let (signed, signature) = word("client_assertion").rsplit_once('.').unwrap();
    let public = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &random).unwrap();
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public.public_key().as_ref().to_vec());
    public.verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
    let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!(
        (claims["sub"].as_str(), claims["aud"].as_str()),
        (Some("client-7"), Some(web.url.trim_end_matches("/mcp")),)
    );
}

#[tokio::test]
async fn a_grant_without_its_parts_is_not_possible() {
    let (web, folder) = (guarded(Authority::default()).await, tempfile::tempdir().unwrap());
    let sign_in = SignIn::new(Arc::new(FileTokens::new(folder.path().join("tokens"))));
    let sign_in = sign_in.with_client("client-7", None).with_grant(windlass_mcp::Grant::Enterprise);
    let server = McpServer::http("guarded", &web.url).unwrap().with_sign_in(sign_in);
    let error = server.login(LoginOptions::default(), |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::NotPossible { .. }), "{error}");
    assert!(asked(&web, "/token").is_empty());
}
