//! Elicitation: a server's questions to the human. They are refused unless the application sets a `Human`,
//! and only this human answers them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_hitl::display_safe;
use windlass_tool::{Human, Question};

use super::field::{Field, FieldAnswer};
use crate::OpenUrl;

/// Maximum length of a question's parameters in bytes.
const QUESTION_BYTES: usize = 16 * 1024;
/// Maximum number of fields of a form.
const FIELDS: usize = 16;

/// The elicitation handler of one server, with the human who answers.
#[derive(Clone)]
pub(crate) struct HumanRequests {
    server: String,
    human: Option<Arc<dyn Human>>,
    is_asking: Arc<AtomicBool>,
}

/// An open question. A server can have one at a time.
pub(crate) struct OpenRequest {
    asks: HumanRequests,
    human: Arc<dyn Human>,
    wanted: Option<RequestedAnswer>,
}

#[derive(Deserialize)]
struct RequestedAnswer {
    message: String,
    /// A missing mode means `form`.
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

impl HumanRequests {
    pub(crate) fn new(server: &str, human: Option<Arc<dyn Human>>) -> Self {
        Self { server: server.to_owned(), human, is_asking: Arc::default() }
    }

    /// Returns the id of the server that asks.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn are_allowed(&self) -> bool {
        self.human.is_some()
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.is_asking.load(Ordering::Acquire)
    }

    /// Opens a question. Returns `None` if questions are not allowed or one is open already.
    pub(crate) fn begin(&self, params: Value) -> Option<OpenRequest> {
        let human = self.human.clone()?;
        if self.is_asking.swap(true, Ordering::AcqRel) {
            return None;
        }
        let is_fit = params.is_object() && params.to_string().len() <= QUESTION_BYTES;
        let wanted = if is_fit { serde_json::from_value(params).ok() } else { None };
        Some(OpenRequest { asks: self.clone(), human, wanted })
    }
}

impl OpenRequest {
    /// Asks the human, and returns the response to the server: accept with the content, decline or cancel.
    pub(crate) async fn answer(self) -> Value {
        let declined = json!({"action": "decline"});
        let Some(wanted) = &self.wanted else { return declined };
        match (wanted.mode.as_deref(), &wanted.url) {
            (Some("url"), Some(url)) => match OpenUrl::parse(url) {
                Ok(url) => self.consent(wanted, &display_url(&url)).await,
                Err(_) => declined,
            },
            (None | Some("form"), _) if wanted.schema.properties.is_empty() => self.consent(wanted, "").await,
            (None | Some("form"), _) if wanted.schema.properties.len() <= FIELDS => self.form(wanted).await,
            _ => declined,
        }
    }

    /// Asks a question with the answers yes and no.
    async fn consent(&self, wanted: &RequestedAnswer, more: &str) -> Value {
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

    /// Asks one question for each field of the form. An empty answer means the field's default, if the schema
    /// has one.
    async fn form(&self, wanted: &RequestedAnswer) -> Value {
        let mut content = Map::new();
        for (name, schema) in &wanted.schema.properties {
            let field = Field::new(name, schema);
            let question = Question::new(self.text(wanted, &field.words()), field.suggestions());
            let Ok(said) = self.human.answer(&question).await else {
                return json!({"action": "cancel"});
            };
            match field.read(&said) {
                FieldAnswer::Value(value) => {
                    content.insert(name.clone(), value);
                }
                FieldAnswer::Nothing if !wanted.schema.required.contains(name) => {}
                FieldAnswer::Nothing | FieldAnswer::Unfit => return json!({"action": "decline"}),
            }
        }
        if content.is_empty() {
            json!({"action": "decline"})
        } else {
            json!({"action": "accept", "content": content})
        }
    }

    /// Returns the text of a question. It names the server first; the server's own text follows as a
    /// quotation with invisible characters escaped.
    fn text(&self, wanted: &RequestedAnswer, more: &str) -> String {
        let mut text = format!(
            "The MCP server {} asks a question. Your answer is sent to the server; do not enter a password \
             or a key.\n> {}",
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

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.asks.is_asking.store(false, Ordering::Release);
    }
}

/// Returns the text for a URL that the human may open, with its host first, because the host decides whether
/// to trust it.
fn display_url(url: &OpenUrl) -> String {
    format!(
        "The server requests that you open an address of the host {}, which is not opened \
         automatically:\n{url}\nAnswer yes when you have, or no.",
        url.host()
    )
}
