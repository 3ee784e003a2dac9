//! The identity of a conversation: the part of a request that stays equal from turn to turn.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

/// The fields that name or begin a conversation, in all formats.
#[derive(Deserialize)]
struct Beginning<'a> {
    #[serde(default)]
    prompt_cache_key: Option<String>,
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    contents: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Role {
    #[serde(default)]
    role: Option<String>,
}

/// Returns the hash of a conversation: its cache key, or its messages up to the first one of the user. Marks for a cache
/// are not part of it, because clients move them.
pub(super) fn conversation_seed(client: &str, model: &str, body: &[u8]) -> Vec<u8> {
    let mut hash = Sha256::new();
    for name in [client, model] {
        hash.update(name);
        hash.update([0]);
    }
    if let Ok(beginning) = serde_json::from_slice::<Beginning<'_>>(body) {
        if let Some(key) = beginning.prompt_cache_key {
            hash.update(key);
        } else {
            let fields = [beginning.messages, beginning.input, beginning.contents];
            fields.into_iter().flatten().for_each(|field| hash.update(first_messages(field)));
        }
    }
    hash.finalize().to_vec()
}

/// Returns the text of the messages up to the first one of the user. A text in place of messages is one message.
fn first_messages(field: &RawValue) -> String {
    let Ok(messages) = serde_json::from_str::<Vec<&RawValue>>(field.get()) else {
        return field.get().to_owned();
    };
    let is_users = |message: &&RawValue| {
        // Gemini's contents may have no role.
        serde_json::from_str::<Role>(message.get())
            .is_ok_and(|message| message.role.is_none_or(|role| role == "user"))
    };
    let count = messages.iter().position(is_users).unwrap_or_default().saturating_add(1);
    let mut text = String::new();
    for message in messages.iter().take(count) {
        let Ok(mut value) = serde_json::from_str::<Value>(message.get()) else { continue };
        remove_marks(&mut value);
        text.push_str(&value.to_string());
    }
    text
}

/// Removes cache marks. The recursion is bounded by the limit of the parser.
fn remove_marks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("cache_control");
            fields.values_mut().for_each(remove_marks);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_marks),
        _ => {}
    }
}
