//! The interface between the MCP server and the program that provides prompts.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model as wire;
use windlass_protocol::Content;

use crate::answer::convert_content;
use crate::{Caller, HostError};

/// The future of a prompt's messages.
pub type PromptFuture = Pin<Box<dyn Future<Output = Result<Vec<PromptMessage>, HostError>> + Send>>;

/// The prompts that are served.
pub trait PromptHost: Send + Sync {
    /// Returns the prompts that are listed now, in the order for the client.
    fn prompts(&self) -> Vec<Prompt>;

    /// Fills a listed prompt in. All required arguments are present, and all arguments are listed ones; their
    /// values come from the client. The future is dropped if the client cancels the request.
    fn fill(self: Arc<Self>, name: String, arguments: BTreeMap<String, String>) -> PromptFuture;

    /// Fills a listed prompt in like [`fill`](Self::fill), and can ask the human at the client. The server calls
    /// this method; the default calls `fill`.
    fn fill_for(
        self: Arc<Self>,
        name: String,
        arguments: BTreeMap<String, String>,
        caller: Caller,
    ) -> PromptFuture {
        drop(caller);
        self.fill(name, arguments)
    }
}

/// A prompt of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// A description for people.
    pub description: Option<String>,
    /// The arguments.
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt. Its value is a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name.
    pub name: String,
    /// A description for people.
    pub description: Option<String>,
    /// True if the prompt cannot be filled in without it.
    pub required: bool,
    /// Values that the server suggests to people who type one. The prompt also accepts other values.
    pub suggestions: Vec<String>,
}

/// The role of a prompt's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "MCP has these two")]
pub enum PromptRole {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// The role.
    pub role: PromptRole,
    /// The content.
    pub content: Content,
}

impl Prompt {
    /// Creates a prompt without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, arguments: Vec::new() }
    }

    /// Sets the title.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the description.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds an argument.
    pub fn with_argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// Checks a client's arguments: all required ones, no unknown ones, texts only.
    pub(crate) fn check_arguments(
        &self,
        arguments: wire::JsonObject,
    ) -> Result<BTreeMap<String, String>, HostError> {
        let mut checked = BTreeMap::new();
        for (name, value) in arguments {
            let serde_json::Value::String(text) = value else {
                return Err(HostError::Invalid(format!("the argument {name:?} is not a text")));
            };
            if !self.arguments.iter().any(|argument| argument.name == name) {
                return Err(HostError::Invalid(format!("the prompt has no argument {name:?}")));
            }
            checked.insert(name, text);
        }
        let missing =
            self.arguments.iter().find(|known| known.required && !checked.contains_key(&known.name));
        match missing {
            Some(missing) => Err(HostError::Invalid(format!("the argument {:?} is missing", missing.name))),
            None => Ok(checked),
        }
    }

    pub(crate) fn into_wire(self) -> wire::Prompt {
        let arguments = self.arguments.into_iter().map(PromptArgument::into_wire).collect();
        let prompt = wire::Prompt::new(self.name, self.description, Some(arguments));
        match self.title {
            Some(title) => prompt.with_title(title),
            None => prompt,
        }
    }
}

impl PromptArgument {
    /// Creates an optional argument.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), description: None, required: false, suggestions: Vec::new() }
    }

    /// Creates a required argument.
    pub fn new_required(name: impl Into<String>) -> Self {
        Self { required: true, ..Self::new(name) }
    }

    /// Sets the description.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the suggested values, which clients get by `completion/complete`.
    pub fn with_suggestions(mut self, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.suggestions = values.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the suggested values that begin with a text, at most as many as a response may have.
    pub(crate) fn complete(&self, beginning: &str) -> wire::CompletionInfo {
        let found = || self.suggestions.iter().filter(|value| value.starts_with(beginning));
        let values = found().take(wire::CompletionInfo::MAX_VALUES).cloned().collect();
        let total = u32::try_from(found().count()).unwrap_or(u32::MAX);
        let has_more = found().nth(wire::CompletionInfo::MAX_VALUES).is_some();
        wire::CompletionInfo::with_pagination(values, Some(total), has_more).unwrap_or_default()
    }

    fn into_wire(self) -> wire::PromptArgument {
        let argument = wire::PromptArgument::new(self.name).with_required(self.required);
        match self.description {
            Some(description) => argument.with_description(description),
            None => argument,
        }
    }
}

impl PromptMessage {
    /// Creates a message.
    pub fn new(role: PromptRole, content: Content) -> Self {
        Self { role, content }
    }

    /// Creates a text of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(PromptRole::User, Content::text(text))
    }

    pub(crate) fn into_wire(self) -> wire::PromptMessage {
        let role = match self.role {
            PromptRole::User => wire::Role::User,
            PromptRole::Assistant => wire::Role::Assistant,
        };
        wire::PromptMessage::new(role, convert_content(&self.content))
    }
}
