//! The configuration options of a session: autonomy, model, and amount of reasoning.

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_app::sessions::PageRequest;
use windlass_protocol::Effort;

use crate::connection::Connection;
use crate::rpc::RpcError;
use crate::sessions::{EditorSession, find_mode, modes};
use crate::stored::{on_sessions, save_draft};

const MODE: &str = "mode";
const MODEL: &str = "model";
const EFFORT: &str = "thought_level";

/// The value that leaves the amount of reasoning to the provider.
const DEFAULT_EFFORT: &str = "default";
const EFFORTS: [&str; 5] = ["minimal", "low", "medium", "high", "max"];

/// Number of recent sessions whose models are offered, and largest number of models.
const RECENT: usize = 200;
const MAX_MODELS: usize = 50;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetOption {
    session_id: String,
    config_id: String,
    value: Value,
}

/// Returns the options of a session with their values.
pub(crate) async fn list(connection: &Connection, session: &EditorSession) -> Result<Value, RpcError> {
    let models = list_models(connection, &session.model).await?;
    Ok(describe(session, &models))
}

/// Returns the model of the session, the one of new sessions, and those of recent sessions with the same provider.
async fn list_models(connection: &Connection, current: &str) -> Result<Vec<String>, RpcError> {
    let provider = &connection.shared.template.provider;
    let mut models = vec![current.to_owned()];
    if provider.model != current {
        models.push(provider.model.clone());
    }
    if let Some(name) = provider.name.clone() {
        let page = on_sessions(connection, |sessions| sessions.page(&PageRequest::new(RECENT))).await?;
        for record in page.records.into_iter().filter(|record| record.provider == name) {
            if !models.contains(&record.model) && models.len() < MAX_MODELS {
                models.push(record.model);
            }
        }
    }
    Ok(models)
}

fn describe(session: &EditorSession, models: &[String]) -> Value {
    let mut autonomy = modes(session.autonomy);
    let current = autonomy["currentModeId"].take();
    let levels = autonomy["availableModes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let levels: Vec<Value> = levels
        .iter()
        .map(|mode| json!({"value": mode["id"], "name": mode["name"], "description": mode["description"]}))
        .collect();
    let models: Vec<Value> = models.iter().map(|model| json!({"value": model, "name": model})).collect();
    let effort = session.effort.map_or_else(|| DEFAULT_EFFORT.to_owned(), |effort| effort.to_string());
    let mut efforts: Vec<&str> = EFFORTS.to_vec();
    if !efforts.contains(&effort.as_str()) {
        efforts.insert(0, &effort);
    }
    let efforts: Vec<Value> =
        efforts.iter().map(|word| json!({"value": word, "name": capitalize(word)})).collect();
    json!([
        {
            "id": MODE, "name": "Autonomy", "category": "mode", "type": "select",
            "description": "The calls that run without a question",
            "currentValue": current, "options": levels,
        },
        {
            "id": MODEL, "name": "Model", "category": "model", "type": "select",
            "description": "The model of the next run", "currentValue": session.model, "options": models,
        },
        {
            "id": EFFORT, "name": "Reasoning", "category": "thought_level", "type": "select",
            "description": "The amount of reasoning of the next run", "currentValue": effort, "options": efforts,
        },
    ])
}

fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Sets an option for the next run of a session, and returns all options.
pub(crate) async fn set(connection: &Connection, set: SetOption) -> Result<Value, RpcError> {
    let id = set.session_id.as_str();
    let mut session = connection.sessions.get(id)?;
    let models = list_models(connection, &session.model).await?;
    let Some(value) = set.value.as_str() else {
        return Err(RpcError::invalid_params("the value of an option is a text"));
    };
    match set.config_id.as_str() {
        MODE => session.autonomy = find_mode(value)?,
        MODEL if models.iter().any(|model| model == value) => value.clone_into(&mut session.model),
        EFFORT if value == DEFAULT_EFFORT && session.effort.is_none() => {}
        EFFORT if EFFORTS.contains(&value) => session.effort = value.parse::<Effort>().ok(),
        MODEL | EFFORT => return Err(RpcError::invalid_params("the option does not have this value")),
        _ => return Err(RpcError::invalid_params("the option does not exist")),
    }
    let EditorSession { autonomy, model, effort, .. } = session.clone();
    connection
        .sessions
        .update(id, |open| (open.autonomy, open.model, open.effort) = (autonomy, model, effort))?;
    save_draft(connection, id).await?;
    if set.config_id == MODE {
        let update = json!({"sessionUpdate": "current_mode_update", "currentModeId": value});
        connection.peer.update(id, update).await;
    }
    Ok(json!({"configOptions": describe(&session, &models)}))
}

/// Sends the options of a session after another request changed one.
pub(crate) async fn send(connection: &Connection, id: &str) -> Result<(), RpcError> {
    let options = list(connection, &connection.sessions.get(id)?).await?;
    connection
        .peer
        .update(id, json!({"sessionUpdate": "config_option_update", "configOptions": options}))
        .await;
    Ok(())
}
