//! Resources and prompts of a server: listed, read, and given to a model as data.

use std::ops::ControlFlow;

use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use windlass_hitl::display_safe;
use windlass_protocol::Content;

use super::McpClient;
use super::connection::Wait;
use super::pages::{Listing, Unlisted};
use crate::failure::Failure;
use crate::pieces::Pieces;
use crate::transport::message::{NO_METHOD, object};
use crate::{StartError, outcome};

/// Something that a server has to read. Names and words are a stranger's.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// Its address, as the server has it.
    pub uri: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// A title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// What it is.
    #[serde(default)]
    pub description: Option<String>,
    /// Its media type.
    #[serde(default, rename = "mimeType")]
    pub media_type: Option<String>,
    /// Its size in bytes.
    #[serde(default)]
    pub size: Option<u64>,
}

/// Addresses that a server has with gaps in them to fill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The address with its gaps (RFC 6570).
    pub uri_template: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// A title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// What it is.
    #[serde(default)]
    pub description: Option<String>,
    /// The media type of what is there.
    #[serde(default, rename = "mimeType")]
    pub media_type: Option<String>,
}

/// What is read at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceContents {
    /// Its address.
    pub uri: String,
    /// Its media type.
    pub media_type: Option<String>,
    /// What is there.
    pub body: ResourceBody,
}

/// The body of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "MCP has these two")]
pub enum ResourceBody {
    /// Words.
    Text(String),
    /// Bytes, in base64.
    Base64(String),
}

/// Words for a model that a server has ready.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// A title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default)]
    pub description: Option<String>,
    /// What is filled in.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
}

/// A gap in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What belongs there.
    #[serde(default)]
    pub description: Option<String>,
    /// Whether it may not stay empty.
    #[serde(default)]
    pub required: bool,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Whose it is: `user` or `assistant`.
    pub role: String,
    /// What it says, marked as a stranger's words.
    pub content: Vec<Content>,
}

/// Why a server gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// It cannot be had.
    #[error(transparent)]
    Start(#[from] StartError),
    /// There is no such server.
    #[error("there is no server {0}")]
    UnknownServer(String),
    /// It did not answer, or with something else.
    #[error("the server {server} gave nothing: {why}")]
    Failed {
        /// The server.
        server: String,
        /// What was met, safe to show.
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
struct Got<'a> {
    #[serde(borrow)]
    messages: Pieces<'a>,
}

#[derive(Deserialize)]
struct Spoken<'a> {
    role: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

impl McpClient {
    /// The server's resources, whole or as many as are taken.
    ///
    /// # Errors
    /// If the server cannot be had or does not answer.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, RequestError> {
        self.listed(Listing::Resources).await
    }

    /// The server's addresses with gaps.
    ///
    /// # Errors
    /// As [`list_resources`](Self::list_resources).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, RequestError> {
        self.listed(Listing::ResourceTemplates).await
    }

    /// The server's prompts.
    ///
    /// # Errors
    /// As [`list_resources`](Self::list_resources).
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, RequestError> {
        self.listed(Listing::Prompts).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// If the server cannot be had, has no such resource, or does not answer.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>, RequestError> {
        let raw = self.asked(ReadResourceRequest::new(ReadResourceRequestParams::new(uri))).await?;
        let read: Read<'_> = object(raw.get()).map_err(|error| self.failed(&error.to_string()))?;
        let limits = self.server().limits();
        let parts = read.contents.kept.iter().take(limits.pieces);
        Ok(parts.filter_map(|raw| object::<OnePart>(raw.get()).ok()).map(OnePart::whole).collect())
    }

    /// A prompt with its gaps filled in.
    ///
    /// # Errors
    /// If the server cannot be had, has no such prompt, or does not answer.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<PromptMessage>, RequestError> {
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        let raw = self.asked(GetPromptRequest::new(params)).await?;
        let got: Got<'_> = object(raw.get()).map_err(|error| self.failed(&error.to_string()))?;
        let limits = self.server().limits();
        let spoken = got.messages.kept.iter().take(limits.pieces);
        let spoken = spoken.filter_map(|raw| object::<Spoken<'_>>(raw.get()).ok());
        let message = |spoken: Spoken<'_>| PromptMessage {
            role: display_safe(&spoken.role),
            content: outcome::piece(spoken.content, self.id(), limits),
        };
        Ok(spoken.map(message).collect())
    }

    async fn listed<T: DeserializeOwned + Send>(&self, listing: Listing) -> Result<Vec<T>, RequestError> {
        let connection = self.0.ready().await?;
        let limits = self.server().limits();
        let mut members = Vec::new();
        let mut bytes = 0_usize;
        let mut take = |raw: &str| {
            bytes = bytes.saturating_add(raw.len());
            if members.len() >= limits.tools || bytes > limits.list_bytes {
                return ControlFlow::Break(());
            }
            // One that cannot be read takes none of the others with it.
            members.extend(object(raw).ok());
            ControlFlow::Continue(())
        };
        match listing.read(&connection, limits, &mut take).await {
            Ok(_) => {}
            // A server without any need not know the question.
            Err(Unlisted::Failure(Failure::Server(error))) if error.code == i64::from(NO_METHOD) => {}
            Err(why) => return Err(self.failed(&why.told())),
        }
        self.0.is_well();
        Ok(members)
    }

    async fn asked(&self, request: impl Into<ClientRequest>) -> Result<Box<RawValue>, RequestError> {
        let connection = self.0.ready().await?;
        let stop = CancellationToken::new();
        let wait = Wait { limit: self.server().limits().call, stop: &stop, told: &|_| {} };
        let reply = connection.request(request, None, wait).await;
        if !matches!(reply, Err(Failure::Gone | Failure::NotSent)) {
            self.0.is_well();
        }
        reply.map_err(|failure| {
            self.0.note(&failure);
            self.failed(&failure.told())
        })
    }

    fn failed(&self, why: &str) -> RequestError {
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
