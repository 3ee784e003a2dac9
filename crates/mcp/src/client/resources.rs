//! Resources and prompts of a server: requests, and conversion to content for a model.

use std::ops::ControlFlow;

use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_hitl::display_safe;
use windlass_protocol::Content;
use windlass_tool::CancellationToken;

use super::McpClient;
use super::connection::Wait;
use super::pages::{ListError, Listing};
use super::rounds::RoundInput;
use crate::failure::Failure;
use crate::pieces::Pieces;
use crate::transport::ledger::CallBody;
use crate::transport::message::{NO_METHOD, object};
use crate::{StartError, outcome};

/// A resource that a server lists. All texts come from the server and are untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// The URI on the server.
    pub uri: String,
    /// The name.
    #[serde(default)]
    pub name: String,
    /// A title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// The server's description.
    #[serde(default)]
    pub description: Option<String>,
    /// The media type.
    #[serde(default, rename = "mimeType")]
    pub media_type: Option<String>,
    /// The size in bytes.
    #[serde(default)]
    pub size: Option<u64>,
}

/// A URI template for resources of a server. All texts come from the server and are untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The URI template (RFC 6570).
    pub uri_template: String,
    /// The name.
    #[serde(default)]
    pub name: String,
    /// A title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// The server's description.
    #[serde(default)]
    pub description: Option<String>,
    /// The media type of the resources.
    #[serde(default, rename = "mimeType")]
    pub media_type: Option<String>,
}

/// One part of a resource's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceContents {
    /// The URI of the part.
    pub uri: String,
    /// The media type.
    pub media_type: Option<String>,
    /// The content.
    pub body: ResourceBody,
}

/// The content of a resource's part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "MCP has these two")]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Binary data in base64.
    Base64(String),
}

/// A prompt template that a server offers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Prompt {
    /// The name.
    pub name: String,
    /// A title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// The server's description.
    #[serde(default)]
    pub description: Option<String>,
    /// The arguments of the template.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name.
    pub name: String,
    /// The server's description.
    #[serde(default)]
    pub description: Option<String>,
    /// True if the argument is required.
    #[serde(default)]
    pub required: bool,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// The role: `user` or `assistant`. It comes from the server and is not checked.
    pub role: String,
    /// The content, marked as data from the server.
    pub content: Vec<Content>,
}

/// Error of a request to a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The server could not be started or reached.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The configuration has no server with this id.
    #[error("unknown server {0}")]
    UnknownServer(String),
    /// The server did not answer, answered with an error, or sent an invalid answer.
    #[error("the request to the server {server} failed: {why}")]
    Failed {
        /// The server's id.
        server: String,
        /// The reason, safe to display.
        why: String,
    },
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    contents: Pieces<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OnePart {
    uri: String,
    #[serde(default, rename = "mimeType")]
    media_type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    blob: Option<String>,
}

#[derive(Deserialize)]
struct ReadResult<'a> {
    #[serde(borrow)]
    messages: Pieces<'a>,
}

#[derive(Deserialize)]
struct MessageParams<'a> {
    role: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

impl McpClient {
    /// Lists the server's resources. The list is cut at `McpLimits::tools` members, `McpLimits::list_bytes` bytes
    /// and `McpLimits::pages` pages; members that cannot be parsed are skipped. A server without resources gives
    /// an empty list.
    ///
    /// # Errors
    /// If the server cannot be started or reached, or does not answer.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, RequestError> {
        self.list_all(Listing::Resources).await
    }

    /// Lists the server's URI templates, with the limits of [`list_resources`](Self::list_resources).
    ///
    /// # Errors
    /// See [`list_resources`](Self::list_resources).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, RequestError> {
        self.list_all(Listing::ResourceTemplates).await
    }

    /// Lists the server's prompts, with the limits of [`list_resources`](Self::list_resources).
    ///
    /// # Errors
    /// See [`list_resources`](Self::list_resources).
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, RequestError> {
        self.list_all(Listing::Prompts).await
    }

    /// Reads a resource. At most `McpLimits::pieces` parts are returned.
    ///
    /// # Errors
    /// If the server cannot be started or reached, has no such resource, or does not answer.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>, RequestError> {
        let build = |input: RoundInput| {
            let mut params = ReadResourceRequestParams::new(uri);
            (params.input_responses, params.request_state) = (input.responses, input.state);
            ReadResourceRequest::new(params).into()
        };
        let raw = self.send_request(build).await?;
        let read: Read<'_> = object(raw.get()).map_err(|error| self.to_request_error(&error.to_string()))?;
        let limits = self.server().limits();
        let parts = read.contents.kept.iter().take(limits.pieces);
        Ok(parts.filter_map(|raw| object::<OnePart>(raw.get()).ok()).map(OnePart::whole).collect())
    }

    /// Fills a prompt in and returns its messages, at most `McpLimits::pieces`.
    ///
    /// # Errors
    /// If the server cannot be started or reached, has no such prompt, or does not answer.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<PromptMessage>, RequestError> {
        let build = |input: RoundInput| {
            let mut params = GetPromptRequestParams::new(name).with_arguments(arguments.clone());
            (params.input_responses, params.request_state) = (input.responses, input.state);
            GetPromptRequest::new(params).into()
        };
        let raw = self.send_request(build).await?;
        let got: ReadResult<'_> =
            object(raw.get()).map_err(|error| self.to_request_error(&error.to_string()))?;
        let limits = self.server().limits();
        let spoken = got.messages.kept.iter().take(limits.pieces);
        let spoken = spoken.filter_map(|raw| object::<MessageParams<'_>>(raw.get()).ok());
        let message = |spoken: MessageParams<'_>| PromptMessage {
            role: display_safe(&spoken.role),
            content: outcome::piece(spoken.content, self.id(), limits),
        };
        Ok(spoken.map(message).collect())
    }

    async fn list_all<T: DeserializeOwned + Send>(&self, listing: Listing) -> Result<Vec<T>, RequestError> {
        let connection = self.0.ready().await?;
        let limits = self.server().limits();
        let mut members = Vec::new();
        let mut bytes = 0_usize;
        let mut take = |raw: &str| {
            bytes = bytes.saturating_add(raw.len());
            if members.len() >= limits.tools || bytes > limits.list_bytes {
                return ControlFlow::Break(());
            }
            // A member that cannot be parsed is skipped alone.
            members.extend(object(raw).ok());
            ControlFlow::Continue(())
        };
        match listing.read(&connection, limits, &mut take).await {
            Ok(_) => {}
            // Servers without such a list may answer METHOD_NOT_FOUND; treat that as an empty list.
            Err(ListError::Failure(Failure::Server(error))) if error.code == i64::from(NO_METHOD) => {}
            Err(why) => return Err(self.to_request_error(&why.describe())),
        }
        self.0.is_well();
        Ok(members)
    }

    async fn send_request(
        &self,
        build: impl Fn(RoundInput) -> ClientRequest,
    ) -> Result<Box<RawValue>, RequestError> {
        let connection = self.0.ready().await?;
        let stop = CancellationToken::new();
        let wait = Wait { limit: self.server().limits().call, stop: &stop, told: &|_| {} };
        let reply = connection.request_in_rounds(build, &CallBody::default(), wait).await;
        if !matches!(reply, Err(Failure::Gone | Failure::NotSent)) {
            self.0.is_well();
        }
        reply.map_err(|failure| {
            self.0.note(&failure);
            self.to_request_error(&failure.describe())
        })
    }

    fn to_request_error(&self, why: &str) -> RequestError {
        RequestError::Failed { server: self.id().to_owned(), why: why.to_owned() }
    }
}

impl OnePart {
    fn whole(self) -> ResourceContents {
        let body = match (self.text, self.blob) {
            (Some(text), _) => ResourceBody::Text(text),
            (None, blob) => ResourceBody::Base64(blob.unwrap_or_default()),
        };
        ResourceContents { uri: self.uri, media_type: self.media_type, body }
    }
}
