//! A client for the published conformance suite of MCP (npm `@modelcontextprotocol/conformance`). It takes
//! the server's URL as its last argument, and runs the scenario named by `MCP_CONFORMANCE_SCENARIO`.
//!
//! `npx @modelcontextprotocol/conformance client --command PROGRAM --suite all`
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program of the test suite: it reads the environment, and says what it did"
)]

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use windlass_mcp::{
    ClientOptions, Enterprise, Grant, LoginOptions, McpClient, McpServer, OpenUrl, SignIn, StartError,
    TokenStore,
};
use windlass_protocol::{Arguments, CallId, Payload, ResultStatus};
use windlass_tool::{AnswerFuture, Context, Human, Question};

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// URL of this client's metadata document, which the suite knows.
const METADATA_URL: &str = "https://conformance-test.local/client-metadata.json";
/// Maximum number of attempts to start, and of attempts to call a tool, with a sign-in after each failure.
const SIGN_INS: usize = 3;

/// A human who accepts the server's defaults with empty answers.
struct Agrees;

/// A store of tokens in memory.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, String>>);

impl Human for Agrees {
    fn answer<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async { Ok(String::new()) })
    }
}

impl TokenStore for Memory {
    fn load(&self, key: &str) -> io::Result<Option<SecretString>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(key).map(|text| text.clone().into()))
    }

    fn save(&self, key: &str, tokens: &SecretString) -> io::Result<()> {
        let text = tokens.expose_secret().to_owned();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), text);
        Ok(())
    }

    fn clear(&self, key: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let url = std::env::args().next_back().ok_or("the server's address is missing")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context: Value = std::env::var("MCP_CONFORMANCE_CONTEXT")
        .ok()
        .map_or(Ok(Value::Null), |text| serde_json::from_str(&text))?;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = McpServer::http("conformance", &url)?.with_sign_in(sign_in(&scenario, &context)?);
    let client = start(&server).await?;
    println!("{} tools", client.tools().len());
    for tool in client.tools() {
        let Some(arguments) = arguments(&client, &scenario, &context, tool.spec().name().as_str()) else {
            continue;
        };
        let payload = Payload::Function { arguments: Arguments::parse(arguments.to_string())? };
        for _ in 0..SIGN_INS {
            let output = tool.call(&Context::new(CallId::new("call")?), &payload).await?;
            println!("{:?}", output.status);
            match client.challenge().filter(|_| output.status == ResultStatus::NotStarted) {
                Some(challenge) => login(&server, &challenge).await?,
                None => break,
            }
        }
    }
    client.stop().await;
    // The session is deleted in the background.
    tokio::time::sleep(Duration::from_millis(200)).await;
    Ok(())
}

/// Returns the arguments of a call, or `None` for a tool that the scenario does not call.
fn arguments(client: &McpClient, scenario: &str, context: &Value, tool: &str) -> Option<Value> {
    let is_called = |call: &&Value| {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        tool.ends_with(&format!("__{name}"))
    };
    if let Some(calls) = context.get("toolCalls").and_then(Value::as_array) {
        return calls.iter().find(is_called).and_then(|call| call.get("arguments")).cloned();
    }
    if tool.ends_with("__json_schema_echo") {
        let other = client.definitions().into_iter().find(|other| other.name != "json_schema_echo")?;
        return Some(json!({ "schema": other.input_schema.to_value() }));
    }
    Some(if scenario == "tools_call" { json!({"a": 5, "b": 3}) } else { json!({}) })
}

fn sign_in(scenario: &str, context: &Value) -> Result<SignIn, Failed> {
    let word = |key: &str| context.get(key).and_then(Value::as_str);
    // The suite's authorities listen on other ports of this machine.
    let sign_in =
        SignIn::new(Arc::new(Memory::default())).with_metadata_url(METADATA_URL).with_any_authority();
    let grant = if scenario.starts_with("auth/client-credentials") { Grant::Program } else { Grant::Human };
    let sign_in = sign_in.with_grant(grant);
    if let (Some(id), Some(pem)) = (word("client_id"), word("private_key_pem")) {
        return Ok(sign_in.with_client_key(id, pem)?);
    }
    let sign_in = match enterprise(&word) {
        Some(enterprise) => sign_in.with_enterprise(enterprise),
        None => sign_in,
    };
    Ok(match word("client_id") {
        Some(id) => sign_in.with_client(id, word("client_secret").map(str::to_owned)),
        None => sign_in,
    })
}

/// Returns the enterprise of a scenario with an identity provider.
fn enterprise<'a>(word: &impl Fn(&str) -> Option<&'a str>) -> Option<Enterprise> {
    let (issuer, endpoint) = (word("idp_issuer")?, word("idp_token_endpoint")?);
    Enterprise::new(issuer, endpoint, word("idp_client_id")?, word("idp_id_token")?).ok()
}

async fn start(server: &McpServer) -> Result<McpClient, Failed> {
    let options = ClientOptions::default().with_human(Arc::new(Agrees));
    for _ in 0..SIGN_INS {
        match McpClient::start(server.clone(), options.clone()).await {
            Err(StartError::SignIn { challenge, .. }) => login(server, &challenge).await?,
            started => return Ok(started?),
        }
    }
    Err("signed in, and still not let in".into())
}

/// Follows the redirect in place of a browser: the suite's authority consents at once.
async fn login(server: &McpServer, challenge: &str) -> Result<(), Failed> {
    let options = LoginOptions::default().with_challenge(challenge).with_time(Duration::from_secs(10));
    let visit = |url: &OpenUrl| {
        let address = url.as_argument().to_owned();
        tokio::spawn(async move {
            let client = reqwest::Client::builder().no_proxy().build();
            if let Ok(client) = client {
                let _ = client.get(address).send().await;
            }
        });
    };
    Ok(server.login(options, visit).await?)
}
