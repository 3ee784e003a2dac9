//! The methods of the protocol.

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_app::feed::AgentPath;
use windlass_app::providers::ProviderOptions;
use windlass_app::sessions::SessionDraft;
use windlass_app::{AppError, one_line};

use crate::config_options;
use crate::connection::{CheckedSetup, ClientCapabilities, Connection, SessionId, Setup, check_setup};
use crate::prompt;
use crate::rpc::{RpcError, read_params};
use crate::sessions::{EditorSession, PromptSlot, find_mode, modes};
use crate::stored;

/// The version of the protocol.
const VERSION: u64 = 1;

/// The method, outside of the protocol, that stops one call. Its name begins as the protocol demands.
const STOP_CALL: &str = "_windlass/stop_call";

/// The method of sign-in: the key is in the environment of the agent.
const KEY_METHOD: &str = "provider-key";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetMode {
    session_id: String,
    mode_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StopCall {
    session_id: String,
    tool_call_id: String,
    /// The place of the sub-agent that made the call, as in the events of the feed.
    #[serde(default)]
    agent: Option<AgentPath>,
}

/// Reserves the session of a prompt. Other requests need no slot.
pub(crate) fn admit(
    connection: &Connection,
    id: &Value,
    method: &str,
    params: &Value,
) -> Result<Option<PromptSlot>, RpcError> {
    if method != "session/prompt" {
        return Ok(None);
    }
    let SessionId { session_id } = read_params(params.clone())?;
    connection.sessions.begin(&session_id, id).map(Some)
}

/// Handles a request.
pub(crate) async fn request(
    connection: &Connection,
    slot: Option<PromptSlot>,
    method: &str,
    params: Value,
) -> Result<Value, RpcError> {
    match (method, slot) {
        ("initialize", _) => Ok(initialize(connection, params)),
        ("authenticate", _) => authenticate(connection),
        ("session/new", _) => new_session(connection, &read_params(params)?).await,
        ("session/load", _) => stored::load(connection, read_params(params)?, true).await,
        ("session/resume", _) => stored::load(connection, read_params(params)?, false).await,
        ("session/list", _) => stored::list(connection, read_params(params)?).await,
        ("session/delete", _) => stored::delete(connection, read_params(params)?).await,
        ("session/close", _) => {
            let SessionId { session_id } = read_params(params)?;
            connection.sessions.close(&session_id)?;
            connection.shared.host.set_servers(&session_id, Vec::new());
            connection.shared.host.set_editor(&session_id, None);
            Ok(json!({}))
        }
        ("session/set_mode", _) => set_mode(connection, &read_params(params)?).await,
        ("session/set_config_option", _) => config_options::set(connection, read_params(params)?).await,
        (STOP_CALL, _) => stop_call(connection, read_params(params)?).await,
        ("session/prompt", Some(slot)) => prompt::prompt(connection, slot, read_params(params)?).await,
        _ => Err(RpcError::unknown_method(method)),
    }
}

/// Stops one call of the run that a session works on, or of a sub-agent of the run. Both continue.
async fn stop_call(connection: &Connection, parameters: StopCall) -> Result<Value, RpcError> {
    let StopCall { session_id, tool_call_id, agent } = parameters;
    connection.sessions.get(&session_id)?;
    let stopped = connection.shared.host.stop_call(&session_id, agent.as_ref(), &tool_call_id).await;
    // Only a session that works has a call to stop.
    Ok(json!({"stopped": stopped.unwrap_or(false)}))
}

/// Handles a notification. Unknown ones have no effect.
pub(crate) fn notification(connection: &Connection, method: &str, params: &Value) {
    match method {
        "session/cancel" => {
            if let Some(session) = params.get("sessionId").and_then(Value::as_str) {
                connection.sessions.cancel(session);
            }
        }
        "$/cancel_request" => {
            if let Some(request) = params.get("requestId") {
                connection.sessions.cancel_request(request);
            }
        }
        _ => {}
    }
}

/// The parameters of `initialize` that the agent uses.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialize {
    #[serde(default)]
    client_capabilities: ClientCapabilities,
}

fn initialize(connection: &Connection, params: Value) -> Value {
    // Malformed abilities are ignored.
    let Initialize { client_capabilities } = Initialize::deserialize(params).unwrap_or_default();
    // The first request counts.
    drop(connection.client.set(client_capabilities));
    let about = match find_key(connection) {
        Ok(()) => "The provider's key is in the environment of the agent.".to_owned(),
        Err(error) => one_line(&error),
    };
    describe_agent(&about)
}

/// Returns the answer to `initialize`, with a text about the sign-in.
pub(crate) fn describe_agent(about: &str) -> Value {
    json!({
        "protocolVersion": VERSION,
        "agentInfo": {"name": "windlass", "title": "Windlass", "version": env!("CARGO_PKG_VERSION")},
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true, "audio": false, "embeddedContext": true},
            "mcpCapabilities": {"http": true, "sse": false},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
            "_meta": {"windlass": {"methods": [STOP_CALL]}},
        },
        "authMethods": [{"id": KEY_METHOD, "name": "Key of the provider", "description": about}],
    })
}

/// Returns an error that names the variable if the provider's key is missing.
fn find_key(connection: &Connection) -> Result<(), AppError> {
    let shared = &connection.shared;
    shared.template.provider.client(&shared.app, &ProviderOptions::default()).map(drop)
}

fn authenticate(connection: &Connection) -> Result<Value, RpcError> {
    find_key(connection)?;
    Ok(json!({}))
}

async fn new_session(connection: &Connection, setup: &Setup) -> Result<Value, RpcError> {
    let CheckedSetup { root, servers } = check_setup(connection, setup)?;
    let id = connection.shared.host.reserve_id()?;
    let template = &connection.shared.template;
    let session = EditorSession::from_draft(SessionDraft {
        root,
        autonomy: template.autonomy,
        model: template.provider.model.clone(),
        effort: template.request.reasoning,
    });
    connection.sessions.open(&id, session.clone())?;
    stored::save_draft(connection, &id).await?;
    connection.shared.host.set_servers(&id, servers);
    connection.attach_files(&id, &setup.cwd);
    let options = config_options::list(connection, &session).await?;
    Ok(json!({"sessionId": id, "modes": modes(session.autonomy), "configOptions": options}))
}

/// Sets the autonomy of the next prompt's run.
async fn set_mode(connection: &Connection, set: &SetMode) -> Result<Value, RpcError> {
    let autonomy = find_mode(&set.mode_id)?;
    connection.sessions.update(&set.session_id, |session| session.autonomy = autonomy)?;
    stored::save_draft(connection, &set.session_id).await?;
    config_options::send(connection, &set.session_id).await?;
    Ok(json!({}))
}
