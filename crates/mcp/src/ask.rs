//! Questions of a server to the human: off, unless the application allows them, and never answered by anybody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_hitl::display_safe;
use windlass_tool::{Human, Question};

use crate::message::object;
use crate::scan::Scan;

/// The longest question, and how deep its schema may be.
const QUESTION_BYTES: usize = 16 * 1024;
const QUESTION_DEPTH: usize = 16;
/// How many things may be asked at once.
const FIELDS: usize = 8;

/// Whom a server may ask.
#[derive(Clone)]
pub(crate) struct Asks {
    server: String,
    human: Option<Arc<dyn Human>>,
    is_asking: Arc<AtomicBool>,
}

/// A question that is put now; there is one at a time.
pub(crate) struct Asking {
    asks: Asks,
    human: Arc<dyn Human>,
    wanted: Option<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    message: String,
    /// Absent is a form; an address to open is not offered.
    #[serde(default)]
    mode: Option<String>,
    #[serde(default, rename = "requestedSchema")]
    schema: Schema,
}

#[derive(Default, Deserialize)]
struct Schema {
    #[serde(default)]
    properties: Map<String, Value>,
}

impl Asks {
    pub(crate) fn new(server: &str, human: Option<Arc<dyn Human>>) -> Self {
        Self { server: server.to_owned(), human, is_asking: Arc::default() }
    }

    pub(crate) fn are_allowed(&self) -> bool {
        self.human.is_some()
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.is_asking.load(Ordering::Acquire)
    }

    /// Begins a question, if questions are allowed and none is open.
    pub(crate) fn begin(&self, params: Option<&RawValue>) -> Option<Asking> {
        let human = self.human.clone()?;
        if self.is_asking.swap(true, Ordering::AcqRel) {
            return None;
        }
        let text = params.map_or("", RawValue::get);
        let is_fit = text.len() <= QUESTION_BYTES && Scan::depth_of(text) <= QUESTION_DEPTH;
        let wanted = is_fit.then(|| object(text).ok()).flatten();
        Some(Asking { asks: self.clone(), human, wanted })
    }
}

impl Asking {
    /// What the server is answered: what the human said, or that she did not.
    pub(crate) async fn answer(self) -> Value {
        let declined = json!({"action": "decline"});
        let Some(wanted) = &self.wanted else { return declined };
        let properties = &wanted.schema.properties;
        if wanted.mode.as_deref().is_some_and(|mode| mode != "form") || properties.len() > FIELDS {
            return declined;
        }
        if properties.is_empty() {
            let question = self.question(wanted, "", &json!({"enum": ["yes", "no"]}));
            return match self.human.answer(&question).await {
                Ok(word) if word.trim().eq_ignore_ascii_case("yes") => {
                    json!({"action": "accept", "content": {}})
                }
                Ok(_) => declined,
                Err(_) => json!({"action": "cancel"}),
            };
        }
        let mut content = Map::new();
        for (name, schema) in properties {
            let Ok(said) = self.human.answer(&self.question(wanted, name, schema)).await else {
                return json!({"action": "cancel"});
            };
            let Some(value) = read(&said, schema) else { return declined };
            content.insert(name.clone(), value);
        }
        json!({"action": "accept", "content": content})
    }

    /// Says first who asks; what the server wrote comes after it, with everything in it visible.
    fn question(&self, wanted: &Wanted, name: &str, schema: &Value) -> Question {
        let words = |key: &str| schema.get(key).and_then(Value::as_str).map(display_safe);
        let mut text = format!(
            "The MCP server {} asks. What you answer goes to it; it should be given no password and no key.\n> {}",
            display_safe(&self.asks.server),
            display_safe(&wanted.message).replace('\n', "\n> "),
        );
        if !name.is_empty() {
            text.push_str("\n> ");
            text.push_str(&display_safe(name).replace('\n', " "));
        }
        for more in ["title", "description"].into_iter().filter_map(words) {
            text.push_str(": ");
            text.push_str(&more.replace('\n', "\n> "));
        }
        let choices = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let suggestions = choices.filter_map(Value::as_str).take(FIELDS).map(display_safe).collect();
        Question::new(text, suggestions)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.asks.is_asking.store(false, Ordering::Release);
    }
}

/// What was said, as the schema wants it; nothing for silence and for what does not fit.
fn read(said: &str, schema: &Value) -> Option<Value> {
    let said = said.trim();
    if said.is_empty() {
        return None;
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choices.iter().find(|choice| choice.as_str() == Some(said)).cloned();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Some(said.into()),
        Some("integer") => said.parse::<i64>().ok().map(Value::from),
        Some("number") => said.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
        Some("boolean") => match said.to_ascii_lowercase().as_str() {
            "yes" | "true" => Some(true.into()),
            "no" | "false" => Some(false.into()),
            _ => None,
        },
        _ => None,
    }
}
