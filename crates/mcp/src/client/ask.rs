//! Questions of a server to the human: off, unless the application allows them, and never answered by anybody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_hitl::display_safe;
use windlass_tool::{Human, Question};

use super::field::{Field, Said};
use crate::OpenUrl;

/// The longest question.
const QUESTION_BYTES: usize = 16 * 1024;
/// How many things may be asked at once.
const FIELDS: usize = 16;

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
    /// Absent is a form.
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default, rename = "requestedSchema")]
    schema: Schema,
}

#[derive(Default, Deserialize)]
struct Schema {
    #[serde(default)]
    properties: Map<String, Value>,
    #[serde(default)]
    required: Vec<String>,
}

impl Asks {
    pub(crate) fn new(server: &str, human: Option<Arc<dyn Human>>) -> Self {
        Self { server: server.to_owned(), human, is_asking: Arc::default() }
    }

    /// The server that asks.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn are_allowed(&self) -> bool {
        self.human.is_some()
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.is_asking.load(Ordering::Acquire)
    }

    /// Begins a question, if questions are allowed and none is open.
    pub(crate) fn begin(&self, params: Value) -> Option<Asking> {
        let human = self.human.clone()?;
        if self.is_asking.swap(true, Ordering::AcqRel) {
            return None;
        }
        let is_fit = params.is_object() && params.to_string().len() <= QUESTION_BYTES;
        let wanted = if is_fit { serde_json::from_value(params).ok() } else { None };
        Some(Asking { asks: self.clone(), human, wanted })
    }
}

impl Asking {
    /// What the server is answered: what the human said, or that she did not.
    pub(crate) async fn answer(self) -> Value {
        let declined = json!({"action": "decline"});
        let Some(wanted) = &self.wanted else { return declined };
        match (wanted.mode.as_deref(), &wanted.url) {
            (Some("url"), Some(url)) => match OpenUrl::parse(url) {
                Ok(url) => self.consent(wanted, &shown(&url)).await,
                Err(_) => declined,
            },
            (None | Some("form"), _) if wanted.schema.properties.is_empty() => self.consent(wanted, "").await,
            (None | Some("form"), _) if wanted.schema.properties.len() <= FIELDS => self.form(wanted).await,
            _ => declined,
        }
    }

    /// Yes or no.
    async fn consent(&self, wanted: &Wanted, more: &str) -> Value {
        let question = Question::new(self.text(wanted, more), vec!["yes".to_owned(), "no".to_owned()]);
        match self.human.answer(&question).await {
            Ok(word) if word.trim().eq_ignore_ascii_case("yes") && wanted.url.is_some() => {
                json!({"action": "accept"})
            }
            Ok(word) if word.trim().eq_ignore_ascii_case("yes") => json!({"action": "accept", "content": {}}),
            Ok(_) => json!({"action": "decline"}),
            Err(_) => json!({"action": "cancel"}),
        }
    }

    /// One question for each thing that is wanted. Silence is the server's own default, where it has one.
    async fn form(&self, wanted: &Wanted) -> Value {
        let mut content = Map::new();
        for (name, schema) in &wanted.schema.properties {
            let field = Field::new(name, schema);
            let question = Question::new(self.text(wanted, &field.words()), field.suggestions());
            let Ok(said) = self.human.answer(&question).await else {
                return json!({"action": "cancel"});
            };
            match field.read(&said) {
                Said::Value(value) => {
                    content.insert(name.clone(), value);
                }
                Said::Nothing if !wanted.schema.required.contains(name) => {}
                Said::Nothing | Said::Unfit => return json!({"action": "decline"}),
            }
        }
        if content.is_empty() {
            json!({"action": "decline"})
        } else {
            json!({"action": "accept", "content": content})
        }
    }

    /// Says first who asks; what the server wrote comes after it, with everything in it visible.
    fn text(&self, wanted: &Wanted, more: &str) -> String {
        let mut text = format!(
            "The MCP server {} asks. What you answer goes to it; it should be given no password and no key.\n> {}",
            display_safe(&self.asks.server),
            display_safe(&wanted.message).replace('\n', "\n> "),
        );
        if !more.is_empty() {
            text.push_str("\n> ");
            text.push_str(&more.replace('\n', "\n> "));
        }
        text
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.asks.is_asking.store(false, Ordering::Release);
    }
}

/// An address that the human may open by herself: its host first, which is what it is judged by.
fn shown(url: &OpenUrl) -> String {
    format!(
        "It wants you to open an address of the host {}; nothing opens it for you:\n{url}\nAnswer yes when you have, or no.",
        url.host()
    )
}
