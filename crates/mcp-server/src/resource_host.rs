//! The interface between the MCP server and the program that provides resources.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model as wire;

use crate::{HostError, ResourceChanges};

/// The future of a resource's contents.
pub type ReadFuture = Pin<Box<dyn Future<Output = Result<Vec<ResourceContents>, HostError>> + Send>>;

/// The resources that are served.
///
/// The server passes every URI of a client to [`read`](Self::read), also those that are not listed, so the
/// implementation decides which resources a client may read.
pub trait ResourceHost: Send + Sync {
    /// Returns the resources that are listed now, in the order for the client.
    fn resources(&self) -> Vec<Resource>;

    /// Returns the URI templates (RFC 6570) of resources that are not listed one by one. The default is an
    /// empty list.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Returns the handle that announces changes of resources, the same one for each call. The default is `None`:
    /// clients cannot subscribe.
    fn changes(&self) -> Option<ResourceChanges> {
        None
    }

    /// Reads a resource. The URI comes from the client, has at most 8 KiB, and is not checked otherwise. The
    /// future is dropped if the client cancels the request.
    fn read(self: Arc<Self>, uri: String) -> ReadFuture;
}

/// A resource of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// The URI.
    pub uri: String,
    /// The name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// A description for people and models.
    pub description: Option<String>,
    /// The media type of the contents.
    pub media_type: Option<String>,
}

/// A URI template with the resources that match it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The template, such as `log://{day}`.
    pub uri_template: String,
    /// The name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// A description for people and models.
    pub description: Option<String>,
    /// The media type of the contents, if all have the same.
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

impl Resource {
    /// Creates a resource with a URI and a name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), title: None, description: None, media_type: None }
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

    /// Sets the media type.
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    pub(crate) fn into_wire(self) -> wire::Resource {
        let mut resource = wire::Resource::new(self.uri, self.name);
        (resource.title, resource.description, resource.mime_type) =
            (self.title, self.description, self.media_type);
        resource
    }
}

impl ResourceTemplate {
    /// Creates a template with a name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        let (uri_template, name) = (uri_template.into(), name.into());
        Self { uri_template, name, title: None, description: None, media_type: None }
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

    /// Sets the media type.
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    pub(crate) fn into_wire(self) -> wire::ResourceTemplate {
        let mut template = wire::ResourceTemplate::new(self.uri_template, self.name);
        (template.title, template.description, template.mime_type) =
            (self.title, self.description, self.media_type);
        template
    }
}

impl ResourceContents {
    /// Creates a text.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), media_type: None, body: ResourceBody::Text(text.into()) }
    }

    /// Creates binary data from its base64.
    pub fn base64(uri: impl Into<String>, data: impl Into<String>) -> Self {
        Self { uri: uri.into(), media_type: None, body: ResourceBody::Base64(data.into()) }
    }

    /// Sets the media type.
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    pub(crate) fn into_wire(self) -> wire::ResourceContents {
        let contents = match self.body {
            ResourceBody::Text(text) => wire::ResourceContents::text(text, self.uri),
            ResourceBody::Base64(data) => wire::ResourceContents::blob(data, self.uri),
        };
        match self.media_type {
            Some(media_type) => contents.with_mime_type(media_type),
            None => contents,
        }
    }
}
